// Every command the README shows is run, in its order, in one fresh workspace with a model on loopback.
import { execFile, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { leadOf } from '../fixtures/team-model.ts';
import type { Reply } from '../helpers/model-reply.ts';
import { type ModelServer, modelEnv, type SentBody, sentText, startModelServer } from '../helpers/model-server.ts';
import { shownIn, withoutWords } from '../helpers/readme.ts';
import { MAIN } from '../helpers/run.ts';
import { tempWorkspace, type Workspace } from '../helpers/temp.ts';
import { HAS_TMUX, startTmux } from '../helpers/tmux.ts';
import { until } from '../helpers/until.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const english = shownIn('README.md');
const chinese = shownIn('README.zh-CN.md');

/** A teammate writes a file on its branch, and nobody merges it: `xz team merge ann` is shown as what comes then. */
function model(body: SentBody): Reply {
  if (body.tools === undefined) return { text: 'Title' };
  const called = body.messages.some((message) => message.tool_calls !== undefined);
  if (!leadOf(body)) return called ? { text: 'done' } : { calls: [write] };
  if (called || !body.messages.some((message) => /missing modules|缺失的模块/.test(sentText(message)))) return { text: 'ok' };
  return { calls: [{ name: 'spawn_teammate', args: { name: 'ann', task: 'write x.txt', worktree: true } }] };
}
const write = { name: 'write_file', args: { path: 'x.txt', content: 'x\n' } };

interface Place {
  readonly ws: Workspace;
  readonly server: ModelServer;
  readonly env: Readonly<Record<string, string>>;
}

/** Commands that do not end by themselves, or that are tested where they belong. */
const APART: Readonly<Record<string, (place: Place) => Promise<void> | void>> = {
  xz: (place) => atTerminal(place, 'xz', /STATUS/, ['/exit', 'Enter']),
  'xz config setup': (place) => atTerminal(place, 'xz config setup', /Kimi|kimi/, ['C-c']),
  'xz --daemon': runDaemon,
  // tests/e2e/demo.test.ts plays it.
  'npm run demo': () => undefined,
  // tests/e2e/package.test.ts installs, as npm does from the folder: what is in the package, and nothing else.
  'npm ci': () => undefined,
  'npm install -g .': () => undefined,
};

async function atTerminal({ ws, env }: Place, command: string, shows: RegExp, leave: readonly string[]): Promise<void> {
  if (!HAS_TMUX) return;
  // tmux gives its panes the PATH of its own start.
  const terminal = startTmux(`export PATH='${env.PATH}'; ${command}; echo "exit=$?"; exec bash --norc`, {
    cwd: ws.dir,
    env: { ...env, TERM: 'screen-256color' },
  });
  onTestFinished(() => terminal.close());
  await terminal.shows(shows);
  terminal.keys(...leave);
  await terminal.shows(/exit=\d/);
  terminal.close();
}

async function runDaemon({ ws, env }: Place): Promise<void> {
  const daemon = spawn('xz', ['--daemon'], { cwd: ws.dir, env, stdio: 'ignore' });
  const ended = new Promise<number | null>((resolve) => daemon.once('exit', resolve));
  try {
    await until(async () => JSON.parse((await shell('xz daemon status --json', ws, env)).out).running === true, 'the daemon to run');
  } finally {
    daemon.kill('SIGTERM');
  }
  expect(await ended).toBe(0);
}

function shell(command: string, ws: Workspace, env: Readonly<Record<string, string>>): Promise<{ code: number; out: string }> {
  return new Promise((resolve) => {
    const child = execFile('bash', ['-c', command], { cwd: ws.dir, env, timeout: 60_000 }, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : Number(error.code ?? -1), out: stdout + (error === null ? '' : stderr) }),
    );
    child.stdin?.end();
  });
}

/** The README's own address of a model stands for the one on loopback. */
const atLoopback = (command: string, server: ModelServer) => command.replace('http://localhost:8000/v1', server.url);

describe('the README', () => {
  test('says the same in both languages: the same sections and the same commands, but for the words of a person', () => {
    expect(chinese.headings).toEqual(english.headings);
    expect(chinese.blocks.map((block) => block.map(withoutWords))).toEqual(english.blocks.map((block) => block.map(withoutWords)));
    expect(new Set(chinese.inline)).toEqual(new Set(english.inline));
    expect(new Set(chinese.scripts)).toEqual(new Set(english.scripts));
  });

  test('names only npm scripts that there are', () => {
    const { scripts }: { scripts: Record<string, string> } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
    const ofNpm = ['install', 'ci', 'pack', 'i'];
    expect(english.scripts.filter((name) => scripts[name] === undefined && !ofNpm.includes(name))).toEqual([]);
  });

  test.each([
    ['English', english],
    ['Chinese', chinese],
  ])(
    'every command of the %s one does what it says',
    async (_language, shown) => {
      const server = await startModelServer(model);
      const ws = tempWorkspace();
      const bin = join(MAIN, '..', 'bin');
      const env = { ...ws.env, ...modelEnv(server), PATH: `${bin}:${ws.env.PATH}`, XZ_NODE: process.execPath };
      const place = { ws, server, env };
      for (const command of [...shown.blocks.flat(), ...shown.inline.filter((text) => !/NAME|ID|DIR|…/.test(text))]) {
        const apart = APART[command];
        if (apart !== undefined) {
          await apart(place);
          continue;
        }
        const { code, out } = await shell(atLoopback(command, server), ws, env);
        expect(code, `${command}\n${out}`).toBe(0);
      }
      expect(ws.read('x.txt')).toBe('x\n');
    },
    180_000,
  );
});
