// Keyword search over one FTS table: AND of the terms first, OR when AND finds fewer than ten — decided once for a
// query and its filter, whatever the page, so that pages never mix two orders.
import { columnNumber, type Database } from '../database/database.ts';
import { errorMessage, XzError } from '../errors.ts';
import { matchAll, matchAny } from './match.ts';
import type { QueryTerm } from './terms.ts';

/** With fewer hits than this for all terms, any term will do. */
const ENOUGH_FOR_ALL = 10;

/** Names of tables and columns: constants of the code that calls, never input. */
export interface FtsTable {
  readonly name: string;
  /** bm25 weight of each column, in order. */
  readonly weights: readonly number[];
  /** The table whose rows it indexes, keyed by `id`, for filters. */
  readonly rows: string;
}

/** Conditions on the rows' table, aliased `r`; values are bound. */
export interface RowFilter {
  readonly where: readonly string[];
  readonly values: ReadonlyArray<string | number>;
}

export interface KeywordHit {
  readonly id: number;
  /** bm25 turned round: higher is better, above 0. */
  readonly score: number;
}

export interface KeywordMatch {
  /** Rows that match. */
  readonly total: number;
  /** True when every term had to be there. */
  readonly all: boolean;
  /** Hits in order of score, newer rows first among equals. */
  best(limit: number, offset: number): KeywordHit[];
  /** Of these rows, the ones that hold every term. */
  holdingAll(ids: readonly number[]): Set<number>;
}

/** Undefined when the query has nothing that can be searched. */
export function keywordMatch(db: Database, table: FtsTable, terms: readonly QueryTerm[], filter: RowFilter): KeywordMatch | undefined {
  if (terms.length === 0) return undefined;
  const join = filter.where.length === 0 ? '' : `join ${table.rows} r on r.id = f.rowid`;
  const where = filter.where.map((condition) => `and ${condition}`).join(' ');
  const source = `from ${table.name} f ${join} where ${table.name} match ? ${where}`;
  const count = (match: string) => columnNumber(db.sql(`select count(*) as n ${source}`).get(match, ...filter.values), 'n');
  const strict = matchAll(terms);
  const strictTotal = count(strict);
  const all = strictTotal >= ENOUGH_FOR_ALL;
  const match = all ? strict : matchAny(terms);
  const bm25 = `bm25(${table.name}, ${table.weights.join(', ')})`;
  return {
    total: all ? strictTotal : count(match),
    all,
    best: (limit, offset) =>
      db
        .sql(`select f.rowid as id, ${bm25} as cost ${source} order by cost, f.rowid desc limit ? offset ?`)
        .all(match, ...filter.values, limit, offset)
        .map((row) => ({ id: columnNumber(row, 'id'), score: -columnNumber(row, 'cost') })),
    holdingAll(ids) {
      if (all) return new Set(ids);
      const rows = db.sql(`select rowid as id from ${table.name} where ${table.name} match ?`).all(strict);
      const holding = new Set(rows.map((row) => columnNumber(row, 'id')));
      return new Set(ids.filter((id) => holding.has(id)));
    },
  };
}

/** What a check finds; a table too broken to be asked is a finding, not an error. A read-only one cannot be asked. */
export function whatIsBroken(check: () => string | undefined): string | undefined {
  try {
    return check();
  } catch (error) {
    if (error instanceof XzError && error.code === 'database_broken') return `it cannot be read: ${errorMessage(error)}`;
    if (error instanceof XzError && error.code === 'unwritable') return undefined;
    throw error;
  }
}
