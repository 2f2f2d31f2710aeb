#!/usr/bin/env node
// The program's first lines: the version at once, the compressor's command lines to the compressor, the rest to the
// command table. Nothing heavier is loaded before it is known to be needed.
import { existsSync, realpathSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { firstLook } from './beside/handover.ts';
import { COMMAND_WORDS } from './table/words.ts';
import { VERSION } from './version.ts';

process.stdout.on('error', onBrokenPipe);
process.stderr.on('error', onBrokenPipe);

/** A reader that went away (`xz … | head`) is no error of ours. */
function onBrokenPipe(error: NodeJS.ErrnoException): void {
  if (error.code === 'EPIPE' || error.code === 'EIO') process.exit(process.exitCode ?? 0);
  throw error;
}

const args = process.argv.slice(2);
if (args.length === 1 && (args[0] === '-v' || args[0] === '--version')) {
  process.stdout.write(`${VERSION}\n`);
} else {
  const verdict = firstLook({
    args,
    stdinIsTerminal: process.stdin.isTTY === true,
    stdoutIsTerminal: process.stdout.isTTY === true,
    inToolShell: Boolean(process.env.XZ_AGENT),
    commands: COMMAND_WORDS,
    fileExists: existsSync,
  });
  if (verdict.kind === 'ours') {
    const { runProgram } = await import('./program.ts');
    process.exitCode = await runProgram(args);
  } else {
    const { findCompressor, runCompressor } = await import('./beside/compressor.ts');
    const compressor = findCompressor(process.env, realpathSync(fileURLToPath(import.meta.url)));
    if (verdict.kind === 'compressor' && compressor !== undefined) {
      process.exitCode = await runCompressor(compressor, args, process.env);
    } else {
      const { explainBeside } = await import('./beside/explain.ts');
      process.exitCode = await explainBeside(verdict, compressor, process.env);
    }
  }
}
