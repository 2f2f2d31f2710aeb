// One command in a group of its own (`group.ts`): what it prints, how it ends, what it leaves running, and how it is stopped.
import type { Socket } from 'node:net';
import { type Clock, sleep } from '../../../store/clock.ts';
import type { Group } from './group.ts';
import { listProcesses, newestPid } from './process-list.ts';
import { killMarked } from './strays.ts';

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
  /** The mark in the group's environment, by which what left the group is found. */
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

/** Gives the command to a group that waits for one. */
export function startShell(group: Group, input: ShellInput): Shell {
  return new GuardedShell(group, input);
}

class GuardedShell implements Shell {
  readonly ended: Promise<ShellEnd>;
  readonly #group: Group;
  readonly #input: ShellInput;
  readonly #output: Socket;
  readonly #outputClosed: Promise<void>;
  readonly #started: number;
  /** The number given last to a process before the command began: all that the command starts comes after it. */
  readonly #newest: number | undefined;
  #lastOutput = 0;
  #listening = true;
  #stopReason: EndReason | undefined;
  #stopping: Promise<void> | undefined;

  constructor(group: Group, input: ShellInput) {
    this.#group = group;
    this.#input = input;
    this.#output = group.output;
    this.#started = input.clock.now();
    this.#newest = newestPid();
    group.output.on('data', (chunk: Buffer) => {
      this.#lastOutput = input.clock.now();
      if (this.#listening) input.onOutput(chunk);
    });
    this.#outputClosed = new Promise((resolve) => group.output.once('close', resolve));
    this.ended = Promise.race([group.failed, this.#watch()]);
    // A command that is stopped before anybody waits for it must not end the process.
    this.ended.catch(() => {});
    group.begin(input.command);
  }

  alive(): boolean {
    return !this.#group.gone;
  }

  stop(reason: Exclude<EndReason, 'exit'>): Promise<void> {
    this.#stopReason ??= reason;
    return (this.#stopping ??= this.#end());
  }

  async #watch(): Promise<ShellEnd> {
    const code = await Promise.race([this.#group.status, this.#group.exited.then(() => undefined)]);
    if (this.#stopping !== undefined) await this.#stopping;
    else await this.#drain();
    if (this.#stopReason !== undefined) {
      await this.#stopping;
      return { reason: this.#stopReason, exitCode: undefined, leftRunning: false };
    }
    const leftRunning = this.#leftRunning();
    this.#listening = false;
    if (!leftRunning) this.#group.release();
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

  #leftRunning(all = false): boolean {
    if (this.#group.gone) return false;
    if (!this.#output.closed && !this.#output.readableEnded) return true;
    // Without /proc only the text can tell; the guard then stays, which costs a process and loses nothing.
    return this.#hasBackground(all) ?? /&\s*(\)|;|\n|$)|nohup|setsid|disown/.test(this.#input.command);
  }

  /** Whether the group holds anything but the frame and its own parts, or `all` also the command's shell; undefined without /proc. */
  #hasBackground(all = false): boolean | undefined {
    const frame = this.#group.pid;
    const newest = newestPid();
    return listProcesses(all ? 0 : this.#oldest(newest), newest)?.some(
      ({ pid, parent, group, zombie }) => group === frame && pid !== frame && parent !== frame && !zombie,
    );
  }

  /** A number below which nothing can be that the command started: numbers go up, until they run out. */
  #oldest(newest: number | undefined): number {
    // In so short a time no machine counts once round all its numbers.
    const young = this.#input.clock.now() - this.#started < ROUND_MS;
    return young && this.#newest !== undefined && (newest ?? 0) >= this.#newest ? this.#newest : 0;
  }

  async #end(): Promise<void> {
    const { clock } = this.#input;
    const { exited } = this.#group;
    this.#group.signal('SIGTERM');
    const done = new AbortController();
    await Promise.race([this.#outputClosed.then(() => this.#waitEmpty(done.signal)), exited, sleep(clock, GRACE_MS, done.signal)]);
    done.abort();
    this.#group.kill();
    killMarked(this.#input.shell);
    await Promise.race([Promise.all([exited, this.#outputClosed]), sleep(clock, GRACE_MS)]);
    this.#output.destroy();
  }

  async #waitEmpty(signal: AbortSignal): Promise<void> {
    // The shell of the command is older than the command.
    while (!signal.aborted && this.#leftRunning(true)) await sleep(this.#input.clock, 20, signal);
  }
}
