// One scheduled run as a process of its own: `xz once --json` of this same program, in a process group with a guard that
// ends the group when the daemon's end of a pipe closes. So a run never outlives the process that claimed its slot, and
// a row that says `interrupted` is true.
import { type ChildProcess, spawn } from 'node:child_process';
import type { Readable } from 'node:stream';
import { Type } from 'typebox';
import { type Clock, sleep } from '../../store/clock.ts';
import { errnoOf } from '../../store/errors.ts';
import { type Claim, type RunResult, wakeupText } from '../../store/schedule/task.ts';
import { parserOf } from '../../store/schema.ts';

/**
 * `sh` leads the group. Its guard reads the pipe on fd 3: a line there never comes, its end means that the daemon is
 * gone. The traps keep `sh` alive while the group is asked to end; the program itself has none of them.
 */
const FRAME = `
guard() { trap '' TERM INT HUP; read -r line <&3 && exit; kill -TERM 0; sleep 2; kill -KILL 0; }
guard >/dev/null 2>&1 &
trap : TERM INT HUP
"$@" 3<&-
code=$?
kill -KILL $! 2>/dev/null
exit $code
`;

/** From asking a group to end to ending it. */
const GRACE_MS = 1_500;
/** A run with a time limit ends itself; this much later it is ended. */
const LATE_MS = 30_000;
const MOST_OUTPUT = 8_000_000;
const MOST_ERRORS = 20_000;

const onceParser = parserOf(
  Type.Object({
    session: Type.String(),
    text: Type.String(),
    stopReason: Type.String(),
    costUsd: Type.Union([Type.Number(), Type.Null()]),
  }),
  'the output of xz once',
);

export interface ChildInput {
  readonly claim: Claim;
  readonly workspace: string;
  /** Program and leading arguments: node and the main script. */
  readonly program: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
  /** Ends the run: it is asked, then killed. */
  readonly signal: AbortSignal;
}

/** The arguments of the run, as the schedule says. */
function onceArguments({ task, execution }: Claim, workspace: string): string[] {
  const args = ['once', '--json', '--workspace', workspace];
  if (task.mode !== undefined) args.push('--mode', task.mode);
  if (task.team) args.push('--team');
  if (task.timeoutSeconds !== undefined) args.push('--timeout', String(task.timeoutSeconds));
  if (task.maxCostUsd !== undefined) args.push('--max-cost', String(task.maxCostUsd));
  return [...args, `[Scheduled Task: ${wakeupText({ task, execution })}]`];
}

/** Runs the claim to its end. Never rejects for what the run does. */
export async function runChild({ claim, workspace, program, env, clock, signal }: ChildInput): Promise<RunResult> {
  const child = spawn('sh', ['-c', FRAME, 'xz', ...program, ...onceArguments(claim, workspace)], {
    cwd: workspace,
    // What a tool shell left in the environment is not for this run; which task woke it is kept with its request.
    env: { ...env, XZ_AGENT: undefined, XZ_WORKSPACE: undefined, XZ_WAKEUP: claim.task.id },
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
  });
  const stdout = collected(child.stdout, MOST_OUTPUT);
  const stderr = collected(child.stderr, MOST_ERRORS);
  // The guard's end is only ever closed; an error on it means that the group is gone already.
  child.stdio[3]?.on('error', () => undefined);
  const closed = new Promise<number | string>((resolve) => {
    child.once('error', (error) => resolve(error.message));
    child.once('close', (code, killedBy) => resolve(code ?? killedBy ?? 'gone'));
  });
  const over = new AbortController();
  const stop = () => void end(child, clock, over.signal);
  if (signal.aborted) stop();
  signal.addEventListener('abort', stop, { once: true });
  const { timeoutSeconds } = claim.task;
  if (timeoutSeconds !== undefined) void sleep(clock, timeoutSeconds * 1000 + LATE_MS, over.signal).then((late) => late && stop());
  const code = await closed;
  over.abort();
  signal.removeEventListener('abort', stop);
  return resultOf(code, stdout(), stderr(), signal.aborted);
}

function resultOf(code: number | string, stdout: string, stderr: string, stopped: boolean): RunResult {
  const told = parsed(stdout);
  const base = { output: told?.text ?? stdout.trim(), session: told?.session, costUsd: told?.costUsd ?? undefined };
  if (code === 0) return { ...base, status: 'success' };
  const reason = told === undefined || told.stopReason === 'done' ? [] : [`stopped: ${told.stopReason}`];
  const error = [...reason, stderr.trim()].filter((part) => part !== '').join('\n') || `ended with ${code}`;
  const interrupted = stopped || told?.stopReason === 'interrupted' || code === 130;
  return { ...base, status: interrupted ? 'interrupted' : 'failed', error: stopped ? `xz was stopped while it ran\n${error}` : error };
}

function parsed(stdout: string) {
  const line = stdout.trim().split('\n').at(-1) ?? '';
  try {
    return onceParser.parseJson(line);
  } catch {
    // A run that was killed, or wrong use, prints no result: its other output is the report then.
    return undefined;
  }
}

/** The last `most` characters that a stream brought. */
function collected(stream: Readable | null, most: number): () => string {
  let text = '';
  stream?.setEncoding('utf8').on('data', (chunk: string) => {
    text = (text + chunk).slice(-most);
  });
  return () => text;
}

async function end(child: ChildProcess, clock: Clock, over: AbortSignal): Promise<void> {
  signalGroup(child, 'SIGTERM');
  if (await sleep(clock, GRACE_MS, over)) signalGroup(child, 'SIGKILL');
}

/** The group's number is reserved until its leader is reaped here, so a signal reaches no stranger. */
function signalGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  try {
    process.kill(-child.pid, signal);
  } catch (error) {
    if (errnoOf(error) !== 'ESRCH') throw error;
  }
}

/** How this program is started again: node and the main script. */
export function thisProgram(): readonly string[] {
  return [process.execPath, process.argv[1] ?? ''];
}
