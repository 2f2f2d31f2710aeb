// A process group that waits for its command, in a session of its own (so without a terminal), guarded by a pipe: when the
// other end closes, because xz was killed in whatever way, the guard kills the group. The group's number stays reserved
// until its first process is reaped here, so a signal can never reach a stranger.
import { type ChildProcess, spawn } from 'node:child_process';
import { Socket } from 'node:net';
import { XzError } from '../../../store/errors.ts';

/**
 * fd 3: the guard's pipe; a line there means "all is over", its end means "kill"; the guard alone holds it, so that its death
 * is seen here. fd 4: for each command its exit code, told as soon as it ends, whatever it left running, and an empty line when
 * all that it printed is written. fd 5: the commands, for `LOADER`; not fd 0, where bash takes a socket for a remote login and
 * reads the person's .bashrc. `cat` makes standard output a real pipe: /dev/stdout cannot be opened when it is a socket. The
 * frame's own remarks ("Terminated") go nowhere. The traps keep the frame alive while the group is asked to end; a command has
 * none of them. It is plain sh, which starts in less time.
 */
const FRAME = `
trap : TERM INT HUP QUIT
trap over=1 USR1
{ trap '' TERM INT HUP QUIT USR1; read -r over <&3 || kill -KILL 0; } >/dev/null 2>&1 4>&- 5<&- &
guard=$!
exec 3<&-
over=
while [ -z "$over" ]; do
{ trap : TERM INT HUP QUIT; (exec bash -c "$1" bash "$$" 2>&1 4>&-); printf '%s\\n' "$?" >&4; } 2>/dev/null | { trap '' TERM INT HUP QUIT; exec cat 4>&- 5<&-; }
echo >&4
done
exec >/dev/null 4>&- 5<&-
while kill -0 "$guard" 2>/dev/null; do wait "$guard"; done
`;

/** Seconds a shell waits for its command before it gives up. */
const PATIENCE_S = 60;
/** An older group is not given a command any more: well before its shell gives up, so that none is ever lost. */
export const FRESH_MS = 45_000;
/** Commands a group is given at most: whatever gathers in so long a life is let go with it. */
const MOST_COMMANDS = 100;

/**
 * The shell of the command: it has started and loaded long before, and becomes `bash -c COMMAND` when that arrives, as its
 * mark, its length in bytes, itself, and a NUL (which the next one's read leaves out). Read as a whole by length where bash can (from 4.1 on), else up to the NUL. On one line,
 * so that the command's line numbers are its own; not on the command line, so that \`pkill -f\` in a command does not find it.
 */
const LOADER = [
  `IFS= read -r -u 5 -t ${PATIENCE_S} XZ_SHELL && IFS= read -r -u 5 XZ_COMMAND || { kill -USR1 "$1"; exit 125; }`,
  'set --',
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
  /** Resolves when no more output can come from any command. */
  readonly outputClosed: Promise<void>;
  /** Resolves when the first process of the group is reaped, or could not be started. */
  readonly exited: Promise<void>;
  /** Resolves when the guard, the first process, or a shell that had no command has ended: it is whole no more. */
  readonly broken: Promise<void>;
  /** Rejects when the group could not be started. */
  readonly failed: Promise<never>;
  readonly #child: ChildProcess;
  readonly #sockets: readonly Socket[];
  readonly #command: Socket;
  readonly #guard: Socket;
  #gone = false;
  #broken = false;
  #commands = 0;
  /** The command that runs, until all of it is written. */
  #current: Running | undefined;

  constructor({ cwd, env }: GroupPlace) {
    const child = spawn('sh', ['-c', FRAME, 'xz', LOADER], {
      cwd,
      env: { ...env },
      detached: true,
      stdio: ['ignore', 'pipe', 'ignore', 'pipe', 'pipe', 'pipe'],
    });
    this.#child = child;
    this.pid = child.pid;
    // Before all else: an error that nobody hears ends the process, also where nothing below is reached.
    child.on('error', () => {});
    // In a process that may open no more files a child has no list of pipes at all.
    const pipes: readonly unknown[] | undefined = child.stdio;
    const [, output, , guard, status, command] = pipes ?? [];
    if (!isSocket(command) || !isSocket(output) || !isSocket(guard) || !isSocket(status))
      throw new XzError('internal', 'the command could not be started: its shell got no pipes, as with too many open files');
    this.#command = command;
    this.output = output;
    this.outputClosed = new Promise((resolve) => output.once('close', resolve));
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
    const guardEnded = new Promise((resolve) => guard.resume().once('close', resolve));
    this.broken = Promise.race([this.#listen(status), guardEnded, this.exited]).then(() => {
      this.#broken = true;
    });
    this.#hold(false);
  }

  /** True while a command can be given to it. */
  get waiting(): boolean {
    return !this.gone && !this.#broken && this.#current === undefined && this.#commands < MOST_COMMANDS && this.pid !== undefined;
  }

  /** True once its first process is reaped: its number may then belong to somebody else. */
  get gone(): boolean {
    return this.#gone || this.#child.exitCode !== null || this.#child.signalCode !== null;
  }

  /** Runs a command; the next one when this is over. Until `rest` the process does not end by itself before the group does. */
  begin(command: string, mark: string): Told {
    this.#hold(true);
    this.#commands++;
    const code = promised<number | undefined>();
    const written = promised<void>();
    this.#current = { code: code.resolve, written: written.resolve };
    this.#command.write(`${mark}\n${Buffer.byteLength(command)}\n${command}\0`);
    return { code: code.promise, written: written.promise };
  }

  /** Nothing runs in it, and there may be another command. */
  rest(): void {
    this.#hold(false);
  }

  /** There is no other command; what this one left running goes on, and is guarded. */
  close(): void {
    this.#command.destroy();
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

  /** Resolves at a word that no command is behind, or when there are no more words. */
  #listen(status: Socket): Promise<void> {
    let text = '';
    return new Promise((resolve) => {
      status.setEncoding('latin1').on('data', (piece: string) => {
        text += piece;
        for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n')) {
          const line = text.slice(0, end);
          text = text.slice(end + 1);
          const running = this.#current;
          if (running === undefined) resolve();
          else if (line !== '') running.code(Number.parseInt(line, 10));
          else {
            this.#current = undefined;
            // Whoever would have told its code was killed.
            running.code(undefined);
            running.written();
          }
        }
      });
      status.once('close', () => {
        this.#current?.code(undefined);
        resolve();
      });
    });
  }

  /** A group that only waits must not keep a process alive that has nothing more to do. */
  #hold(on: boolean): void {
    for (const handle of [this.#child, ...this.#sockets]) on ? handle.ref() : handle.unref();
  }
}

/** What the frame tells of one command. */
export interface Told {
  /** Its exit code as soon as it has ended; undefined when the group ended without telling one. */
  readonly code: Promise<number | undefined>;
  /** Resolves when nobody holds its output any more and all of it is in the pipe to here. */
  readonly written: Promise<void>;
}

interface Running {
  code(code: number | undefined): void;
  written(): void;
}

function promised<T>(): { readonly promise: Promise<T>; resolve(value: T): void } {
  let resolve: (value: T) => void = () => {};
  const promise = new Promise<T>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}

function isSocket(stream: unknown): stream is Socket {
  return stream instanceof Socket;
}
