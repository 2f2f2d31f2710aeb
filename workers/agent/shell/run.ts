// One command in a process group of its own, in a session of its own (so without a terminal), guarded by a pipe: when the
// other end closes, because xz was killed in whatever way, the guard kills the group. The group's number stays reserved
// until its first process is reaped here, so a signal can never reach a stranger.
import { type ChildProcess, spawn } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { type Clock, sleep } from '../../../store/clock.ts';
import { XzError } from '../../../store/errors.ts';
import { listProcesses, newestPid } from './process-list.ts';
import { killMarked } from './strays.ts';

/**
 * fd 3: the guard's pipe; a line there means "all is over", its end means "kill". fd 4: the exit code, told as soon as the
 * command ends, whatever it left running. `cat` makes standard output a real pipe: /dev/stdout cannot be opened when it
 * is a socket. The frame's own remarks ("Terminated") go nowhere. The traps keep the frame alive while the group is asked to end; the command itself has none of them.
 */
const FRAME = `
trap : TERM INT HUP QUIT
{ trap '' TERM INT HUP QUIT; read -r -u 3 || kill -KILL 0; } >/dev/null 2>&1 4>&- &
guard=$!
{ trap : TERM INT HUP QUIT; bash -c "$1" 2>&1 3<&- 4>&-; printf '%s\\n' "$?" >&4; } 2>/dev/null | { trap '' TERM INT HUP QUIT; exec cat 3<&- 4>&-; }
exec >/dev/null 4>&-
while kill -0 "$guard" 2>/dev/null; do wait "$guard"; done
`;

/** From asking a group to end to ending it. */
export const GRACE_MS = 1_000;
/** Output that came before the end of the command is read until it is quiet for so long. */
const QUIET_MS = 60;
const LONGEST_DRAIN_MS = 1_000;
/** The same where nobody of the group holds the pipe: only a child in a session of its own may then. */
const LONGEST_UNHELD_MS = 3_000;
/** For so long the numbers of processes are sure to go up. */
const ROUND_MS = 500;

export type EndReason = 'exit' | 'timeout' | 'stopped' | 'interrupted' | 'flood';

export interface ShellEnd {
  readonly reason: EndReason;
  /** Undefined when the command was killed from here. */
  readonly exitCode: number | undefined;
  /** True when the command started something that still runs. */
  readonly leftRunning: boolean;
}

export interface ShellInput {
  readonly command: string;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** The mark in `env`, by which what left the group is found. */
  readonly shell: string;
  readonly clock: Clock;
  onOutput(chunk: Buffer): void;
}

export interface Shell {
  /** Resolves when the command has ended and its output is read; never rejects except when it could not be started. */
  readonly ended: Promise<ShellEnd>;
  /** True while the command or something it started runs. */
  alive(): boolean;
  /** Ends the whole group: asks, waits a second, kills. Resolves when nothing of it is left. */
  stop(reason: Exclude<EndReason, 'exit'>): Promise<void>;
}

/** Starts a command. */
export function startShell(input: ShellInput): Shell {
  const child = spawn('bash', ['-c', FRAME, 'xz', input.command], {
    cwd: input.cwd,
    env: { ...input.env },
    detached: true,
    stdio: ['ignore', 'pipe', 'ignore', 'pipe', 'pipe'],
  });
  return new GuardedShell(child, input);
}

class GuardedShell implements Shell {
  readonly ended: Promise<ShellEnd>;
  readonly #child: ChildProcess;
  readonly #input: ShellInput;
  readonly #guard: Writable;
  readonly #output: Readable;
  readonly #exited: Promise<void>;
  readonly #outputClosed: Promise<void>;
  readonly #started: number;
  #gone = false;
  #lastOutput = 0;
  #listening = true;
  #stopReason: EndReason | undefined;
  #stopping: Promise<void> | undefined;

  constructor(child: ChildProcess, input: ShellInput) {
    this.#child = child;
    this.#started = input.clock.now();
    this.#input = input;
    const [, output, , guard, status] = child.stdio;
    if (!isReadable(output) || !isWritable(guard) || !isReadable(status)) throw new XzError('internal', 'the shell has no pipes');
    this.#output = output;
    this.#guard = guard;
    // The other end may be gone already: then there is nothing left to guard.
    guard.on('error', () => {});
    output.on('error', () => {});
    output.on('data', (chunk: Buffer) => {
      this.#lastOutput = input.clock.now();
      if (this.#listening) input.onOutput(chunk);
    });
    this.#outputClosed = new Promise((resolve) => output.once('close', resolve));
    this.#exited = new Promise((resolve) => {
      const gone = () => {
        this.#gone = true;
        resolve();
      };
      child.once('exit', gone);
      child.once('error', gone);
    });
    const failed = new Promise<never>((_, reject) => {
      child.once('error', (error) =>
        reject(new XzError('internal', `the command could not be started: ${error.message}`, { cause: error })),
      );
    });
    this.ended = Promise.race([failed, this.#watch(statusOf(status))]);
    // A command that is stopped before anybody waits for it must not end the process.
    this.ended.catch(() => {});
  }

  alive(): boolean {
    return !this.#gone;
  }

  stop(reason: Exclude<EndReason, 'exit'>): Promise<void> {
    this.#stopReason ??= reason;
    return (this.#stopping ??= this.#end());
  }

  async #watch(status: Promise<number | undefined>): Promise<ShellEnd> {
    const code = await Promise.race([status, this.#exited.then(() => undefined)]);
    if (this.#stopping !== undefined) await this.#stopping;
    else await this.#drain();
    if (this.#stopReason !== undefined) {
      await this.#stopping;
      return { reason: this.#stopReason, exitCode: undefined, leftRunning: false };
    }
    const leftRunning = this.#leftRunning();
    this.#listening = false;
    if (!leftRunning) this.#guard.end('over\n');
    return { reason: 'exit', exitCode: code, leftRunning };
  }

  /**
   * Reads what was printed before the end. A child in the background may hold the pipe open for ever; where there is none
   * the last bytes are still on their way through `cat`, however busy the machine, and are waited for.
   */
  async #drain(): Promise<void> {
    const { clock } = this.#input;
    const started = clock.now();
    const closed = this.#outputClosed.then(() => true);
    for (;;) {
      if (await Promise.race([closed, sleep(clock, QUIET_MS).then(() => false)])) return;
      const waited = clock.now() - started;
      const held = this.#hasBackground() !== false;
      if (held && (clock.now() - this.#lastOutput >= QUIET_MS || waited > LONGEST_DRAIN_MS)) return;
      if (waited > LONGEST_UNHELD_MS) return;
    }
  }

  #leftRunning(): boolean {
    if (this.#gone) return false;
    if (!this.#output.closed && !this.#output.readableEnded) return true;
    // Without /proc only the text can tell; the guard then stays, which costs a process and loses nothing.
    return this.#hasBackground() ?? /&\s*(\)|;|\n|$)|nohup|setsid|disown/.test(this.#input.command);
  }

  /** Whether the group holds anything but the frame and its own parts; undefined without /proc. */
  #hasBackground(): boolean | undefined {
    const frame = this.#child.pid;
    return listProcesses(this.#oldest())?.some(
      ({ pid, parent, group, zombie }) => group === frame && pid !== frame && parent !== frame && !zombie,
    );
  }

  /** A number below which no process of the group can be: what it started counts on from its own, until numbers run out. */
  #oldest(): number {
    const { pid = 0 } = this.#child;
    // In so short a time no machine counts once round all its numbers.
    const young = this.#input.clock.now() - this.#started < ROUND_MS;
    return young && (newestPid() ?? 0) >= pid ? pid : 0;
  }

  async #end(): Promise<void> {
    const { clock } = this.#input;
    this.#signal('SIGTERM');
    const done = new AbortController();
    await Promise.race([this.#outputClosed.then(() => this.#waitEmpty(done.signal)), this.#exited, sleep(clock, GRACE_MS, done.signal)]);
    done.abort();
    this.#signal('SIGKILL');
    this.#guard.destroy();
    killMarked(this.#input.shell);
    await Promise.race([Promise.all([this.#exited, this.#outputClosed]), sleep(clock, GRACE_MS)]);
    this.#output.destroy();
  }

  async #waitEmpty(signal: AbortSignal): Promise<void> {
    while (!signal.aborted && this.#leftRunning()) await sleep(this.#input.clock, 20, signal);
  }

  #signal(signal: NodeJS.Signals): void {
    const { pid } = this.#child;
    // Once its first process is reaped the number may belong to somebody else.
    if (pid === undefined || pid <= 1 || this.#gone || this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    try {
      process.kill(-pid, signal);
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && (error.code === 'ESRCH' || error.code === 'EPERM'))) throw error;
    }
  }
}

async function statusOf(status: Readable): Promise<number | undefined> {
  let text = '';
  status.setEncoding('latin1');
  for await (const chunk of status) {
    text += chunk;
    if (text.includes('\n')) break;
  }
  return /^\d+\n/.test(text) ? Number.parseInt(text, 10) : undefined;
}

function isReadable(stream: unknown): stream is Readable {
  return typeof stream === 'object' && stream !== null && 'read' in stream;
}

function isWritable(stream: unknown): stream is Writable {
  return typeof stream === 'object' && stream !== null && 'write' in stream;
}
