// Taking what is due, and recording how it went. A slot is claimed by inserting its row, in one transaction with finding
// the next run; whoever inserts runs it, everybody else moves on. The row names a lease that the claiming process holds
// for life: free means the process is gone, and its run is recorded as interrupted, never started again by itself.
import type { Clock } from '../clock.ts';
import { columnNumber, columnText, type Database } from '../database/database.ts';
import { errorMessage, XzError } from '../errors.ts';
import { runsBetween } from './rule.ts';
import { type Claim, type Execution, executionOf, nextOfTask, type RunResult, type RunStatus, type ScheduledTask, taskOf } from './task.ts';

/** A task with `missed: skip` still runs when it is late by no more than this: a busy moment is no absence. */
export const LATE_MS = 5 * 60_000;
/** The clock counts as set back when it reads this much earlier than when the next run was found. */
const SET_BACK_MS = 1_000;
const KEPT_MS = 90 * 86_400_000;
const KEPT_RUNS = 2_000;
const LONGEST_OUTPUT = 4_000;
const LONGEST_ERROR = 1_000;

export interface Claims {
  /**
   * Claims up to `limit` due runs, at most one of each task. What is dropped by a task's own policy gets a `skipped`
   * row and is returned beside them. Never throws for one bad task: that one is switched off with a `skipped` row.
   */
  due(limit: number): { readonly claims: Claim[]; readonly skipped: Execution[] };
  /** Claims a run asked for by hand. Throws `conflict` while another run of the task goes on. */
  now(id: string): Claim;
  /** Records the end of a run. Its first end counts: a run that was already settled stays as it is. */
  finish(claim: Claim, result: RunResult): Execution;
  /** Records runs whose process is gone as `interrupted`, and returns them. */
  settle(): Execution[];
  /** Forgets runs that are both old and many (90 days, 2,000 of a task); returns how many. Called when a host starts. */
  prune(): number;
}

export interface ClaimsInput {
  readonly db: Database;
  readonly clock: Clock;
  /** The lease this process holds for as long as it may have runs going. */
  readonly lease: string;
  /** True when nobody holds that lease. */
  readonly isFree: (lease: string) => boolean;
}

export function openClaims({ db, clock, lease, isFree }: ClaimsInput): Claims {
  const insert = (task: string, slot: number, missed: number, status: RunStatus, error?: string): Execution | undefined => {
    const now = clock.now();
    const { changes, lastInsertRowid } = db
      .sql(
        `insert into task_executions (task_id, slot, missed, lease, started_at, completed_at, status, output, error)
         values (?, ?, ?, ?, ?, ?, ?, '', ?) on conflict do nothing`,
      )
      .run(task, slot, missed, lease, now, status === 'running' ? null : now, status, error ?? null);
    return changes === 0 ? undefined : rowOf(Number(lastInsertRowid));
  };
  const rowOf = (id: number): Execution => executionOf(db.sql('select * from task_executions where id = ?').get(id));
  const hasRow = (task: string, slot: number): boolean =>
    db.sql('select 1 from task_executions where task_id = ? and slot = ?').get(task, slot) !== undefined;
  const isRunning = (task: string): boolean =>
    db.sql("select 1 from task_executions where status = 'running' and task_id = ?").get(task) !== undefined;

  /** Moves a task to its first run after `from` that has no row yet; one without any is switched off. */
  const advance = (task: ScheduledTask, from: number): void => {
    let next = nextOfTask(task, from);
    while (next !== undefined && hasRow(task.id, next)) next = nextOfTask(task, next);
    db.sql('update scheduled_tasks set next_run = ?, computed_at = ?, enabled = ? where id = ?').run(
      next ?? null,
      clock.now(),
      next === undefined ? 0 : 1,
      task.id,
    );
  };

  /** After the clock was set back, the next run is found again: waiting for the old time would be standing still. */
  const followClock = (now: number): void => {
    const rows = db.sql('select * from scheduled_tasks where enabled = 1 and computed_at > ? and next_run > ?').all(now + SET_BACK_MS, now);
    for (const row of rows) unlessBad(row, (task) => advance(task, now));
  };

  /** Runs `fn` on the task of a row. A rule or zone that cannot be read stops this task only, and says why in its log. */
  const unlessBad = <T>(row: unknown, fn: (task: ScheduledTask) => T): T | undefined => {
    try {
      return fn(taskOf(row));
    } catch (error) {
      if (!(error instanceof XzError)) throw error;
      const id = columnText(row, 'id');
      db.sql('update scheduled_tasks set enabled = 0 where id = ?').run(id);
      insert(id, clock.now(), 0, 'skipped', `switched off: ${errorMessage(error)}`);
      return undefined;
    }
  };

  /** One due task: claimed, skipped with a row, or left waiting for the run before it. */
  const take = (task: ScheduledTask, due: number, now: number): { claim?: Claim; skipped?: Execution | undefined } => {
    const later = runsBetween(task.rule, task.timeZone, due, now);
    const slot = later.last ?? due;
    if (isRunning(task.id)) {
      if (task.overlap === 'queue') return {};
      advance(task, now);
      return { skipped: insert(task.id, slot, later.count, 'skipped', 'the run before it was still going') };
    }
    // Late because the run before it took long is not late because nobody was there.
    const waitedFor = Math.max(slot, lastEnd(task.id));
    if (task.missed === 'skip' && now - waitedFor > LATE_MS) {
      advance(task, now);
      return { skipped: insert(task.id, slot, later.count, 'skipped', 'missed: nothing was running at that time') };
    }
    const execution = insert(task.id, slot, later.count, 'running');
    advance(task, now);
    return execution === undefined ? {} : { claim: { task, execution } };
  };
  const lastEnd = (task: string): number =>
    columnNumber(db.sql('select coalesce(max(completed_at), 0) as at from task_executions where task_id = ?').get(task), 'at');

  return {
    due(limit) {
      const now = clock.now();
      const peek = db.sql('select 1 from scheduled_tasks where enabled = 1 and (next_run <= ? or computed_at > ?) limit 1');
      // Most ticks find nothing; those must not take the write lock.
      if (limit <= 0 || peek.get(now, now + SET_BACK_MS) === undefined) return { claims: [], skipped: [] };
      return db.write(() => {
        followClock(now);
        const claims: Claim[] = [];
        const skipped: Execution[] = [];
        for (const row of db.sql('select * from scheduled_tasks where enabled = 1 and next_run <= ? order by next_run, id').all(now)) {
          if (claims.length >= limit) break;
          const taken = unlessBad(row, (task) => take(task, task.nextRun ?? now, now));
          if (taken?.claim !== undefined) claims.push(taken.claim);
          if (taken?.skipped !== undefined) skipped.push(taken.skipped);
        }
        return { claims, skipped };
      });
    },
    now(id) {
      return db.write(() => {
        const row = db.sql('select * from scheduled_tasks where id = ?').get(id);
        if (row === undefined)
          throw new XzError('not_found', `no scheduled task "${id}"`, {
            hint: '`xz schedule list` shows them',
            data: { kind: 'scheduled task', given: id },
          });
        if (isRunning(id)) throw new XzError('conflict', `"${id}" is running now`, { hint: `wait for its end: xz schedule log ${id}` });
        const task = taskOf(row);
        let slot = clock.now();
        while (hasRow(id, slot)) slot++;
        const execution = insert(id, slot, 0, 'running');
        if (execution === undefined) throw new XzError('internal', `the slot ${slot} of "${id}" was taken inside its own transaction`);
        return { task, execution };
      });
    },
    finish({ execution }, result) {
      return db.write(() => {
        db.sql(
          `update task_executions set status = ?, completed_at = ?, output = ?, error = ?, session = ?, cost_usd = ?
           where id = ? and status = 'running'`,
        ).run(
          result.status,
          clock.now(),
          headAndTail(result.output, LONGEST_OUTPUT),
          result.error === undefined ? null : headAndTail(result.error, LONGEST_ERROR),
          result.session ?? null,
          result.costUsd ?? null,
          execution.id,
        );
        return rowOf(execution.id);
      });
    },
    settle() {
      const leases = db.sql("select distinct lease from task_executions where status = 'running' and lease <> ?").all(lease);
      const gone = leases.map((row) => columnText(row, 'lease')).filter(isFree);
      if (gone.length === 0) return [];
      return db.write(() =>
        gone.flatMap((dead) => {
          const rows = db.sql("select * from task_executions where status = 'running' and lease = ?").all(dead).map(executionOf);
          for (const row of rows)
            db.sql("update task_executions set status = 'interrupted', completed_at = ?, error = ? where id = ?").run(
              clock.now(),
              'the process that ran it ended; it is not started again by itself',
              row.id,
            );
          return rows.map((row) => rowOf(row.id));
        }),
      );
    },
    prune() {
      const old = clock.now() - KEPT_MS;
      const tasks = db.sql('select distinct task_id from task_executions where slot < ?').all(old);
      let pruned = 0;
      for (const row of tasks) {
        const task = columnText(row, 'task_id');
        // A row is what keeps its slot from being run again, so recent ones stay however many there are.
        pruned += db
          .sql(
            `delete from task_executions where task_id = ? and slot < ? and status <> 'running' and id < coalesce(
               (select id from task_executions where task_id = ? order by id desc limit 1 offset ?), 0)`,
          )
          .run(task, old, task, KEPT_RUNS - 1).changes;
      }
      return pruned;
    },
  };
}

/** The text, or its two ends when it is longer than `most` characters. */
function headAndTail(text: string, most: number): string {
  if (text.length <= most) return text;
  const half = Math.floor(most / 2);
  const cut = `${text.slice(0, half)}\n… ${text.length - 2 * half} characters left out …\n${text.slice(-half)}`;
  // A pair of surrogates that was cut in two is replaced, since SQLite keeps UTF-8.
  return Buffer.from(cut).toString();
}
