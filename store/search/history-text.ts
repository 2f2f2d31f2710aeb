// What of a message is searched. The person's words and the model's reply whole, the calls it made and tool output by
// their head; never background, reasoning, harness notes or summaries (what they repeat is found where it was said).
import { type Content, callsOf, visibleText } from '../sessions/message.ts';

/** Characters of a tool's output, and of one call's arguments, that are searched. */
const TOOL_HEAD = 2_000;
const CALL_HEAD = 300;
/** Characters of any message: more is a pasted file, and its head finds it. */
const LONGEST = 50_000;

/** The searched text of a message; empty when none of it is. */
export function searchedText(content: Content): string {
  switch (content.role) {
    case 'user':
      return content.origin?.type === 'note' || content.origin?.type === 'summary' ? '' : visibleText(content).slice(0, LONGEST);
    case 'assistant':
      return [
        visibleText(content).slice(0, LONGEST),
        ...callsOf(content).map(({ name, arguments: given }) => `${name} ${argumentsText(given)}`),
      ]
        .filter((part) => part !== '')
        .join('\n');
    case 'tool':
      return visibleText(content).slice(0, TOOL_HEAD);
  }
}

/** A call's arguments in one line, by their head. */
function argumentsText(given: Readonly<Record<string, unknown>>): string {
  return Object.values(given)
    .map((value) => (typeof value === 'string' ? value : (JSON.stringify(value) ?? '')))
    .join(' ')
    .slice(0, CALL_HEAD);
}
