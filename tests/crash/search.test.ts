// Many processes on one database, and processes killed in the middle: nothing is lost, nothing is "locked", and an index
// never claims what it does not hold.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { beforeAll, expect, test } from 'vitest';
import { columnNumber, openDatabase } from '../../store/database/database.ts';
import { storeSchemas } from '../../store/schemas.ts';
import { checkHistory, searchHistory } from '../../store/search/history.ts';
import { checkKnowledge, refreshKnowledge } from '../../store/search/knowledge.ts';
import { sessionsSchema } from '../../store/sessions/schema.ts';
import { testDatabase } from '../helpers/database.ts';
import { testLayout } from '../helpers/layout.ts';
import { buildProgram } from '../helpers/program.ts';
import { runXz } from '../helpers/run.ts';
import { tempWorkspace } from '../helpers/temp.ts';

/** How long the crowd works; XZ_CROWD_MS=20000 for the long run. */
const CROWD_MS = Number(process.env.XZ_CROWD_MS ?? 3_000);

let program = '';
beforeAll(async () => {
  program = await buildProgram('search-worker');
});

interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly out: string;
  readonly err: string;
}

function worker(root: string, ...args: string[]): Promise<Ended> {
  const child = spawn(process.execPath, [program, '--root', root, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  const printed = { out: '', err: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => (printed.out += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (printed.err += text));
  return new Promise((resolve) => child.once('close', (code, signal) => resolve({ code, signal, ...printed })));
}

test('six writers and readers on one database: nothing lost, nobody locked out', async () => {
  const ws = tempWorkspace({ git: false, files: { '.MEMORY/work.md': '## crowd\n\nthe crowd remembers\n' } });
  const roles = ['write', 'read', 'write', 'read', 'write', 'read'];
  const ended = await Promise.all(roles.map((role, n) => worker(ws.dir, '--role', role, '--name', `w${n}`, '--ms', String(CROWD_MS))));
  expect(ended.map(({ code, err }) => [code, err])).toEqual(roles.map(() => [0, '']));
  const layout = testLayout(ws.dir);
  const db = openDatabase(layout.database, storeSchemas);
  for (const [n, { out }] of ended.entries()) {
    const { done } = JSON.parse(out);
    expect(done).toBeGreaterThan(0);
    // One word: of two, a writer that came to fewer than ten would be found beside all the others.
    if (roles[n] === 'write') expect((await searchHistory(db, `w${n}`, {}, { limit: 1, offset: 0 })).total).toBe(done);
  }
  expect(checkHistory(db)).toEqual([]);
  expect(checkKnowledge(db, layout)).toEqual([]);
  expect(db.connection.pragma('integrity_check', { simple: true })).toBe('ok');
  db.close();
}, 120_000);

test('four starters migrate an old database at once, and all of them answer', async () => {
  const ws = tempWorkspace({ git: false, files: {} });
  const file = testLayout(ws.dir).database;
  openDatabase(file, [sessionsSchema]).close();
  const runs = await Promise.all(['list', 'list', 'list', 'list'].map((command) => runXz(ws, ['history', command, '--json'])));
  expect(runs.map(({ code, err }) => [code, err])).toEqual(runs.map(() => [0, '']));
  const db = openDatabase(file, storeSchemas);
  expect(columnNumber(db.sql('select count(*) as n from store_versions').get(), 'n')).toBe(storeSchemas.length);
  db.close();
});

test('a process killed at any commit of a migration leaves steps and versions that agree', async () => {
  const steps = storeSchemas.reduce((sum, { migrations }) => sum + migrations.length, 0);
  for (const at of [1, Math.ceil(steps / 2), steps]) {
    const { dir } = tempWorkspace({ git: false, files: {} });
    const killed = await worker(dir, '--fault', `kill:${at}:agent.db`);
    expect(killed.signal).toBe('SIGKILL');
    const file = testLayout(dir).database;
    if (existsSync(file)) testDatabase(file).db.close();
    expect((await worker(dir, '--role', 'none')).code).toBe(0);
  }
}, 60_000);

test('a process killed while it indexes leaves nothing unindexed for good', async () => {
  for (const at of [3, 8, 15]) {
    const ws = tempWorkspace({ git: false, files: {} });
    for (let n = 0; n < 6; n++) ws.write(`.MEMORY/topic-${n}.md`, `## topic ${n}\n\nthe walrus of file ${n}\n`);
    const layout = testLayout(ws.dir);
    const { db: filling, talk } = testDatabase(layout.database);
    talk(
      't',
      Array.from({ length: 1_200 }, (_, n) => `walrus message ${n}`),
    );
    filling.close();
    // Operations on the database: opening, then begin and commit of each transaction.
    const killed = await worker(ws.dir, '--role', 'read', '--ms', '5000', '--fault', `kill:${at}:agent.db`);
    expect(killed.signal).toBe('SIGKILL');
    const db = openDatabase(layout.database, storeSchemas);
    expect((await searchHistory(db, 'walrus', {}, { limit: 1, offset: 0 })).total).toBe(1_200);
    refreshKnowledge(db, layout, Date.now());
    expect(checkHistory(db)).toEqual([]);
    expect(checkKnowledge(db, layout)).toEqual([]);
    expect(columnNumber(db.sql('select count(*) as n from knowledge_files').get(), 'n')).toBe(6);
    db.close();
  }
}, 60_000);

test('with SQLite unloadable, what needs no database works, and what does names the fix', async () => {
  const ws = tempWorkspace({ files: { '.MEMORY/work.md': '## a\n\nwalrus\n' } });
  testDatabase(testLayout(ws.dir).database).db.close();
  const without = (name: string) => {
    const file = ws.path(`without-${name}.cjs`);
    ws.write(
      `without-${name}.cjs`,
      `const M=require('node:module'),load=M._load;M._load=function(id,...rest){if(id.startsWith('${name}'))throw Object.assign(new Error('The module was compiled against a different Node.js version'),{code:'ERR_DLOPEN_FAILED'});return load.call(this,id,...rest)};`,
    );
    return { env: { NODE_OPTIONS: `--require=${file}` } };
  };
  for (const args of [['--version'], ['config'], ['memory', 'get', '.MEMORY/work.md'], ['memory', 'list'], ['task', 'list']])
    expect([args, (await runXz(ws, args, without('better-sqlite3'))).code]).toEqual([args, 0]);
  const failed = await runXz(ws, ['history', 'list'], without('better-sqlite3'));
  expect(failed.code).toBe(1);
  expect(failed.err).toMatch(/SQLite .* cannot be loaded[\s\S]*npm run setup/);
  const words = await runXz(ws, ['memory', 'search', 'walrus', '--json'], without('sqlite-vec'));
  expect([words.code, JSON.parse(words.out).total, JSON.parse(words.out).way]).toEqual([0, 1, 'keyword']);
  expect(words.err).toContain('sqlite-vec');
}, 60_000);
