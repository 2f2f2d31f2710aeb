// Proves the stored vectors: right width, none zero, each row that should have one has it, and a probe: a vector's own row
// is its nearest. And makes what is lacking when the person asks for all of it.
import { columnNumber, columnText, type Database } from '../database/database.ts';
import type { Finding } from '../quarantine.ts';
import type { Embedder } from './embedder.ts';
import { historyVectors } from './history.ts';
import { knowledgeVectors } from './recall.ts';
import { vecOf } from './vec.ts';
import { activeSpace, dropVectors, fillSpace, isComplete, type Space, spaceFor, type VectorScope, type VectorSource } from './vectors.ts';

const sources = (db: Database): readonly VectorSource[] => [knowledgeVectors(db), historyVectors(db)];

/** What is wrong with the vectors of either scope; nothing is expected where none were ever made. */
export function checkVectors(db: Database): Finding[] {
  return sources(db).flatMap((source) => {
    const where = `${source.scope} vectors`;
    const fix = 'xz doctor --repair makes them';
    const building = db.sql("select model from vector_spaces where scope = ? and state = 'building'").get(source.scope);
    const space = activeSpace(db, source.scope);
    const findings: Finding[] = [];
    if (building !== undefined)
      findings.push({
        level: 'warning',
        where,
        what: `those of ${columnText(building, 'model')} are not complete; searches go by words meanwhile`,
        fix,
      });
    const what = space === undefined ? undefined : faultOf(db, source, space);
    if (what !== undefined) findings.push({ level: 'broken', where, what, fix: 'xz doctor --repair makes them again' });
    return findings;
  });
}

/** Drops the vectors of the scopes that `checkVectors` calls broken. Returns those scopes. */
export function dropBrokenVectors(db: Database): VectorScope[] {
  const broken = sources(db).filter((source) => {
    const space = activeSpace(db, source.scope);
    return space !== undefined && faultOf(db, source, space) !== undefined;
  });
  for (const { scope } of broken) dropVectors(db, scope);
  return broken.map(({ scope }) => scope);
}

/**
 * Makes every vector that is lacking for the scopes given, with this embedder. Resolves to the number of scopes that were
 * not complete before. Throws `model_failed`; what was made until then is kept.
 */
export async function completeVectors(
  db: Database,
  scopes: readonly VectorScope[],
  embedder: Embedder,
  options: { readonly now: number; readonly signal?: AbortSignal; readonly progress?: (reached: number, newest: number) => void },
): Promise<number> {
  let made = 0;
  for (const source of sources(db).filter(({ scope }) => scopes.includes(scope))) {
    const width = embedder.width ?? (await embedder.documents(['width'], options.signal))[0]?.length ?? 0;
    const space = spaceFor(db, source.scope, embedder.model, width, options.now);
    if (isComplete(source, space)) continue;
    await fillSpace(db, source, space, embedder, { signal: options.signal, progress: options.progress });
    made++;
  }
  return made;
}

/** Scopes whose vectors were begun: a person searched them by vectors once. */
export function scopesWithVectors(db: Database): VectorScope[] {
  return sources(db)
    .map(({ scope }) => scope)
    .filter((scope) => db.sql('select 1 from vector_spaces where scope = ?').get(scope) !== undefined);
}

function faultOf(db: Database, source: VectorSource, space: Space): string | undefined {
  const count = (sql: string, ...values: readonly (string | number)[]) =>
    columnNumber(db.sql(`select count(*) as n ${sql}`).get(...values), 'n');
  const misfits = count(
    'from vectors where space = ? and (length(vector) <> ? or vector = zeroblob(length(vector)))',
    space.id,
    space.width,
  );
  if (misfits > 0) return `${misfits} are not ${space.width} numbers wide, or are zero`;
  const strangers = count('from vectors where space not in (select id from vector_spaces)');
  if (strangers > 0) return `${strangers} belong to no model`;
  if (vecOf(db).why !== undefined) return undefined;
  const row = db.sql('select hash, vector from vectors where space = ? order by id limit 1').get(space.id);
  if (row === undefined) return source.lacking(space.id, 0, 1).length > 0 && space.through > 0 ? 'there are none' : undefined;
  const near = db
    .sql(
      `select v.hash from vectors v where v.space = ?
       order by vec_distance_cosine(vec_int8(v.vector), vec_int8((select vector from vectors where space = ? and hash = ?))), v.id limit 1`,
    )
    .get(space.id, space.id, columnText(row, 'hash'));
  return near === undefined || columnText(near, 'hash') !== columnText(row, 'hash') ? `the probe did not find its own row` : undefined;
}
