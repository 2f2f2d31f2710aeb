// Runs the built program, dist/main.js, as a person or a script would.
import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import type { Workspace } from './temp.ts';

export const MAIN = join(import.meta.dirname, '..', '..', 'dist', 'main.js');

export interface RunOptions {
  /** Laid over the workspace's environment; undefined removes a variable. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** What stdin holds; then it ends. */
  readonly input?: string;
  /** Kills the program when it hangs. Default 60 s. */
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
  readonly cwd?: string;
  /** Another main file than dist/main.js. */
  readonly main?: string;
}

export interface RunResult {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly out: string;
  readonly err: string;
  /** True when the time limit killed it. */
  readonly late: boolean;
}

export interface Running {
  readonly child: ChildProcess;
  readonly pid: number;
  /** What it has printed so far. */
  out(): string;
  err(): string;
  write(text: string): void;
  kill(signal?: NodeJS.Signals): void;
  readonly ended: Promise<RunResult>;
}

/** Starts xz and lets it run; stdin stays open until `input` is given or the caller ends it. */
export function startXz(workspace: Pick<Workspace, 'dir' | 'env'>, args: readonly string[], options: RunOptions = {}): Running {
  const env = Object.fromEntries(Object.entries({ ...workspace.env, ...options.env }).filter(([, value]) => value !== undefined));
  const child = spawn(process.execPath, [options.main ?? MAIN, ...args], {
    cwd: options.cwd ?? workspace.dir,
    env,
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  const printed = { out: '', err: '' };
  let late = false;
  child.stdout.setEncoding('utf8').on('data', (text: string) => (printed.out += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (printed.err += text));
  // A program that ends before it has read its input closes the pipe; that is its right.
  child.stdin.on('error', () => undefined);
  if (options.input !== undefined) child.stdin.end(options.input);
  const onAbort = () => child.kill('SIGKILL');
  options.signal?.addEventListener('abort', onAbort, { once: true });
  const timer = setTimeout(() => {
    late = true;
    child.kill('SIGKILL');
  }, options.timeoutMs ?? 60_000);
  const ended = new Promise<RunResult>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => {
      clearTimeout(timer);
      options.signal?.removeEventListener('abort', onAbort);
      resolve({ code, signal, ...printed, late });
    });
  });
  return {
    child,
    pid: child.pid ?? 0,
    out: () => printed.out,
    err: () => printed.err,
    write: (text) => void child.stdin.write(text),
    kill: (signal = 'SIGKILL') => void child.kill(signal),
    ended,
  };
}

/** Runs xz to its end with stdin at end of file. */
export function runXz(workspace: Pick<Workspace, 'dir' | 'env'>, args: readonly string[], options: RunOptions = {}): Promise<RunResult> {
  return startXz(workspace, args, { ...options, input: options.input ?? '' }).ended;
}
