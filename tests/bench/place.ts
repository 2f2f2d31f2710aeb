// Where a figure is measured: a fresh workspace and HOME, a model behind a real port that answers at once, and the
// built program as a process whose memory and requests are watched.
import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openAiStream, type Reply } from '../helpers/model-reply.ts';
import type { SentBody } from '../helpers/model-server.ts';

export interface Place {
  readonly dir: string;
  readonly env: Readonly<Record<string, string>>;
  remove(): void;
}

/** A workspace with a git repository of one commit. No variable of this machine's but the PATH reaches what runs in it. */
export function makePlace(): Place {
  const base = mkdtempSync(join(realpathSync(tmpdir()), 'xz-bench-'));
  const dir = join(base, 'ws');
  mkdirSync(dir);
  writeFileSync(join(dir, 'README.md'), '# bench\n');
  const env = {
    PATH: process.env.PATH ?? '/usr/bin:/bin',
    HOME: base,
    XZ_HOME: join(base, '.xz'),
    LANG: 'C.UTF-8',
    TZ: 'UTC',
    GIT_CONFIG_NOSYSTEM: '1',
  };
  const git = (...args: string[]) => execFileSync('git', ['-c', 'user.name=b', '-c', 'user.email=b@localhost', ...args], { cwd: dir, env });
  git('init', '-q', '-b', 'main');
  git('add', '-A');
  git('commit', '-qm', 'start');
  return { dir, env, remove: () => rmSync(base, { recursive: true, force: true, maxRetries: 3 }) };
}

export interface BenchModel {
  /** Variables that make xz use it. */
  readonly env: Readonly<Record<string, string>>;
  /** Address for a bare request. */
  readonly url: string;
  stop(): void;
}

/** Answers with what `respond` says, whole in one write, after `delayMs`; `hang` never ends. `at` is when the request had arrived, ms. */
export async function startBenchModel(respond: (body: SentBody, at: number) => Reply): Promise<BenchModel> {
  const server = createServer((request, response) => {
    const pieces: Buffer[] = [];
    request.on('data', (piece: Buffer) => pieces.push(piece));
    request.on('end', () => {
      const at = performance.now();
      const text = Buffer.concat(pieces).toString('utf8');
      const reply = respond(JSON.parse(text), at);
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      if (reply.cut === 'hang') return response.flushHeaders();
      const send = () => response.end([...openAiStream(reply, 'bench', text.length)].join(''));
      if (reply.delayMs) setTimeout(send, reply.delayMs);
      else send();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const url = `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}/v1`;
  return {
    url,
    env: { XZ_PROVIDER: 'custom', XZ_MODEL: 'bench', XZ_BASE_URL: url, XZ_API_KEY: 'bench' },
    stop() {
      server.close();
      server.closeAllConnections();
    },
  };
}

export interface Started {
  readonly pid: number;
  /** When it was started, ms. */
  readonly at: number;
  write(text: string): void;
  /** Calls `listen` for each piece that is printed; only with `stdout`. */
  onOut(listen: (text: string) => void): void;
  signal(name: NodeJS.Signals): void;
  /** Milliseconds from start to end; rejects when it fails and that was not asked for. */
  readonly ended: Promise<number>;
}

export interface StartOptions {
  readonly env?: Readonly<Record<string, string>>;
  /** Any exit code will do. */
  readonly mayFail?: true;
  /** Keep stdin open for `write`; otherwise there is none. */
  readonly stdin?: true;
  /** Read what is printed; otherwise it goes nowhere. */
  readonly stdout?: true;
}

/** Starts node with the arguments in the place. */
export function startNode(place: Place, args: readonly string[], { env = {}, mayFail, stdin, stdout }: StartOptions = {}): Started {
  const at = performance.now();
  const child = spawn(process.execPath, args, {
    cwd: place.dir,
    env: { ...place.env, ...env },
    stdio: [stdin ? 'pipe' : 'ignore', stdout ? 'pipe' : 'ignore', 'pipe'],
  });
  let said = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (said = (said + text).slice(-2_000)));
  // A process that ends before it has read its input closes the pipe.
  child.stdin?.on('error', () => undefined);
  const ended = new Promise<number>((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code) =>
      code === 0 || mayFail === true ? resolve(performance.now() - at) : reject(new Error(`${args.join(' ')} ended with ${code}: ${said}`)),
    );
  });
  return {
    pid: child.pid ?? 0,
    at,
    write: (text) => void child.stdin?.write(text),
    onOut: (listen) => void child.stdout?.setEncoding('utf8').on('data', listen),
    signal: (name) => void child.kill(name),
    ended,
  };
}

/** Runs node to its end; milliseconds. */
export function runNode(place: Place, args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<number> {
  return startNode(place, args, { env }).ended;
}

/** A field of proc(5) `status` in megabytes: `VmRSS` now, `VmHWM` at its highest. NaN where there is no such file. */
export function memoryOf(pid: number, field: 'VmRSS' | 'VmHWM'): number {
  try {
    const found = new RegExp(`^${field}:\\s+(\\d+)`, 'm').exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
    return Number(found?.[1]) / 1024;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return Number.NaN;
    throw error;
  }
}
