// The knowledge index: chunks of the Markdown files with their full text. Derived from the files and brought up to date
// by content hash before every search; each file changes in one transaction, so a crash leaves whole files, old or new.
import { columnNumber, columnText, type Database } from '../database/database.ts';
import { stableHash } from '../ids.ts';
import type { Layout } from '../layout.ts';
import type { Finding } from '../quarantine.ts';
import { chunksOf } from './chunk.ts';
import { whatIsBroken } from './fts.ts';
import { inspectSource, listSources, readSource, type Source } from './sources.ts';
import { indexTerms, partTerms, TERMS_VERSION } from './terms.ts';

export interface Refreshed {
  /** Names of the files that were indexed anew or removed. */
  readonly changed: readonly string[];
  /** Files that cannot be indexed, and why. */
  readonly problems: readonly Finding[];
}

/** A file younger than this may change again without its times or size showing it; it is read again the next time. */
const SETTLED_MS = 2_000;
/** Goes into the hash of a file: counts up when the same text would be cut or tagged differently. */
const CHUNKS_VERSION = '1';

/** Brings the index up to date with the files. `now` is milliseconds since the epoch. */
export function refreshKnowledge(db: Database, layout: Layout, now: number): Refreshed {
  if (termsVersion(db) !== TERMS_VERSION) db.write(() => resetKnowledge(db));
  const known = new Map(
    db
      .sql('select path, hash, signature from knowledge_files')
      .all()
      .map((row) => [columnText(row, 'path'), { hash: columnText(row, 'hash'), signature: columnText(row, 'signature') }]),
  );
  const changed: string[] = [];
  const problems: Finding[] = [];
  for (const source of listSources(layout)) {
    const before = known.get(source.name);
    const state = inspectSource(source);
    if (state.kind === 'absent') continue;
    known.delete(source.name);
    if (state.kind === 'refused') {
      problems.push({ level: 'warning', where: source.path, what: `not indexed: ${state.why}` });
      if (before !== undefined) known.set(source.name, before);
      continue;
    }
    const { size, mtimeMs, ctimeMs, ino } = state.stats;
    const settled = now - Math.max(mtimeMs, ctimeMs) > SETTLED_MS;
    const signature = settled ? `${size} ${mtimeMs} ${ctimeMs} ${ino}` : '';
    if (before !== undefined && settled && before.signature === signature) continue;
    const read = readSource(source);
    if (read.why !== undefined) {
      problems.push({ level: 'warning', where: source.path, what: `not indexed: ${read.why}` });
      continue;
    }
    const hash = stableHash(CHUNKS_VERSION, read.text);
    if (before?.hash === hash) {
      if (before.signature !== signature)
        db.sql('update knowledge_files set signature = ? where path = ? and hash = ?').run(signature, source.name, hash);
      continue;
    }
    db.write(() => replaceFile(db, source, read.text, { hash, signature, now }));
    changed.push(source.name);
  }
  for (const name of known.keys()) {
    db.write(() => removeFile(db, name));
    changed.push(name);
  }
  return { changed, problems };
}

/** Throws the index away and makes it again from the files. */
export function rebuildKnowledge(db: Database, layout: Layout, now: number): Refreshed {
  db.write(() => resetKnowledge(db));
  return refreshKnowledge(db, layout, now);
}

/** Files, chunks and full text against each other, and a probe: a chunk must be found by its own words. */
export function checkKnowledge(db: Database, layout: Layout): Finding[] {
  const findings: Finding[] = [];
  const broken = (what: string) =>
    findings.push({ level: 'broken', where: 'knowledge index', what, fix: 'xz doctor --repair rebuilds it' });
  const damaged = whatIsBroken(() => {
    db.sql("insert into knowledge_fts (knowledge_fts) values ('integrity-check')").run();
    return undefined;
  });
  if (damaged !== undefined) {
    broken(damaged);
    return findings;
  }
  const count = (sql: string) => columnNumber(db.sql(sql).get(), 'n');
  const chunks = count('select count(*) as n from knowledge_chunks');
  const rows = count('select count(*) as n from knowledge_fts_docsize');
  const orphans = count('select count(*) as n from knowledge_chunks where id not in (select id from knowledge_fts_docsize)');
  if (chunks !== rows || orphans > 0) broken(`the full text holds ${rows} rows for ${chunks} chunks`);
  for (const source of listSources(layout)) {
    const row = db.sql('select hash from knowledge_files where path = ?').get(source.name);
    const read = readSource(source);
    if (read.why !== undefined) findings.push({ level: 'warning', where: source.path, what: `not indexed: ${read.why}` });
    else if (row !== undefined && columnText(row, 'hash') === stableHash(CHUNKS_VERSION, read.text)) probe(db, source, read.text, broken);
  }
  return findings;
}

/** What is stored for an unchanged file must be what its text gives, and its first words must find it. */
function probe(db: Database, source: Source, text: string, broken: (what: string) => void): void {
  const wanted = chunksOf(text)
    .map(({ heading, body }) => stableHash(heading, body))
    .sort();
  const stored = db
    .sql('select hash from knowledge_chunks where path = ? order by hash')
    .all(source.name)
    .map((row) => columnText(row, 'hash'));
  if (wanted.join() !== stored.sort().join()) {
    broken(`${source.name}: its chunks are not those of the file`);
    return;
  }
  const first = db.sql('select id, body from knowledge_chunks where path = ? order by id limit 1').get(source.name);
  if (first === undefined) return;
  const [term] = indexTerms(columnText(first, 'body')).split(' ');
  if (!term) return;
  const id = columnNumber(first, 'id');
  const hit = db.sql('select 1 from knowledge_fts where knowledge_fts match ? and rowid = ?').get(`"${term.replaceAll('"', '""')}"`, id);
  if (hit === undefined) broken(`${source.name}: its first lines are not found by their own words`);
}

function replaceFile(
  db: Database,
  source: Source,
  text: string,
  { hash, signature, now }: { hash: string; signature: string; now: number },
): void {
  removeFile(db, source.name);
  db.sql('insert into knowledge_files (path, hash, signature, indexed_at) values (?, ?, ?, ?)').run(source.name, hash, signature, now);
  for (const chunk of chunksOf(text)) {
    const { lastInsertRowid } = db
      .sql('insert into knowledge_chunks (path, line_start, line_end, heading, tags, day, body, hash) values (?, ?, ?, ?, ?, ?, ?, ?)')
      .run(
        source.name,
        chunk.lineStart,
        chunk.lineEnd,
        chunk.heading,
        JSON.stringify(chunk.tags),
        source.day ?? null,
        chunk.body,
        stableHash(chunk.heading, chunk.body),
      );
    db.sql('insert into knowledge_fts (rowid, words, heading, parts) values (?, ?, ?, ?)').run(
      lastInsertRowid,
      indexTerms(chunk.body),
      indexTerms([source.name.replace(/\.md$/, ''), chunk.heading, ...chunk.tags].join(' ')),
      partTerms(chunk.body),
    );
  }
}

function removeFile(db: Database, name: string): void {
  db.sql('delete from knowledge_fts where rowid in (select id from knowledge_chunks where path = ?)').run(name);
  db.sql('delete from knowledge_chunks where path = ?').run(name);
  db.sql('delete from knowledge_files where path = ?').run(name);
}

function resetKnowledge(db: Database): void {
  db.sql("insert into knowledge_fts (knowledge_fts) values ('delete-all')").run();
  db.sql('delete from knowledge_chunks').run();
  db.sql('delete from knowledge_files').run();
  db.sql(
    'insert into knowledge_state (id, terms_version) values (1, ?) on conflict (id) do update set terms_version = excluded.terms_version',
  ).run(TERMS_VERSION);
}

function termsVersion(db: Database): number | undefined {
  const row = db.sql('select terms_version from knowledge_state').get();
  return row === undefined ? undefined : columnNumber(row, 'terms_version');
}
