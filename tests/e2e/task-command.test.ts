import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { runXz, startXz } from '../helpers/run.ts';
import { tempWorkspace, type Workspace } from '../helpers/temp.ts';
import { until } from '../helpers/until.ts';

/** 200 in the full run (`XZ_TEST_FULL=1`). */
const PARALLEL = process.env.XZ_TEST_FULL ? 200 : 24;

async function xz(workspace: Workspace, ...args: string[]) {
  const { code, out, err } = await runXz(workspace, ['task', ...args]);
  return { code, out, err, lines: out.trimEnd().split('\n') };
}

describe('xz task', () => {
  it('creates, lists what can be done next first, updates, shows, archives', async () => {
    const ws = tempWorkspace();
    expect((await xz(ws, 'list')).out).toContain('No task here yet');
    expect(ws.git('status', '--porcelain')).toBe('');
    await xz(ws, 'create', 'Lexer', '--description', 'src/lex.ts');
    await xz(ws, 'create', '解析器', '--blocked-by', 'lex', '--priority', 'high');
    const { lines } = await xz(ws, 'list');
    expect(lines).toEqual(['○ lexer   Lexer  ready', '· 解析器         waits: lexer · high', '1 ready · 1 waiting']);
    expect(await xz(ws, 'update', '解', 'in_progress')).toMatchObject({ code: 1, err: expect.stringContaining('waits for lexer') });
    await xz(ws, 'update', 'lexer', 'high');
    await xz(ws, 'update', 'lexer', 'completed', '--note', 'by hand');
    expect((await xz(ws, 'show', 'lexer')).out).toMatch(/State +completed[\s\S]*Note +by hand[\s\S]*src\/lex\.ts/);
    expect((await xz(ws, 'list', '--ready')).lines[0]).toContain('解析器');
    expect((await xz(ws, 'archive', 'lexer')).err).toContain('still needed by "解析器"');
    await xz(ws, 'update', '解析器', 'completed');
    expect((await xz(ws, 'archive', '解析器')).out).toBe('archived 解析器, lexer\n');
    expect((await xz(ws, 'list')).out).toContain('No unfinished task');
    expect((await xz(ws, 'list', '--all')).lines).toHaveLength(3);
    expect(ws.git('status', '--porcelain')).toBe('');
  });

  it('speaks JSON in the shape of every list', async () => {
    const ws = tempWorkspace({ git: false });
    await xz(ws, 'create', 'a');
    const made: unknown = JSON.parse((await xz(ws, 'create', 'b', '--blocked-by', 'a', '--json')).out);
    expect(made).toMatchObject({ id: 'b', ready: false, waitingFor: ['a'] });
    const list: unknown = JSON.parse((await xz(ws, 'list', '--json', '--limit', '1', '--page', '2')).out);
    expect(list).toMatchObject({ page: 2, perPage: 1, total: 2, totalPages: 2, hasNext: false, hasPrev: true });
    expect(list).toMatchObject({
      items: [
        { id: 'b', state: 'pending', priority: 'normal', blockedBy: ['a'], attempts: 0, failures: [], ready: false, waitingFor: ['a'] },
      ],
    });
    expect(JSON.parse((await xz(ws, 'graph', '--json')).out)).toMatchObject({ edges: [{ from: 'a', to: 'b' }], criticalPath: ['a', 'b'] });
  });

  it('refuses wrong use with exit 2 and names what is there', async () => {
    const ws = tempWorkspace({ git: false });
    await xz(ws, 'create', 'ab');
    await xz(ws, 'create', 'abc');
    expect(await xz(ws, 'update', 'ab', 'bogus')).toMatchObject({ code: 2 });
    expect(await xz(ws, 'update', 'ab', '--state', 'bogus')).toMatchObject({ code: 2 });
    expect(await xz(ws, 'update', 'ab', 'high', '--priority', 'low')).toMatchObject({ code: 2 });
    expect(await xz(ws, 'update', 'ab')).toMatchObject({ code: 2 });
    expect(await xz(ws, 'list', '--state', 'bogus')).toMatchObject({ code: 2 });
    expect(await xz(ws, 'create', ' ')).toMatchObject({ code: 2 });
    expect(await xz(ws, 'show', 'a')).toMatchObject({ code: 1, err: expect.stringContaining('not unique: ab') });
    expect(await xz(ws, 'show', '../ab')).toMatchObject({ code: 1 });
    expect(await xz(ws, 'update', 'ab', 'high')).toMatchObject({ code: 0 });
    expect(await xz(ws, 'create', 'x', '--blocked-by', 'zz')).toMatchObject({ code: 1, err: expect.stringContaining('no task "zz"') });
    expect(await xz(ws, 'clear')).toMatchObject({ code: 2, err: expect.stringContaining('--yes') });
    expect((await xz(ws, 'list')).lines).toHaveLength(3);
  });

  it('draws the graph with states and the critical path, escaped for each language', async () => {
    const ws = tempWorkspace({ git: false });
    await xz(ws, 'create', 'a "quoted" <b>');
    await xz(ws, 'create', 'side');
    await xz(ws, 'create', 'end', '--blocked-by', 'a-quoted-b,side');
    await xz(ws, 'update', 'side', 'completed');
    const tree = (await xz(ws, 'graph')).lines;
    expect(tree).toEqual([
      '○ a-quoted-b ★  a "quoted" <b>  ready',
      '└ · end ★  pending',
      '✓ side  completed',
      '└ · end ★  ↑',
      '',
      '★ critical path: a-quoted-b → end',
    ]);
    const mermaid = (await xz(ws, 'graph', '--format', 'mermaid')).out;
    expect(mermaid).toContain('t0["○ a-quoted-b: a #34;quoted#34; #60;b#62;"]:::ready');
    expect(mermaid).toContain('t0 ==> t1');
    const dot = (await xz(ws, 'graph', '--format', 'dot')).out;
    expect(dot).toContain('label="○ a-quoted-b: a \\"quoted\\" <b>"');
    expect(dot).toContain('t0 -> t1 [penwidth=3];');
  });

  it('speaks Chinese', async () => {
    const ws = tempWorkspace({ git: false });
    await xz(ws, 'create', '写文档', '--lang', 'zh');
    expect((await xz(ws, 'list', '--lang', 'zh')).lines).toEqual(['○ 写文档  可开始', '可开始 1']);
    expect((await xz(ws, 'show', '写', '--lang', 'zh')).out).toContain('状态');
  });

  it('clears after keeping a copy', async () => {
    const ws = tempWorkspace({ git: false });
    await xz(ws, 'create', 'a');
    const { out } = await xz(ws, 'clear', '--yes', '--json');
    const cleared: unknown = JSON.parse(out);
    expect(cleared).toMatchObject({ removed: 1, snapshot: expect.stringContaining('.snapshots') });
    expect(readdirSync(ws.path('.TASK/.snapshots'))).toHaveLength(1);
    expect((await xz(ws, 'list', '--all')).out).toContain('No task here yet');
  });

  it('names a bad file on stderr, moves it aside, and lists the others', async () => {
    const ws = tempWorkspace({ git: false });
    await xz(ws, 'create', 'good');
    ws.write('.TASK/bad.json', '{"title":"bad"}}=');
    const past = new Date(Date.now() - 10_000);
    const { utimesSync } = await import('node:fs');
    utimesSync(ws.path('.TASK/bad.json'), past, past);
    const { out, err, code } = await xz(ws, 'list');
    expect(code).toBe(0);
    expect(err).toContain('bad.json');
    expect(out).toContain('good');
    expect((await xz(ws, 'list')).err).toBe('');
  });

  it('watches: shows the list again when somebody edits a file, and ends on a signal', async () => {
    const ws = tempWorkspace({ git: false });
    await xz(ws, 'create', 'a');
    const watching = startXz(ws, ['task', 'watch']);
    await until(() => watching.out().includes('○ a'));
    ws.write('.TASK/a.json', ws.read('.TASK/a.json').replace('"pending"', '"failed"'));
    await until(() => watching.out().includes('✗ a'));
    watching.kill('SIGINT');
    expect((await watching.ended).code).toBe(130);
  });

  it(`makes ${PARALLEL} tasks of ${PARALLEL} parallel creations with the same title`, async () => {
    const ws = tempWorkspace({ git: false });
    const made = await Promise.all(
      Array.from({ length: PARALLEL }, () => runXz(ws, ['task', 'create', 'same title'], { timeoutMs: 300_000 })),
    );
    expect(made.map(({ code, err }) => (code === 0 ? '' : err)).filter((err) => err !== '')).toEqual([]);
    const files = readdirSync(ws.path('.TASK')).filter((name) => name.endsWith('.json'));
    expect(files).toHaveLength(PARALLEL);
    for (const name of files)
      expect(JSON.parse(readFileSync(ws.path(`.TASK/${name}`), 'utf8'))).toMatchObject({ title: 'same title', id: name.slice(0, -5) });
    expect(readdirSync(ws.path('.TASK')).filter((name) => name.endsWith('.tmp'))).toEqual([]);
  }, 300_000);
});
