// What the REPL asks of the person: an agent's question, and a list to pick from. Each takes the next line.
import type { Question } from '../../lead/events.ts';
import { markdownLines } from '../screen/panes/markdown.ts';
import type { Choice, SlashContext } from '../slash/command.ts';
import type { Repl } from './repl.ts';

/** In a pipe no line is broken. */
const UNCUT = 1_000_000;

/** The verdict that a line is; undefined for any other line. */
function verdictOf(line: string): 'allow' | 'refuse' | 'always' | undefined {
  switch (line.trim().toLowerCase()) {
    case 'y':
    case 'yes':
      return 'allow';
    case 'a':
    case 'always':
      return 'always';
    case 'n':
    case 'no':
      return 'refuse';
    default:
      return undefined;
  }
}

/** Puts the question, and passes the answer on; a line that is none refuses. `signal` takes the question back. */
export async function answer({ app, output, prompt, lines, conversation }: Repl, question: Question, signal: AbortSignal): Promise<void> {
  const { text } = app;
  const begin = () => {
    output.line(`? ${text.screen.question.asks(question.agent)}   ${question.tool}: ${question.summary}`);
    if (question.diff) output.line(question.diff);
    output.ask(text.repl.ask);
  };
  const line = await lines.ask({ begin, fits: (words) => verdictOf(words) !== undefined, signal });
  if (line !== undefined) return conversation.answer(question.id, verdictOf(line) ?? 'refuse');
  // Taken back: the next line is a request again.
  output.endStream();
  if (!lines.isAsking()) prompt.show();
}

/** What slash commands use: they answer in Markdown, and lists are picked from by number. */
export function slashContext({ app, conversation, stores, output, lines, picking }: Repl): SlashContext {
  return {
    ...{ app, conversation, stores },
    say(markdown) {
      const width = app.print.terminal ? app.print.columns : UNCUT;
      for (const drawn of markdownLines(markdown, width)) output.line(drawn.map((part) => part.text).join(''));
    },
    async pick(title: string, items: readonly Choice[]) {
      const away = new AbortController();
      const begin = () => {
        output.line(title);
        for (const [index, item] of items.entries())
          output.line(`${index + 1}. ${item.label}${item.detail === undefined ? '' : `  ${item.detail}`}`);
        output.ask(app.text.repl.pick(items.length));
      };
      picking.add(away);
      const line = await lines.ask({ begin, fits: (words) => /^\s*\d*\s*$/.test(words), signal: away.signal });
      picking.delete(away);
      return items[Number((line ?? '').trim()) - 1]?.value;
    },
    memoryChanged: () => {},
    sessionChanged: () => {},
  };
}
