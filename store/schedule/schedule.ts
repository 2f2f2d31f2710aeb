// The schedule of a workspace: its tasks and what became of each run. claims.ts takes what is due and records how it went.
import type { Clock } from '../clock.ts';
import { columnNumber, columnNumberOrNull, columnText, type Database } from '../database/database.ts';
import { errorMessage, XzError } from '../errors.ts';
import { slug } from '../ids.ts';
import type { Finding } from '../quarantine.ts';
import { frequencyOf, nextRunOf, type Recurring } from './rule.ts';
import {
  type Execution,
  executionOf,
  type Missed,
  nextOfTask,
  type Overlap,
  type RunMode,
  type RunStatus,
  ruleColumns,
  type ScheduledTask,
  statusOf,
  taskOf,
} from './task.ts';
import { parseCron, parseWhen } from './when.ts';

export interface NewTask {
  readonly description: string;
  /** A phrase, or with `cron` an expression. */
  readonly when: string;
  readonly cron?: boolean;
  readonly recurring?: Recurring | undefined;
  readonly timeZone: string;
  readonly overlap?: Overlap | undefined;
  readonly missed?: Missed | undefined;
  readonly mode?: RunMode | undefined;
  readonly team?: boolean;
  readonly timeoutSeconds?: number | undefined;
  readonly maxCostUsd?: number | undefined;
  readonly author: 'person' | 'agent';
  /** The tool call that makes it: the same call made again finds the task it made. */
  readonly origin?: string;
}

/** A task with its last run, as `schedule list` shows it. */
export interface TaskView extends ScheduledTask {
  readonly recurring: ReturnType<typeof frequencyOf>;
  readonly lastRun: number | undefined;
  readonly lastStatus: RunStatus | undefined;
}

export interface Schedule {
  /** Makes a task. Throws `bad_input` when "when" is past, impossible or not understood. */
  add(input: NewTask): ScheduledTask;
  get(id: string): ScheduledTask | undefined;
  /** Soonest first; those that will not run again last. */
  list(): TaskView[];
  ids(): string[];
  /** Takes a task off the schedule; the record of its runs stays. False when there was none. */
  remove(id: string): boolean;
  /** Runs go on from now: what fell due while it was disabled is not made up for. Throws `refused` when it has none left. */
  enable(id: string): ScheduledTask;
  disable(id: string): ScheduledTask;
  /** Runs, newest first; of one task, or of all. */
  log(task?: string): Execution[];
  /** Ids of tasks with recorded runs, removed ones too. */
  loggedIds(): string[];
  /** For a title bar: the next run of all, and how many tasks wait for one. */
  outlook(): {
    readonly next: { readonly id: string; readonly at: number; readonly timeZone: string } | undefined;
    readonly pending: number;
  };
  check(): Finding[];
}

const LONGEST_DESCRIPTION = 20_000;
const SLUG_BYTES = 40;

/** The schedule in an opened database. */
export function openSchedule(db: Database, clock: Clock): Schedule {
  const get = (id: string): ScheduledTask | undefined => {
    const row = db.sql('select * from scheduled_tasks where id = ?').get(id);
    return row === undefined ? undefined : taskOf(row);
  };
  const known = (id: string): ScheduledTask => {
    const task = get(id);
    if (task === undefined)
      throw new XzError('not_found', `no scheduled task "${id}"`, {
        hint: 'list_schedules and `xz schedule list` show them',
        data: { kind: 'scheduled task', given: id },
      });
    return task;
  };
  const freeId = (description: string): string => {
    const base = slug(description, SLUG_BYTES, 'task');
    for (let n = 1; ; n++) {
      const id = n === 1 ? base : `${base}-${n}`;
      if (get(id) === undefined) return id;
    }
  };
  const view = (task: ScheduledTask): TaskView => {
    const last = db
      .sql(
        "select slot, status from task_executions where task_id = ? and started_at >= ? and status <> 'skipped' order by id desc limit 1",
      )
      .get(task.id, task.createdAt);
    return {
      ...task,
      recurring: frequencyOf(task.rule),
      lastRun: last === undefined ? undefined : columnNumber(last, 'slot'),
      lastStatus: last === undefined ? undefined : statusOf(columnText(last, 'status')),
    };
  };
  return {
    add(input) {
      const description = input.description.trim();
      if (description === '') throw new XzError('bad_input', 'the description is empty', { hint: 'say what is to be done at that time' });
      if (description.length > LONGEST_DESCRIPTION)
        throw new XzError('bad_input', `the description has ${description.length} characters; at most ${LONGEST_DESCRIPTION} are kept`);
      return db.write(() => {
        const made = input.origin === undefined ? undefined : db.sql('select * from scheduled_tasks where origin = ?').get(input.origin);
        if (made !== undefined) return taskOf(made);
        const id = freeId(description);
        insertTask(db, id, { ...input, description }, clock.now());
        return known(id);
      });
    },
    get,
    list: () => db.sql('select * from scheduled_tasks order by next_run is null, next_run, id').all().map(taskOf).map(view),
    ids: () =>
      db
        .sql('select id from scheduled_tasks order by id')
        .all()
        .map((row) => columnText(row, 'id')),
    remove: (id) => db.sql('delete from scheduled_tasks where id = ?').run(id).changes > 0,
    enable(id) {
      return db.write(() => {
        const now = clock.now();
        const task = known(id);
        // One that is on keeps its next run: it may be due this moment.
        if (task.enabled && task.nextRun !== undefined) return task;
        const next = nextOfTask(task, now);
        if (next === undefined) throw new XzError('refused', `"${id}" has no run after now`, { hint: 'add it again with another time' });
        db.sql('update scheduled_tasks set enabled = 1, next_run = ?, computed_at = ? where id = ?').run(next, now, id);
        return known(id);
      });
    },
    disable(id) {
      return db.write(() => {
        known(id);
        db.sql('update scheduled_tasks set enabled = 0, next_run = null where id = ?').run(id);
        return known(id);
      });
    },
    log(task) {
      const rows =
        task === undefined
          ? db.sql('select * from task_executions order by id desc').all()
          : db.sql('select * from task_executions where task_id = ? order by id desc').all(task);
      return rows.map(executionOf);
    },
    loggedIds: () =>
      db
        .sql('select distinct task_id from task_executions')
        .all()
        .map((row) => columnText(row, 'task_id')),
    outlook() {
      const row = db
        .sql(
          'select id, next_run, time_zone, count(*) over () as pending from scheduled_tasks where enabled = 1 and next_run is not null order by next_run, id limit 1',
        )
        .get();
      if (row === undefined) return { next: undefined, pending: 0 };
      const next = { id: columnText(row, 'id'), at: columnNumber(row, 'next_run'), timeZone: columnText(row, 'time_zone') };
      return { next, pending: columnNumber(row, 'pending') };
    },
    check: () => findings(db),
  };
}

function insertTask(db: Database, id: string, input: NewTask, now: number): void {
  const read = input.cron ? parseCron : parseWhen;
  const plan = read(input.when, { now, timeZone: input.timeZone, recurring: input.recurring });
  const { expression, everyMs, anchor } = ruleColumns(plan.rule);
  db.sql(
    `insert into scheduled_tasks (id, description, when_text, kind, expression, every_ms, anchor, time_zone, starts_at, next_run, computed_at,
       enabled, overlap, missed, mode, team, timeout_seconds, max_cost_usd, author, origin, created_at)
     values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 1, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  ).run(
    id,
    input.description,
    input.when.trim(),
    plan.rule.kind,
    expression,
    everyMs,
    anchor,
    plan.timeZone,
    plan.startsAt,
    plan.first,
    now,
    input.overlap ?? 'queue',
    input.missed ?? 'run',
    input.mode ?? null,
    input.team === true ? 1 : 0,
    input.timeoutSeconds ?? null,
    input.maxCostUsd ?? null,
    input.author,
    input.origin ?? null,
    now,
  );
}

/** A task whose rule or zone cannot be read (a zone that this Node does not know) is told here; the others go on. */
function findings(db: Database): Finding[] {
  const found: Finding[] = [];
  for (const row of db.sql('select * from scheduled_tasks').all()) {
    const id = columnText(row, 'id');
    try {
      const task = taskOf(row);
      nextRunOf(task.rule, task.timeZone)(task.computedAt);
      if (task.enabled && columnNumberOrNull(row, 'next_run') === null)
        found.push({ level: 'warning', where: `schedule ${id}`, what: 'enabled, but it has no next run', fix: `xz schedule enable ${id}` });
    } catch (error) {
      found.push({
        level: 'broken',
        where: `schedule ${id}`,
        what: errorMessage(error),
        fix: `xz schedule remove ${id}, then add it again`,
      });
    }
  }
  return found;
}
