// One command in a group of its own (`group.ts`): what it prints, how it ends, what it leaves running, and how it is stopped.
import type { Socket } from 'node:net';
import { type Clock, sleep } from '../../../store/clock.ts';
import type { Group, Told } from './group.ts';
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
  /** Called when nothing of the command is left: whether there was a way to see that, and so another may follow in the group. Default: the group ends. */
  onOver?(sure: boolean): void;
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
  readonly #told: Told;
  /** Resolves when all output is read, or nothing more can come. */
  readonly #outputDone: Promise<void>;
  #written = false;
  /** The group is not this command's any more. */
  #over = false;
  readonly #onData: (chunk: Buffer) => void;
  readonly #started: number;
  /** The number given last to a process before the command began: all that the command starts comes after it. */
  readonly #newest: number | undefined;
  #lastOutput = 0;
  #chunks = 0;
  #listening = true;
  #stopReason: EndReason | undefined;
  #stopping: Promise<void> | undefined;

  constructor(group: Group, input: ShellInput) {
    this.#group = group;
    this.#input = input;
    this.#output = group.output;
    this.#started = input.clock.now();
    this.#newest = newestPid();
    this.#onData = (chunk) => {
      this.#lastOutput = input.clock.now();
      this.#chunks++;
      if (this.#listening) input.onOutput(chunk);
    };
    group.output.on('data', this.#onData);
    this.#told = group.begin(input.command, input.shell);
    const written = this.#told.written.then(() => this.#settled());
    this.#outputDone = Promise.race([written, group.outputClosed]).then(() => {
      this.#written = true;
    });
    this.ended = Promise.race([group.failed, this.#watch()]);
    // A command that is stopped before anybody waits for it must not end the process.
    this.ended.catch(() => {});
  }

  alive(): boolean {
    return !this.#over && !this.#group.gone;
  }

  stop(reason: Exclude<EndReason, 'exit'>): Promise<void> {
    if (this.#over) return Promise.resolve();
    this.#stopReason ??= reason;
    return (this.#stopping ??= this.#end());
  }

  async #watch(): Promise<ShellEnd> {
    const code = await Promise.race([this.#told.code, this.#group.exited.then(() => undefined)]);
    if (this.#stopping !== undefined) await this.#stopping;
    else await this.#drain();
    if (this.#stopReason !== undefined) {
      await this.#stopping;
      return { reason: this.#stopReason, exitCode: undefined, leftRunning: false };
    }
    const background = this.#hasBackground();
    const leftRunning = this.#leftRunning(background);
    this.#listening = false;
    if (leftRunning) this.#group.close();
    else this.#giveUp(background === false && !this.#group.gone);
    return { reason: 'exit', exitCode: code, leftRunning };
  }

  /**
   * Reads what was printed before the end. A child in the background may hold the pipe open for ever; where there is none
   * the last bytes are still on their way through `cat`, however busy the machine, and are waited for.
   */
  async #drain(): Promise<void> {
    const { clock } = this.#input;
    const started = clock.now();
    const closed = this.#outputDone.then(() => true);
    for (;;) {
      if (await Promise.race([closed, sleep(clock, QUIET_MS).then(() => false)])) return;
      const waited = clock.now() - started;
      const held = this.#hasBackground() !== false;
      if (held && (clock.now() - this.#lastOutput >= QUIET_MS || waited > LONGEST_DRAIN_MS)) return;
      if (waited > LONGEST_UNHELD_MS) return;
    }
  }

  /** What was written before the word of it is in the pipe: a turn of the loop that reads nothing has read all. */
  async #settled(): Promise<void> {
    for (let before = -1; before !== this.#chunks; ) {
      before = this.#chunks;
      for (const _ of [0, 1]) await new Promise((resolve) => setImmediate(resolve));
    }
  }

  #giveUp(sure: boolean): void {
    this.#over = true;
    this.#output.off('data', this.#onData);
    if (this.#input.onOver === undefined) this.#group.release();
    else this.#input.onOver(sure);
  }

  #leftRunning(background = this.#hasBackground()): boolean {
    if (this.#group.gone) return false;
    if (!this.#written) return true;
    // Without /proc only the text can tell; the guard then stays, which costs a process and loses nothing.
    return background ?? /&\s*(\)|;|\n|$)|nohup|setsid|disown/.test(this.#input.command);
  }

  /** Whether the command left anything in the group: what has lost its parent there. Undefined without /proc. */
  #hasBackground(): boolean | undefined {
    const frame = this.#group.pid;
    const newest = newestPid();
    const mine = listProcesses(this.#oldest(newest), newest)?.filter(({ group }) => group === frame);
    const within = new Set([frame, ...(mine ?? []).map(({ pid }) => pid)]);
    return mine?.some(({ pid, parent, zombie }) => pid !== frame && !zombie && !within.has(parent));
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
    await Promise.race([this.#outputDone.then(() => this.#waitEmpty(done.signal)), exited, sleep(clock, GRACE_MS, done.signal)]);
    done.abort();
    this.#group.kill();
    killMarked(this.#input.shell);
    await Promise.race([Promise.all([exited, this.#outputDone]), sleep(clock, GRACE_MS)]);
    this.#output.destroy();
  }

  async #waitEmpty(signal: AbortSignal): Promise<void> {
    while (!signal.aborted && this.#leftRunning()) await sleep(this.#input.clock, 20, signal);
  }
}
