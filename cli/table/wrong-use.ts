// What is wrong with a command line, in the person's words, and the known word that a mistyped one is nearest to.
import type { CommanderError } from 'commander';
import type { Text } from '../text/text.ts';

/** commander's own sentence, in the person's language where its kind is known. */
export function usageError(error: CommanderError, text: Text): string {
  const quoted = /'([^']*)'/.exec(error.message)?.[1] ?? '';
  const suggestion = /Did you mean (?:one of )?([^?]*)\?/.exec(error.message)?.[1];
  switch (error.code) {
    case 'commander.unknownOption':
      return text.table.unknownOption(quoted, suggestion);
    case 'commander.unknownCommand':
      return text.table.unknownCommand(quoted, suggestion);
    case 'commander.missingArgument':
      return text.table.missingArgument(quoted);
    case 'commander.optionMissingArgument':
      return text.table.missingValue(quoted);
    case 'commander.invalidArgument': {
      const { where, value, choices } = choiceIn(error.message);
      return text.table.badChoice(where, value, choices.join(', '), nearest(value, choices));
    }
    case 'commander.excessArguments': {
      const [expected = 0, got = 0] = (/Expected (\d+) arguments? but got (\d+)/.exec(error.message)?.slice(1) ?? []).map(Number);
      return text.table.tooManyWords(quoted, expected, got);
    }
    default:
      return text.table.wrongUse(error.message.replace(/^error: /, ''));
  }
}

/** What commander says of a value that is none of the choices: of which option or argument, the value, the choices. */
function choiceIn(message: string): { readonly where: string; readonly value: string; readonly choices: readonly string[] } {
  const [, option, given] = /option '([^']*)' argument '([\s\S]*)' is invalid\./.exec(message) ?? [];
  const [, word, argument] = /argument value '([\s\S]*)' is invalid for argument '([^']*)'\./.exec(message) ?? [];
  const choices = /Allowed choices are ([^\n]*)\.$/.exec(message)?.[1] ?? '';
  return { where: option ?? argument ?? '', value: given ?? word ?? '', choices: choices.split(', ') };
}

/** The known word nearest to a mistyped one, when it is near at all. */
export function nearest(word: string, known: readonly string[]): string | undefined {
  const ranked = known.map((name) => ({ name, far: editDistance(word, name) })).sort((a, b) => a.far - b.far);
  const [best] = ranked;
  return best !== undefined && best.far <= Math.max(2, Math.floor(word.length / 3)) ? best.name : undefined;
}

function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const change = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(change, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
