// `xz completion bash|zsh|fish`: prints the script.
import { XzError } from '../../../store/errors.ts';
import type { RunCommand } from '../../table/command.ts';
import { bashScript, fishScript, zshScript } from './scripts.ts';
import { placesOf } from './words.ts';

export const runCompletion: RunCommand = async (app, call) => {
  // The table names this command too: it is imported when it is needed, not in a circle at the start.
  const { commandTable, globalOptions, rootOptions } = await import('../../table/table.ts');
  const places = placesOf(commandTable, globalOptions, rootOptions, app.text);
  const scripts = { bash: bashScript, zsh: zshScript, fish: fishScript };
  const script = Object.entries(scripts).find(([shell]) => shell === call.args.shell)?.[1];
  if (script === undefined) throw new XzError('bad_input', `no completion for "${call.args.shell ?? ''}"`, { hint: 'bash, zsh or fish' });
  app.print.raw(script(places));
  return 0;
};
