// What was printed could not be written, such as to a full disk: one line says so, and the program ends.
import { languageFor } from '../language.ts';
import { loadText } from '../text/text.ts';
import { createPrinter } from './printer.ts';

/** Tells it on stderr and ends the process with 1: whoever waits for the output must not take a part for the whole. */
export async function tellLostOutput(error: NodeJS.ErrnoException, env: Readonly<Record<string, string | undefined>>): Promise<never> {
  const text = await loadText(await languageFor(process.argv.slice(2), env));
  const print = createPrinter({ stdout: process.stdout, stderr: process.stderr, json: false, colour: false });
  print.warn(`xz: ${text.errors.outputLost(error.code ?? error.message)}`);
  print.warn(`${text.common.hint}: ${text.errors.outputLostHint}`);
  process.exit(1);
}
