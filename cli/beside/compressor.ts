// Finds the compressor called `xz` on the PATH and runs it in our place.
import { spawn } from 'node:child_process';
import { accessSync, closeSync, constants, openSync, readSync, realpathSync, statSync } from 'node:fs';
import { constants as system } from 'node:os';
import { delimiter, dirname, join } from 'node:path';

/** Folders already tried, handed on in the environment: a wrapper script that leads back to us must not loop. */
const TRIED = 'XZ_BESIDE_TRIED';

type Environment = Readonly<Record<string, string | undefined>>;

/** The next `xz` on the PATH that is not `self`: a binary if there is one, else another script. */
export function findCompressor(env: Environment, self: string): string | undefined {
  const tried = new Set((env[TRIED] ?? '').split(delimiter));
  let script: string | undefined;
  for (const folder of (env.PATH ?? '').split(delimiter)) {
    if (!folder || tried.has(folder)) continue;
    const file = join(folder, 'xz');
    const kind = kindOf(file, self);
    if (kind === 'binary') return file;
    if (kind === 'script') script ??= file;
  }
  return script;
}

function kindOf(file: string, self: string): 'binary' | 'script' | undefined {
  try {
    accessSync(file, constants.X_OK);
    const real = realpathSync(file);
    // `bin/xz` beside the program is itself again, for tool shells.
    if (!statSync(file).isFile() || real === self || real === join(dirname(self), 'bin', 'xz')) return undefined;
    const fd = openSync(file, 'r');
    const head = Buffer.alloc(2);
    const read = readSync(fd, head, 0, 2, 0);
    closeSync(fd);
    return read === 2 && head.toString() === '#!' ? 'script' : 'binary';
  } catch {
    // Whatever cannot be looked at cannot be run either: the next folder is asked.
    return undefined;
  }
}

/** Runs the compressor with our own streams; resolves to what this process must end with. */
export function runCompressor(file: string, args: readonly string[], env: Environment): Promise<number> {
  const folder = file.slice(0, file.lastIndexOf('/'));
  const child = spawn(file, args, { stdio: 'inherit', env: { ...env, [TRIED]: [env[TRIED], folder].filter(Boolean).join(delimiter) } });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => child.kill(signal));
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('exit', (code, signal) => resolve(signal ? 128 + system.signals[signal] : (code ?? 1)));
  });
}
