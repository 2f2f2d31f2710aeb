// The wizard's questions at a real terminal. Never imported without one: clack waits for ever on other input. What a server
// or a file said in them cannot steer the terminal.
import { autocomplete, confirm, intro, isCancel, log, note, outro, password, select, spinner, text } from '@clack/prompts';
import { visibleText } from '../../workers/agent/tools/visible-text.ts';
import type { Text } from '../text/text.ts';
import type { Choice, Prompts } from './prompts.ts';

/** Longer lists are searched by typing. */
const SEARCH_FROM = 12;

export function clackPrompts(words: Text): Prompts {
  return {
    intro: (title) => intro(title),
    outro: (message) => outro(message),
    note: (message, title) => note(visibleText(message), title),
    info: (message) => log.info(visibleText(message)),
    warn: (message) => log.warn(visibleText(message)),
    async select(message, choices, initial) {
      const options = choices.map(({ value, label, hint }) => ({
        value,
        label: visibleText(label),
        ...(hint === undefined ? {} : { hint: visibleText(hint) }),
      }));
      const chosen: unknown =
        choices.length >= SEARCH_FROM
          ? await autocomplete<string>({
              message: visibleText(message),
              options,
              maxItems: 10,
              placeholder: words.setup.typeToSearch,
              ...(initial === undefined ? {} : { initialValue: initial }),
            })
          : await select<string>({
              message: visibleText(message),
              options,
              showInstructions: false,
              ...(initial === undefined ? {} : { initialValue: initial }),
            });
      return valueIn(choices, chosen);
    },
    async text(message, { initial, example, check }) {
      const answer = await text({
        message: visibleText(message),
        ...(initial === undefined ? {} : { initialValue: initial }),
        ...(example === undefined ? {} : { placeholder: example }),
        validate: (value) => check?.(value ?? ''),
      });
      return isCancel(answer) ? undefined : (answer ?? '');
    },
    async secret(message, check) {
      const answer = await password({ message: visibleText(message), validate: (value) => check(value ?? '') });
      return isCancel(answer) ? undefined : (answer ?? '');
    },
    async confirm(message, initial) {
      const answer = await confirm({
        message: visibleText(message),
        initialValue: initial,
        active: words.setup.yes,
        inactive: words.setup.no,
      });
      return isCancel(answer) ? undefined : answer;
    },
    async pause(message) {
      const answer = await text({ message, placeholder: '' });
      return isCancel(answer) ? undefined : true;
    },
    async busy(message, work, ended) {
      const wheel = spinner();
      wheel.start(visibleText(message));
      try {
        const value = await work();
        wheel.stop(visibleText(ended(value)));
        return value;
      } catch (error) {
        wheel.error(visibleText(message));
        throw error;
      }
    },
  };
}

function valueIn<T extends string>(choices: ReadonlyArray<Choice<T>>, chosen: unknown): T | undefined {
  return choices.find(({ value }) => value === chosen)?.value;
}
