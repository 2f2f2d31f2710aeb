// All commands of one agent: those it waits for and those in the background. Everything that is started here is ended by
// `closeAll`, or by its guard when xz dies first.
import type { Clock } from '../../../store/clock.ts';
import { XzError } from '../../../store/errors.ts';
import { pathExists } from '../../../store/files.ts';
import { randomId } from '../../../store/ids.ts';
import type { WatchCommand } from '../files/commands.ts';
import type { Outputs } from '../tools/outputs.ts';
import type { ToolContext } from '../tools/tool.ts';
import { type Environment, shellEnvironment } from './environment.ts';
import { type EndReason, type Shell, type ShellEnd, startShell } from './run.ts';
import { createSpares } from './spare.ts';
import { createSpool, type Spool } from './spool.ts';

/** A command that prints more is stopped. */
const MOST_OUTPUT_BYTES = 1_000_000_000;

export interface ShellDeps {
  readonly clock: Clock;
  /** What commands inherit, minus secrets; never read from the process itself. */
  readonly env: Environment;
  readonly workspace: string;
  /** The name whose lease this process holds (`ProcessName`); `hold` is called before the first command. */
  readonly process: { readonly name: string; hold(): void };
  /** Folder with the program `xz`. */
  readonly programFolder?: string;
  readonly outputs: Outputs;
  readonly secrets: () => readonly string[];
  readonly capBytes: () => number;
  /** Told of each command, since it may change any file. */
  readonly watchCommand?: WatchCommand;
  /** For tests of the flood. */
  readonly mostOutputBytes?: number;
}

export interface Run {
  readonly id: string;
  readonly command: string;
  readonly startedAt: number;
  readonly spool: Spool;
  readonly shell: Shell;
  /** Resolves when the command has ended and what it changed is known. */
  readonly settled: Promise<void>;
  /** Set when the command has ended. */
  end: ShellEnd | undefined;
}

export interface Shells {
  start(command: string, context: ToolContext): Run;
  /** Gives a run an id for later, `sh1`, `sh2`, … */
  keep(run: Run): string;
  kept(id: string): Run | undefined;
  /** Commands in the background that still run, and what finished commands left running. */
  running(): ReadonlyArray<{ readonly id: string; readonly command: string; readonly startedAt: number }>;
  /** Ends every group that was started here; resolves when all are gone. */
  closeAll(): Promise<void>;
}

export function createShells(deps: ShellDeps): Shells {
  const live = new Set<Run>();
  const background = new Map<string, Run>();
  const spares = createSpares(deps.clock, ({ cwd, agent }) => {
    const identity = { workspace: deps.workspace, agent, cwd, process: deps.process.name, shell: randomId(16) };
    const { programFolder } = deps;
    return { cwd, env: shellEnvironment(deps.env, programFolder === undefined ? identity : { ...identity, programFolder }) };
  });

  const start = (command: string, context: ToolContext): Run => {
    if (!pathExists(context.root)) throw new XzError('not_found', `the folder ${context.root} is gone, so nothing can be run in it`);
    deps.process.hold();
    const place = { cwd: context.root, agent: context.agent };
    const group = spares.take(place);
    const mark = randomId(16);
    const spool = createSpool(deps.outputs.fileFor(context.origin), deps.secrets());
    // From here on nothing fails: what is announced is taken back when the command ends.
    const watched = deps.watchCommand?.();
    let flooded = false;
    const shell = startShell(group, {
      command,
      shell: mark,
      clock: deps.clock,
      onOutput(chunk) {
        if (flooded) return;
        spool.write(chunk);
        flooded = spool.bytes > (deps.mostOutputBytes ?? MOST_OUTPUT_BYTES);
        if (flooded) void shell.stop('flood');
      },
      onOver: (sure) => (sure ? spares.giveBack(group, place) : group.release()),
    });
    const settle = async (end: ShellEnd | undefined): Promise<void> => {
      run.end = end;
      spool.end();
      if (end?.leftRunning !== true) live.delete(run);
      await watched?.();
    };
    const settled = shell.ended.then(settle, () => settle(undefined));
    // Whoever waits for the command hears of it; nobody has to wait for one in the background.
    settled.catch(() => undefined);
    const run: Run = { id: mark, command, startedAt: deps.clock.now(), spool, shell, settled, end: undefined };
    live.add(run);
    return run;
  };

  return {
    start,
    keep(run) {
      const id = `sh${background.size + 1}`;
      background.set(id, run);
      return id;
    },
    kept: (id) => background.get(id),
    running() {
      const idOf = (run: Run) => [...background].find(([, other]) => other === run)?.[0] ?? run.id;
      for (const run of live) if (run.end !== undefined && !run.shell.alive()) live.delete(run);
      return [...live].map((run) => ({ id: idOf(run), command: run.command, startedAt: run.startedAt }));
    },
    async closeAll() {
      await Promise.all([spares.close(), ...[...live].map((run) => run.shell.stop('stopped'))]);
      live.clear();
    },
  };
}

/** How a command ended, in words for the model; undefined for an ordinary end with exit code 0. */
export function endNote(end: ShellEnd | undefined, seconds: number): string | undefined {
  if (end === undefined) return '[the command could not be started]';
  const words: Readonly<Record<Exclude<EndReason, 'exit'>, string>> = {
    timeout: `[timed out after ${seconds} s and was killed; a longer timeout (at most 600) or background: true may help]`,
    stopped: '[stopped]',
    interrupted: '[interrupted; the command was killed]',
    flood: '[stopped: it printed more than 1 GB]',
  };
  if (end.reason !== 'exit') return words[end.reason];
  const left = end.leftRunning
    ? '[something it started still runs in the background and is ended when xz ends; its further output is not kept]'
    : undefined;
  const code =
    end.exitCode === undefined
      ? '[it ended without an exit code]'
      : end.exitCode === 0
        ? undefined
        : `[exit code ${end.exitCode}${signalNote(end.exitCode)}]`;
  return [code, left].filter((note) => note !== undefined).join('\n') || undefined;
}

/** Shells tell an end by signal N as 128 + N. */
function signalNote(code: number): string {
  return code > 128 && code < 160 ? `, killed by signal ${code - 128}` : '';
}
