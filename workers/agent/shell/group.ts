// A process group that waits for its command, in a session of its own (so without a terminal), guarded by a pipe: when the
// other end closes, because xz was killed in whatever way, the guard kills the group. The group's number stays reserved
// until its first process is reaped here, so a signal can never reach a stranger.
import { type ChildProcess, spawn } from 'node:child_process';
import { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import { XzError } from '../../../store/errors.ts';

/**
 * fd 3: the guard's pipe; a line there means "all is over", its end means "kill"; the
 * guard alone holds it, so that its death is seen here. fd 4: the exit code, told as soon as the
 * command ends, whatever it left running. fd 5: the command, for `LOADER`; not fd 0, where bash takes a socket for a remote
 * login and reads the person's .bashrc. `cat` makes standard output a real pipe: /dev/stdout
 * cannot be opened when it is a socket. The frame's own remarks ("Terminated") go nowhere. The traps keep the frame alive
 * while the group is asked to end; the command itself has none of them. It is plain sh, which starts in less time.
 */
const FRAME = `
trap : TERM INT HUP QUIT
{ trap '' TERM INT HUP QUIT; read -r over <&3 || kill -KILL 0; } >/dev/null 2>&1 4>&- 5<&- &
guard=$!
exec 3<&-
{ trap : TERM INT HUP QUIT; (exec bash -c "$1" bash 2>&1 4>&-); printf '%s\\n' "$?" >&4; } 2>/dev/null | { trap '' TERM INT HUP QUIT; exec cat 4>&- 5<&-; }
exec >/dev/null 4>&- 5<&-
while kill -0 "$guard" 2>/dev/null; do wait "$guard"; done
`;

/** Seconds a shell waits for its command before it gives up. */
const PATIENCE_S = 60;
/** An older group is not given a command any more: well before its shell gives up, so that none is ever lost. */
export const FRESH_MS = 45_000;

/**
 * The shell of the command: it has started and loaded long before, and becomes `bash -c COMMAND` when that arrives, as its
 * length in bytes, itself, and a NUL. Read as a whole by length where bash can (from 4.1 on), else up to the NUL. On one line,
 * so that the command's line numbers are its own; not on the command line, so that \`pkill -f\` in a command does not find it.
 */
const LOADER = [
  `IFS= read -r -u 5 -t ${PATIENCE_S} XZ_COMMAND || exit 125`,
  `if ((BASH_VERSINFO[0] > 3)); then LC_ALL=C IFS= read -r -u 5 -N "$XZ_COMMAND" XZ_COMMAND; else IFS= read -r -u 5 -d '' XZ_COMMAND; fi || exit 125`,
  'exec 5<&-',
  'SECONDS=0',
  'eval "$XZ_COMMAND"',
].join('; ');

export interface GroupPlace {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

export class Group {
  readonly pid: number | undefined;
  /** What the command prints; nothing is read before somebody listens. */
  readonly output: Socket;
  /** Resolves with the command's exit code as soon as it has ended; with undefined when the group ended without telling one. */
  readonly status: Promise<number | undefined>;
  /** Resolves when the first process of the group is reaped, or could not be started. */
  readonly exited: Promise<void>;
  /** Resolves when the command's shell, the guard or the group's first process has ended: it is whole no more. */
  readonly broken: Promise<void>;
  /** Rejects when the group could not be started. */
  readonly failed: Promise<never>;
  readonly #child: ChildProcess;
  readonly #sockets: readonly Socket[];
  readonly #command: Socket;
  readonly #guard: Socket;
  #gone = false;
  #broken = false;

  constructor({ cwd, env }: GroupPlace) {
    const child = spawn('sh', ['-c', FRAME, 'xz', LOADER], {
      cwd,
      env: { ...env },
      detached: true,
      stdio: ['ignore', 'pipe', 'ignore', 'pipe', 'pipe', 'pipe'],
    });
    this.#child = child;
    this.pid = child.pid;
    const [, output, , guard, status, command]: readonly unknown[] = child.stdio;
    if (!isSocket(command) || !isSocket(output) || !isSocket(guard) || !isSocket(status))
      throw new XzError('internal', 'the shell has no pipes');
    this.#command = command;
    this.output = output;
    this.#guard = guard;
    this.#sockets = [command, output, guard, status];
    // The other end may be gone already: then there is nothing left to guard.
    for (const socket of this.#sockets) socket.on('error', () => {});
    this.exited = new Promise((resolve) => {
      const gone = () => {
        this.#gone = true;
        resolve();
      };
      child.once('exit', gone);
      child.once('error', gone);
    });
    this.failed = new Promise((_, reject) => {
      child.once('error', (error) =>
        reject(new XzError('internal', `the command could not be started: ${error.message}`, { cause: error })),
      );
    });
    // A group that nobody gave a command must not end the process.
    this.failed.catch(() => {});
    this.status = statusOf(status);
    const guardEnded = new Promise((resolve) => guard.resume().once('close', resolve));
    this.broken = Promise.race([this.status, guardEnded, this.exited]).then(() => {
      this.#broken = true;
    });
    this.#hold(false);
  }

  /** True while a command can be given to it. */
  get waiting(): boolean {
    return !this.gone && !this.#broken && this.pid !== undefined;
  }

  /** True once its first process is reaped: its number may then belong to somebody else. */
  get gone(): boolean {
    return this.#gone || this.#child.exitCode !== null || this.#child.signalCode !== null;
  }

  /** Runs the command; once. From now on the process does not end by itself before the group does. */
  begin(command: string): void {
    this.#hold(true);
    this.#command.end(`${Buffer.byteLength(command)}\n${command}\0`);
  }

  /** Tells the guard that nothing is left to guard; the group ends. */
  release(): void {
    this.#command.destroy();
    this.#guard.end('over\n');
  }

  /** Ends everything in it, whatever it ignores. Who waits for `exited` then does not wait in vain. */
  kill(): void {
    this.#hold(true);
    this.signal('SIGKILL');
    this.#command.destroy();
    this.#guard.destroy();
  }

  signal(signal: NodeJS.Signals): void {
    const { pid } = this;
    if (pid === undefined || pid <= 1 || this.gone) return;
    try {
      process.kill(-pid, signal);
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && (error.code === 'ESRCH' || error.code === 'EPERM'))) throw error;
    }
  }

  /** A group that only waits must not keep a process alive that has nothing more to do. */
  #hold(on: boolean): void {
    for (const handle of [this.#child, ...this.#sockets]) on ? handle.ref() : handle.unref();
  }
}

async function statusOf(status: Readable): Promise<number | undefined> {
  let text = '';
  status.setEncoding('latin1');
  try {
    for await (const chunk of status) {
      text += chunk;
      if (text.includes('\n')) break;
    }
  } catch (error) {
    // A pipe that breaks tells no code.
    if (!(error instanceof Error && 'code' in error)) throw error;
  }
  return /^\d+\n/.test(text) ? Number.parseInt(text, 10) : undefined;
}

function isSocket(stream: unknown): stream is Socket {
  return stream instanceof Socket;
}
