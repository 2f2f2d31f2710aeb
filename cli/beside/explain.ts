// What a person is told when a command line looks like the compressor's and is not run.
import { visibleText } from '../../workers/agent/tools/visible-text.ts';
import { languageFor } from '../language.ts';
import { loadText } from '../text/text.ts';
import type { Verdict } from './handover.ts';

/** Prints the hint on stderr; returns the exit code. */
export async function explainBeside(
  verdict: Verdict,
  compressor: string | undefined,
  env: Readonly<Record<string, string | undefined>>,
): Promise<number> {
  const text = await loadText(await languageFor(process.argv.slice(2), env));
  const lines = verdict.kind === 'hint' ? text.beside.fileAtTerminal(verdict.file, compressor) : text.beside.noCompressor;
  process.stderr.write(`${visibleText(lines)}\n`);
  return 2;
}
