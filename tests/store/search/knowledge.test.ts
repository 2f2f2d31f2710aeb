// The knowledge index follows its files: by content, in whole files, also after a crash, and proves itself.
import { renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { columnNumber } from '../../../store/database/database.ts';
import { installFaultHook } from '../../../store/faults.ts';
import type { Layout } from '../../../store/layout.ts';
import { checkKnowledge, rebuildKnowledge, refreshKnowledge } from '../../../store/search/knowledge.ts';
import { searchKnowledge } from '../../../store/search/recall.ts';
import { type TestDatabase, testDatabase } from '../../helpers/database.ts';
import { testLayout } from '../../helpers/layout.ts';
import { tempWorkspace, type Workspace } from '../../helpers/temp.ts';

let at: TestDatabase;
let ws: Workspace;
let layout: Layout;
beforeEach(() => {
  at = testDatabase();
  ws = tempWorkspace({
    git: false,
    files: {
      '.agents/MEMORY.md': 'about walrus\n',
      '.agents/memory/2026-03-03.md': '- [a] walrus log\n',
      '.MEMORY/work.md': '## one\n\nwalrus work\n',
    },
  });
  layout = testLayout(ws.dir);
});
afterEach(() => {
  installFaultHook(undefined);
  at.db.close();
});

/** Long after every file was written, so that nothing counts as just changed. */
const LATER = () => Date.now() + 60_000;
const refresh = (now = LATER()) => refreshKnowledge(at.db, layout, now);
const files = async (query: string) =>
  (await searchKnowledge(at.db, query, {}, { limit: 0, offset: 0 })).items.map((hit) => hit.file).sort();

test('indexes what is there, then only what changed, and forgets what is gone', async () => {
  expect(refresh().changed).toEqual(['MEMORY.md', 'memory/2026-03-03.md', '.MEMORY/work.md']);
  expect(refresh().changed).toEqual([]);
  ws.write('.MEMORY/work.md', '## one\n\nnarwhal work\n');
  expect(refresh().changed).toEqual(['.MEMORY/work.md']);
  expect(await files('walrus')).toEqual(['MEMORY.md', 'memory/2026-03-03.md']);
  expect(await files('narwhal')).toEqual(['.MEMORY/work.md']);
  rmSync(ws.path('.agents/MEMORY.md'));
  expect(refresh().changed).toEqual(['MEMORY.md']);
  expect(await files('walrus')).toEqual(['memory/2026-03-03.md']);
});

test('a file that only looks changed costs no index; one that only looks the same is indexed', async () => {
  refresh();
  const time = new Date(Date.now() - 3_600_000);
  utimesSync(ws.path('.MEMORY/work.md'), time, time);
  expect(refresh().changed).toEqual([]);
  // Saved by rename, same size, same times: only the content tells.
  writeFileSync(ws.path('.MEMORY/new'), '## one\n\nturtle work\n');
  utimesSync(ws.path('.MEMORY/new'), time, time);
  renameSync(ws.path('.MEMORY/new'), ws.path('.MEMORY/work.md'));
  expect(refresh().changed).toEqual(['.MEMORY/work.md']);
  // Written in place in the same moment as the index was made.
  refresh(Date.now());
  ws.write('.agents/MEMORY.md', 'about turtle\n');
  refresh(Date.now());
  ws.write('.agents/MEMORY.md', 'about lizard\n');
  refresh(Date.now());
  expect(await files('lizard')).toEqual(['MEMORY.md']);
});

test('a failure in the middle leaves whole files, and the next refresh finishes', async () => {
  let commits = 0;
  installFaultHook(({ op }) => {
    // The first commit is the reset of the empty index, the second the first file, the third fails.
    if (op === 'commit' && ++commits === 3) throw Object.assign(new Error('disk full'), { code: 'SQLITE_FULL' });
    return undefined;
  });
  expect(() => refresh()).toThrow(/disk is full/);
  installFaultHook(undefined);
  expect(await files('walrus')).toEqual(['MEMORY.md']);
  expect(checkKnowledge(at.db, layout)).toEqual([]);
  refresh();
  expect(await files('walrus')).toHaveLength(3);
});

test('skips what is no knowledge', () => {
  ws.write('.agents/skills/x/SKILL.md', 'walrus');
  ws.write('.agents/notes.txt', 'walrus');
  ws.write('.MEMORY/.hidden.md', 'walrus');
  ws.write('.MEMORY/work.md.bad-2026-03-03T00-00-00-000Z', 'walrus');
  ws.write('.MEMORY/folder.md/x', 'walrus');
  const { changed, problems } = refresh();
  expect(changed).toHaveLength(3);
  expect(problems.map(({ where, what }) => [where.endsWith('folder.md'), what])).toEqual([[true, 'not indexed: it is not a file']]);
});

test('the check proves chunks, full text and files against each other, and a rebuild mends', async () => {
  refresh();
  expect(checkKnowledge(at.db, layout)).toEqual([]);
  const id = () => columnNumber(at.db.sql("select id from knowledge_chunks where path = 'MEMORY.md'").get(), 'id');
  const broken = [
    () => at.db.sql('delete from knowledge_fts where rowid = ?').run(id()),
    () => at.db.sql('update knowledge_chunks set hash = ? where id = ?').run('x', id()),
    () => {
      at.db.sql('delete from knowledge_fts where rowid = ?').run(id());
      at.db.sql("insert into knowledge_fts (rowid, words, heading, parts) values (?, 'other', '', '')").run(id());
    },
  ];
  for (const harm of broken) {
    harm();
    expect(checkKnowledge(at.db, layout)[0]?.level).toBe('broken');
    expect(rebuildKnowledge(at.db, layout, LATER()).changed).toHaveLength(3);
    expect(checkKnowledge(at.db, layout)).toEqual([]);
  }
  expect(await files('walrus')).toHaveLength(3);
});
