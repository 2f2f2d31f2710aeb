// One bad file in each store, met by two processes at once (A5): moved aside once and named, the others load, and no empty
// state is written over it.
import { readdirSync, utimesSync } from 'node:fs';
import { expect, test } from 'vitest';
import { modelEnv, startModelServer } from '../helpers/model-server.ts';
import { runXz } from '../helpers/run.ts';
import { tempWorkspace } from '../helpers/temp.ts';

test('two processes that start over bad files move each aside once, say so, and go on with the rest', async () => {
  const bad = {
    '.TASK/a.json': '{"id":"a","title":"a"}}=',
    '.Mailbox/Lead/new/b.json': '',
    '.Mailbox/ann/agent.json': '{"name":',
    '.MEMORY/.conflicts.json': '[',
  };
  const ws = tempWorkspace({
    files: {
      ...bad,
      'README.md': '# demo\n',
      '.TASK/good.json': '{"title":"good"}',
      '.Mailbox/Lead/new/good.json': '{"body":"a word","type":"task"}',
      '.MEMORY/work.md': '## tests\n\n- run them with npm test\n',
    },
  });
  for (const file of Object.keys(bad)) utimesSync(ws.path(file), new Date(0), new Date(0));
  const server = await startModelServer((body) => ({ text: JSON.stringify(body.messages).includes('a word') ? 'heard' : 'hello' }));
  const env = { ...modelEnv(server), XZ_MEMORY_ENABLED: 'true' };
  const runs = await Promise.all([1, 2].map(() => runXz(ws, ['once', 'hi', '--team', '--yes'], { env })));
  for (const run of runs) expect(run.code, run.err).toBe(0);
  expect(runs.map((run) => run.out).join('')).toContain('heard');
  const lists = await Promise.all([1, 2].map(() => runXz(ws, ['memory', 'resolve'], { env })));
  const tasks = await runXz(ws, ['task', 'list', '--json'], { env });
  expect(JSON.parse(tasks.out).items.map((task: { id: string }) => task.id)).toEqual(['good']);
  const told = [...runs, ...lists, tasks].map((run) => run.err).join('\n');
  for (const [file, text] of Object.entries(bad)) {
    const [, folder = '', name = ''] = /^(.*)\/([^/]+)$/.exec(file) ?? [];
    const kept = readdirSync(ws.path(folder)).filter((other) => other.startsWith(`${name}.bad-`));
    expect(kept, `${file}\n${told}`).toHaveLength(1);
    expect(ws.read(`${folder}/${kept[0]}`)).toBe(text);
    expect(ws.has(file), file).toBe(false);
    expect(told, file).toContain(name);
  }
  expect(ws.read('.MEMORY/work.md')).toBe('## tests\n\n- run them with npm test\n');
});
