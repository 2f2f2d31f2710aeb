#!/usr/bin/env node
// The program's first lines. The version is printed at once; everything else is loaded only after that is ruled out,
// since each file that is read costs a cold start about a millisecond.

/** Put in by the build, here as in version.ts: importing it would be such a file. */
declare const XZ_VERSION: string;

const args = process.argv.slice(2);
if (args.length === 1 && (args[0] === '-v' || args[0] === '--version')) {
  process.stdout.on('error', async (error) => (await import('./start.ts')).onLostOutput(error));
  process.stdout.write(`${XZ_VERSION}\n`);
} else process.exitCode = await (await import('./start.ts')).start(args);

export {};
