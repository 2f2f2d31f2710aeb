// What `doctor --repair` mends: things that are derived, left over, or too open. A database is copied before it is
// touched, and one that cannot be opened is moved aside whole, what can still be read going into a new one.
import { basename, join } from 'node:path';
import { type Database, openDatabase } from '../../../store/database/database.ts';
import { errorMessage, XzError } from '../../../store/errors.ts';
import { ensureFolder, moveFile, pathExists, setMode } from '../../../store/files.ts';
import { sweepDeadProcesses } from '../../../store/process.ts';
import { storeSchemas } from '../../../store/schemas.ts';
import { checkHistory, rebuildHistory } from '../../../store/search/history.ts';
import { checkKnowledge, rebuildKnowledge } from '../../../store/search/knowledge.ts';
import { completeVectors, dropBrokenVectors, scopesWithVectors } from '../../../store/search/vector-check.ts';
import { sqlite } from '../../../store/sqlite.ts';
import type { App } from '../../compose.ts';
import { comparingOf, tellNotice } from '../../embedding.ts';
import { looseModes } from '../config/modes.ts';

/** Mends what it can, and tells each repair in a line when it is done. */
export async function repair(app: App, tell: (line: string) => void): Promise<void> {
  for (const { where, fix } of looseModes(app.home())) {
    setMode(where, fix?.includes('700') ? 0o700 : 0o600);
    tell(fix ?? where);
  }
  const layout = app.layout();
  if (!pathExists(layout.database)) return;
  const stamp = new Date(app.clock.now()).toISOString().replace(/[:.]/g, '-');
  let db: Database;
  try {
    db = await app.database();
    if (!isWhole(db)) throw new XzError('database_broken', 'the integrity check failed');
  } catch (error) {
    if (!(error instanceof XzError) || error.code !== 'database_broken') throw error;
    return salvage(app, stamp).forEach(tell);
  }
  const history = checkHistory(db).some(({ level }) => level === 'broken');
  const knowledge = checkKnowledge(db, layout).some(({ level }) => level === 'broken');
  if (history || knowledge) {
    const copy = join(layout.data, `agent.db.before-repair-${stamp}`);
    await db.connection.backup(copy);
    tell(app.text.doctor.snapshot(copy));
  }
  if (history) tell(app.text.doctor.rebuilt('history', rebuildHistory(db)));
  if (knowledge) tell(app.text.doctor.rebuilt('knowledge', rebuildKnowledge(db, layout, app.clock.now()).changed.length));
  for (const line of await repairVectors(app, db)) tell(line);
  const swept = sweepDeadProcesses(app.locks(), layout.locks);
  if (swept > 0) tell(app.text.doctor.swept(swept));
}

/** Vectors that are wrong are dropped, and all that are lacking are made where any were made before. */
async function repairVectors(app: App, db: Database): Promise<string[]> {
  const scopes = scopesWithVectors(db);
  if (scopes.length === 0) return [];
  dropBrokenVectors(db);
  try {
    const { embedder, progress } = (await comparingOf(app)) ?? {};
    if (embedder === undefined) return [];
    const made = await completeVectors(db, scopes, embedder, { now: app.clock.now(), ...(progress === undefined ? {} : { progress }) });
    return made > 0 ? [app.text.doctor.rebuilt('vectors', made)] : [];
  } catch (error) {
    // A server that does not answer, or a bad setting, must not keep the rest from being mended; searches go by words.
    if (!(error instanceof XzError) || !['model_failed', 'bad_config'].includes(error.code)) throw error;
    tellNotice(app, { code: 'embedding_failed', detail: errorMessage(error) });
    return [];
  }
}

function isWhole(db: Database): boolean {
  const said: unknown = db.connection.pragma('quick_check(1)', { simple: true });
  return said === 'ok';
}

/** Moves the damaged database aside and copies every row that can still be read. */
function salvage(app: App, stamp: string): string[] {
  const { database, data } = app.layout();
  app.closeDatabase();
  const aside = `${database}.bad-${stamp}`;
  ensureFolder(data, 0o700);
  for (const suffix of ['', '-wal', '-shm']) moveFile(`${database}${suffix}`, `${aside}${suffix}`);
  const fresh = openDatabase(database, storeSchemas);
  try {
    const saved = copyRows(aside, fresh);
    rebuildHistory(fresh);
    rebuildKnowledge(fresh, app.layout(), app.clock.now());
    return [app.text.doctor.movedAside(aside), app.text.doctor.salvaged(saved, basename(database))];
  } finally {
    fresh.close();
  }
}

/** Tables whose rows are derived from others, or belong to the file itself. */
const DERIVED = /^(sqlite_|store_versions$)|_fts|_vec|^knowledge_|vector/;

function copyRows(from: string, to: Database): number {
  let saved = 0;
  let old: InstanceType<ReturnType<typeof sqlite>>;
  try {
    old = new (sqlite())(from, { readonly: true });
  } catch (error) {
    // Not even its first page can be read: there is nothing to save.
    if (error instanceof Error) return 0;
    throw error;
  }
  const tables = to.connection.prepare("select name from sqlite_master where type = 'table'").all();
  to.connection.pragma('foreign_keys = OFF');
  for (const table of tables) {
    const name = typeof table === 'object' && table !== null && 'name' in table ? String(table.name) : '';
    if (name !== '' && !DERIVED.test(name)) saved += copyTable(old, to, name);
  }
  to.connection.pragma('foreign_keys = ON');
  old.close();
  return saved;
}

/** Rows in order until the first that cannot be read, then from the end back to it. */
function copyTable(old: InstanceType<ReturnType<typeof sqlite>>, to: Database, table: string): number {
  let saved = 0;
  for (const order of ['asc', 'desc']) {
    try {
      for (const row of old.prepare(`select * from "${table}" order by rowid ${order}`).iterate()) {
        if (typeof row !== 'object' || row === null) continue;
        const names = Object.keys(row);
        const marks = names.map(() => '?').join(', ');
        const columns = names.map((name) => `"${name}"`).join(', ');
        saved += to.connection
          .prepare(`insert or ignore into "${table}" (${columns}) values (${marks})`)
          .run(...Object.values(row)).changes;
      }
      return saved;
    } catch (error) {
      if (order === 'desc' && errorMessage(error) !== '') return saved;
    }
  }
  return saved;
}
