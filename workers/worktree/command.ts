// Runs a set-up or gate command to its end: guarded and grouped like every shell of xz (workers/agent/shell/), with
// a time limit, and with nothing of it left running afterwards.
import { type Clock, sleep } from '../../store/clock.ts';
import { errorMessage } from '../../store/errors.ts';
import { randomId } from '../../store/ids.ts';
import type { ProcessName } from '../../store/process.ts';
import { shellEnvironment } from '../agent/shell/environment.ts';
import { Group } from '../agent/shell/group.ts';
import { startShell } from '../agent/shell/run.ts';

/** Who runs commands, and what they inherit. */
export interface CommandSetting {
  /** The caller's environment; secrets and git's location variables are left out of what the command sees. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly workspace: string;
  readonly agent: string;
  /** The name this process holds for life, by which strays are found at the next start. */
  readonly process: Pick<ProcessName, 'name' | 'hold'>;
  readonly clock: Clock;
  readonly signal?: AbortSignal | undefined;
}

export interface CommandResult {
  /** Exit code; undefined when it was ended from here, or could not be started. */
  readonly code: number | undefined;
  /** What it printed on both streams: the head and the tail when it is long. */
  readonly output: string;
  readonly ended: 'exit' | 'timeout' | 'interrupted' | 'unrunnable';
  readonly ms: number;
}

/** Bytes of output kept: so many from the start, so many from the end. */
const KEEP_HEAD = 20_000;
const KEEP_TAIL = 60_000;

/** Runs `command` in `cwd` for at most `seconds`; never throws. */
export async function runCommand(command: string, cwd: string, seconds: number, setting: CommandSetting): Promise<CommandResult> {
  const { clock, signal } = setting;
  const started = clock.now();
  const kept = keepEnds();
  const done = (code: number | undefined, ended: CommandResult['ended']): CommandResult => ({
    code,
    output: kept.text(),
    ended,
    ms: clock.now() - started,
  });
  if (signal?.aborted) return done(undefined, 'interrupted');
  setting.process.hold();
  const mark = randomId(16);
  const identity = { workspace: setting.workspace, agent: setting.agent, cwd, process: setting.process.name, shell: mark };
  const over = new AbortController();
  try {
    const group = new Group({ cwd, env: shellEnvironment(setting.env, identity) });
    const shell = startShell(group, { command, shell: mark, clock, onOutput: kept.add });
    signal?.addEventListener('abort', () => void shell.stop('interrupted'), { once: true, signal: over.signal });
    void sleep(clock, seconds * 1000, over.signal).then((late) => (late ? shell.stop('timeout') : undefined));
    const { reason, exitCode, leftRunning } = await shell.ended;
    // What the command left in the background has no business in a worktree that is reset next.
    if (leftRunning) await shell.stop('stopped');
    if (reason === 'timeout' || reason === 'interrupted') return done(undefined, reason);
    return done(exitCode, exitCode === 126 || exitCode === 127 ? 'unrunnable' : 'exit');
  } catch (error) {
    kept.add(Buffer.from(errorMessage(error)));
    return done(undefined, 'unrunnable');
  } finally {
    over.abort();
  }
}

/** Keeps the first and the last bytes of a stream, so that a flood costs no memory. */
function keepEnds(): { add(chunk: Buffer): void; text(): string } {
  let head = Buffer.alloc(0);
  const tail: Buffer[] = [];
  let tailBytes = 0;
  let total = 0;
  return {
    add(chunk) {
      total += chunk.length;
      const room = Math.max(0, KEEP_HEAD - head.length);
      if (room > 0) head = Buffer.concat([head, chunk.subarray(0, room)]);
      if (chunk.length <= room) return;
      tail.push(chunk.subarray(room));
      tailBytes += chunk.length - room;
      for (let first = tail[0]; first !== undefined && tailBytes - first.length >= KEEP_TAIL; first = tail[0]) {
        tail.shift();
        tailBytes -= first.length;
      }
    },
    text() {
      const left = total - head.length - tailBytes;
      const cut = left > 0 ? `\n… ${left} bytes left out …\n` : '';
      return head.toString('utf8') + cut + Buffer.concat(tail).toString('utf8');
    },
  };
}
