// Whose command line it is: the compressor's go to the compressor, ours to the command table. Nothing heavier is loaded
// before it is known to be needed.
import { existsSync, realpathSync } from 'node:fs';
import { firstLook } from './beside/handover.ts';
import { COMMAND_WORDS } from './table/words.ts';

process.stdout.on('error', onLostOutput);
process.stderr.on('error', (error: NodeJS.ErrnoException) => {
  if (isBrokenPipe(error)) process.exit(process.exitCode ?? 0);
  // Of stderr's own loss nothing can be told, and what goes to stdout is worth as much as before.
});

/** What is done when stdout takes no more; its other end may simply be gone. */
export function onLostOutput(error: NodeJS.ErrnoException): void {
  if (isBrokenPipe(error)) process.exit(process.exitCode ?? 0);
  void import('./print/lost-output.ts').then(({ tellLostOutput }) => tellLostOutput(error, process.env));
}

/** A reader that went away (`xz … | head`) is no error of ours. */
function isBrokenPipe({ code }: NodeJS.ErrnoException): boolean {
  return code === 'EPIPE' || code === 'EIO';
}

/** Runs a command line (without node and script); resolves to the exit code. */
export async function start(args: readonly string[]): Promise<number> {
  const verdict = firstLook({
    args,
    // Asked only when it matters: opening the stream of stdin takes a cold start a millisecond or two.
    get stdinIsTerminal() {
      return process.stdin.isTTY === true;
    },
    stdoutIsTerminal: process.stdout.isTTY === true,
    inToolShell: Boolean(process.env.XZ_AGENT),
    commands: COMMAND_WORDS,
    fileExists: existsSync,
  });
  if (verdict.kind === 'ours') return (await import('./program.ts')).runProgram(args);
  const { findCompressor, runCompressor } = await import('./beside/compressor.ts');
  const compressor = findCompressor(process.env, realpathSync(process.argv[1] ?? ''));
  if (verdict.kind === 'compressor' && compressor !== undefined) return runCompressor(compressor, args, process.env);
  return (await import('./beside/explain.ts')).explainBeside(verdict, compressor, process.env);
}
