// Runs a set-up or gate command: `bash -c` in a process group of its own, with a time limit, its input at end of file.
// Beside it a reader holds a pipe whose other end is ours; when xz dies, even by SIGKILL, that reader ends the group.
import { spawn } from 'node:child_process';
import type { Writable } from 'node:stream';
import { type Clock, sleep } from '../../store/clock.ts';
import { errnoOf, errorMessage } from '../../store/errors.ts';

export interface CommandInput {
  readonly command: string;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly timeoutMs: number;
  readonly clock: Clock;
  readonly signal?: AbortSignal | undefined;
}

export interface CommandResult {
  /** Exit code; null when it was ended by a signal, the time limit or an interrupt. */
  readonly code: number | null;
  /** What it printed on both streams, in order of arrival: the head and the tail when it is long. */
  readonly output: string;
  readonly ended: 'exit' | 'timeout' | 'interrupted' | 'unrunnable';
  readonly ms: number;
}

/** Bytes of output kept: so many from the start, so many from the end. */
const KEEP_HEAD = 20_000;
const KEEP_TAIL = 60_000;

/** How long a group that was asked to end is given (ms). */
const GRACE_MS = 1_000;

// $$ is the group: the shell is started as its leader. The reader is ended when the command is.
const WATCHED =
  '{ read -r _ <&3; kill -KILL -- "-$$"; } </dev/null >/dev/null 2>&1 & r=$!; bash -c "$1" 3<&- </dev/null; c=$?; kill -KILL "$r" 2>/dev/null; exit "$c"';

/** Runs a command to its end; never throws. Nothing of its group is left when it resolves. */
export async function runCommand(input: CommandInput): Promise<CommandResult> {
  const { clock, signal } = input;
  const started = clock.now();
  const kept = keepEnds();
  const done = (code: number | null, ended: CommandResult['ended']): CommandResult => ({
    code,
    output: kept.text(),
    ended,
    ms: clock.now() - started,
  });
  if (signal?.aborted) return done(null, 'interrupted');
  const child = spawn('bash', ['-c', WATCHED, 'xz', input.command], {
    cwd: input.cwd,
    env: { ...input.env },
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
  });
  child.stdout?.on('data', kept.add);
  child.stderr?.on('data', kept.add);
  const lifeline = child.stdio[3];
  lifeline?.on('error', ignoreClosedPipe);

  const exited = new Promise<number | null | Error>((resolve) => {
    child.once('error', resolve);
    child.once('exit', (code) => resolve(code));
  });
  const closed = new Promise<void>((resolve) => {
    child.once('close', () => resolve());
    child.once('error', () => resolve());
  });

  const limit = new AbortController();
  const late = sleep(clock, input.timeoutMs, limit.signal).then((whole) => (whole ? ('timeout' as const) : new Promise<never>(() => {})));
  const stopped = new Promise<'interrupted'>((resolve) =>
    signal?.addEventListener('abort', () => resolve('interrupted'), { once: true, signal: limit.signal }),
  );
  const first = await Promise.race([exited, late, stopped]);
  limit.abort();
  if (first === 'timeout' || first === 'interrupted') {
    endGroup(child.pid, 'SIGTERM');
    const grace = new AbortController();
    await Promise.race([exited, sleep(clock, GRACE_MS, grace.signal)]);
    grace.abort();
  }
  // What the command left running in its group ends with it; otherwise its pipes would stay open.
  endGroup(child.pid, 'SIGKILL');
  await closed;
  if (isWritable(lifeline)) lifeline.destroy();
  if (first === 'timeout' || first === 'interrupted') return done(null, first);
  if (first instanceof Error) {
    kept.add(Buffer.from(errorMessage(first)));
    return done(null, 'unrunnable');
  }
  return done(first, first === 126 || first === 127 ? 'unrunnable' : 'exit');
}

function ignoreClosedPipe(error: Error): void {
  // The reader is gone, as it is after every command; there is nobody to tell.
  if (!['EPIPE', 'ECONNRESET'].includes(errnoOf(error) ?? '')) throw error;
}

function isWritable(stream: unknown): stream is Writable {
  return typeof stream === 'object' && stream !== null && 'destroy' in stream;
}

function endGroup(pid: number | undefined, signal: NodeJS.Signals): void {
  if (pid === undefined || pid <= 1) return;
  try {
    process.kill(-pid, signal);
  } catch (error) {
    if (errnoOf(error) !== 'ESRCH' && errnoOf(error) !== 'EPERM') throw error;
  }
}

/** Keeps the first and the last bytes of a stream, so that a flood costs no memory. */
function keepEnds(): { add(chunk: Buffer): void; text(): string } {
  let head = Buffer.alloc(0);
  let tail = Buffer.alloc(0);
  let total = 0;
  return {
    add(chunk) {
      total += chunk.length;
      const room = KEEP_HEAD - head.length;
      if (room > 0) head = Buffer.concat([head, chunk.subarray(0, room)]);
      const rest = room > 0 ? chunk.subarray(room) : chunk;
      if (rest.length > 0) tail = Buffer.concat([tail, rest]).subarray(-KEEP_TAIL);
    },
    text() {
      const left = total - head.length - tail.length;
      const cut = left > 0 ? `\n… ${left} bytes left out …\n` : '';
      return head.toString('utf8') + cut + tail.toString('utf8');
    },
  };
}
