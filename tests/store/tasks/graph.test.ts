import fc from 'fast-check';
import { Value } from 'typebox/value';
import { describe, expect, it } from 'vitest';
import { isTaskFile } from '../../../store/tasks/check-file.ts';
import { closingCycle } from '../../../store/tasks/cycles.ts';
import { graphOf, isDone } from '../../../store/tasks/graph.ts';
import { type Task, TaskFileSchema, type TaskState } from '../../../store/tasks/schema.ts';
import { TASK_STATES } from '../../../store/tasks/states.ts';
import { parseTask, taskText } from '../../../store/tasks/task.ts';
import { type TaskEvent, TRANSITIONS, transition } from '../../../store/tasks/transitions.ts';

const AT = '2026-03-03T09:00:00.000+00:00';

function task(id: string, blockedBy: readonly string[] = [], more: Partial<Task> = {}): Task {
  return {
    id,
    title: id,
    description: '',
    state: 'pending',
    priority: 'normal',
    blockedBy: [...blockedBy],
    attempts: 0,
    failures: [],
    createdAt: AT,
    updatedAt: AT,
    ...more,
  };
}

const IDS = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];
const nowhere = () => false;

/** Any graph over a few ids: cycles, self-edges, missing and archived blockers included. */
const anyGraph = fc
  .array(
    fc.record({
      state: fc.constantFrom(...TASK_STATES),
      landed: fc.constantFrom(undefined, true, false),
      priority: fc.constantFrom('high' as const, 'normal' as const, 'low' as const),
      blockedBy: fc.uniqueArray(fc.constantFrom(...IDS, 'gone', 'archived'), { maxLength: 4 }),
    }),
    { minLength: 1, maxLength: IDS.length },
  )
  .map((rows) =>
    rows.map(({ landed, blockedBy, ...row }, at) =>
      task(IDS[at] ?? '', blockedBy, { ...row, ...(landed === undefined ? {} : { landed }) }),
    ),
  );

/** All ids reached from `id` over blockers that are unfinished, in the plainest way. */
function reach(id: string, byId: ReadonlyMap<string, Task>, seen = new Set<string>()): Set<string> {
  const from = byId.get(id);
  if (from === undefined || from.state === 'completed') return seen;
  for (const next of from.blockedBy) {
    const blocker = byId.get(next);
    if (blocker === undefined || blocker.state === 'completed' || seen.has(next)) continue;
    seen.add(next);
    reach(next, byId, seen);
  }
  return seen;
}

describe('what follows from the tasks', () => {
  it('agrees with the plainest definition of ready, on any graph', () => {
    fc.assert(
      fc.property(anyGraph, (tasks) => {
        const byId = new Map(tasks.map((one) => [one.id, one]));
        const graph = graphOf(tasks, (id) => id === 'archived');
        expect(new Set(graph.views.map(({ id }) => id))).toEqual(new Set(byId.keys()));
        for (const view of graph.views) {
          const open = view.blockedBy.filter((id) => id !== 'archived' && !isDone(byId.get(id) ?? { state: 'pending' }));
          expect(view.ready).toBe(view.state === 'pending' && open.length === 0);
          expect(view.waitingFor).toEqual(view.state === 'pending' ? open : []);
        }
      }),
    );
  });

  it('finds every knot of tasks that wait for each other, and prints a real cycle of each', () => {
    fc.assert(
      fc.property(anyGraph, (tasks) => {
        const byId = new Map(tasks.map((one) => [one.id, one]));
        const { cycles } = graphOf(tasks, nowhere);
        for (const cycle of cycles) {
          expect(cycle[0]).toBe(cycle.at(-1));
          for (const [at, id] of cycle.slice(0, -1).entries()) expect(byId.get(id)?.blockedBy).toContain(cycle[at + 1]);
        }
        const knotted = tasks.filter(({ id }) => reach(id, byId).has(id));
        const knots = new Set(
          knotted.map(({ id }) =>
            [...reach(id, byId)]
              .filter((other) => reach(other, byId).has(id))
              .sort()
              .join(),
          ),
        );
        expect(cycles).toHaveLength(knots.size);
      }),
    );
  });

  it('marks a longest chain as the critical path, first to do first', () => {
    fc.assert(
      fc.property(anyGraph, (tasks) => {
        const byId = new Map(tasks.map((one) => [one.id, one]));
        const free = tasks.filter(
          ({ id, state }) => state !== 'completed' && ![id, ...reach(id, byId)].some((other) => reach(other, byId).has(other)),
        );
        const length = (id: string): number =>
          1 + Math.max(0, ...(byId.get(id)?.blockedBy ?? []).filter((next) => reach(id, byId).has(next)).map(length));
        const longest = Math.max(0, ...free.map(({ id }) => length(id)));
        const { criticalPath } = graphOf(tasks, nowhere);
        expect(criticalPath).toHaveLength(longest > 1 ? longest : 0);
        for (const [at, id] of criticalPath.slice(1).entries()) expect(byId.get(id)?.blockedBy).toContain(criticalPath[at]);
      }),
    );
  });

  it('puts what can be done next first, and a blocker before what waits for it', () => {
    fc.assert(
      fc.property(anyGraph, (tasks) => {
        const { views, cycles } = graphOf(tasks, nowhere);
        const ready = views.map((view) => view.ready);
        expect(ready).toEqual([...ready].sort((a, b) => Number(b) - Number(a)));
        if (cycles.length > 0) return;
        const place = new Map(views.filter(({ state }) => state === 'pending').map(({ id }, at) => [id, at]));
        for (const view of views)
          for (const blocker of view.blockedBy)
            if (place.has(view.id) && place.has(blocker)) expect(place.get(blocker)).toBeLessThan(place.get(view.id) ?? -1);
      }),
    );
  });

  it('orders equals by priority, then by how much waits behind them, then by age', () => {
    const tasks = [
      task('young', [], { createdAt: '2026-03-04' }),
      task('old', [], { createdAt: '2026-03-03' }),
      task('key', [], { createdAt: '2026-03-05' }),
      task('later', ['key']),
      task('low', [], { priority: 'low' }),
      task('urgent', [], { priority: 'high', createdAt: '2026-03-09' }),
    ];
    expect(graphOf(tasks, nowhere).views.map(({ id }) => id)).toEqual(['urgent', 'key', 'old', 'young', 'low', 'later']);
  });

  it('copes with a chain of twenty thousand tasks', () => {
    const tasks = Array.from({ length: 20_000 }, (_, i) => task(`t${i}`, i === 0 ? [] : [`t${i - 1}`]));
    expect(graphOf(tasks, nowhere).criticalPath).toHaveLength(20_000);
    const ring = tasks.with(0, task('t0', ['t19999']));
    expect(graphOf(ring, nowhere).cycles.map((cycle) => cycle.length)).toEqual([20_001]);
  });
});

describe('an edge', () => {
  it('closes a cycle exactly when the task is reached from its new blocker', () => {
    fc.assert(
      fc.property(
        anyGraph,
        fc.constantFrom(...IDS),
        fc.uniqueArray(fc.constantFrom(...IDS), { minLength: 1, maxLength: 3 }),
        (tasks, id, added) => {
          const blockers = new Map(tasks.map((one) => [one.id, one.blockedBy]));
          const cycle = closingCycle(id, added, (at) => blockers.get(at) ?? []);
          const seen = new Set(added);
          for (const at of seen) for (const next of blockers.get(at) ?? []) seen.add(next);
          expect(cycle !== undefined).toBe(seen.has(id));
          if (cycle === undefined) return;
          expect([cycle[0], cycle.at(-1)]).toEqual([id, id]);
          expect(added).toContain(cycle[1]);
          for (const [at, here] of cycle.slice(1, -1).entries()) expect(blockers.get(here)).toContain(cycle[at + 2]);
        },
      ),
    );
  });
});

describe('the table of transitions', () => {
  const events: Readonly<Record<Exclude<TaskEvent['type'], 'set'>, TaskEvent>> = {
    claim: { type: 'claim', by: 'ann', token: 't' },
    complete: { type: 'complete', result: 'ok' },
    fail: { type: 'fail', agent: 'ann', error: 'e' },
    revise: { type: 'revise', by: 'ann', token: 't' },
    release: { type: 'release' },
  };

  it('is what decides, for every event and state', () => {
    for (const state of TASK_STATES) {
      for (const event of Object.values(events)) {
        const allowed = TRANSITIONS[event.type][state];
        const move = () => transition(task('a', [], { state }), event, AT);
        if (allowed.length === 0) expect(move).toThrow(`is ${state}`);
        else expect(allowed).toContain(move().state);
      }
      for (const to of TASK_STATES)
        for (const force of [false, true]) {
          const move = () => transition(task('a', [], { state }), { type: 'set', state: to, force }, AT);
          if (TRANSITIONS[force ? 'forced' : 'set'][state].includes(to)) expect(move().state).toBe(to);
          else expect(move).toThrow('cannot be set');
        }
    }
  });

  it('leaves no claim on a task that nobody works on, and no result on one that is not completed', () => {
    const sequence = fc.array(
      fc.oneof(
        fc.constantFrom(...Object.values(events)),
        fc.record({ type: fc.constant('set' as const), state: fc.constantFrom<TaskState>(...TASK_STATES), force: fc.boolean() }),
      ),
      { maxLength: 30 },
    );
    fc.assert(
      fc.property(sequence, (steps) => {
        let at = task('a');
        for (const event of steps) {
          try {
            at = transition(at, event, AT);
          } catch (error) {
            expect(error).toMatchObject({ code: 'conflict' });
          }
          if (at.state === 'pending' || at.state === 'failed') expect(at.claim).toBeUndefined();
          if (at.state !== 'completed') expect([at.result, at.landed, at.completedAt]).toEqual([undefined, undefined, undefined]);
          expect(at.attempts).toBeLessThanOrEqual(3);
        }
      }),
    );
  });
});

describe('a task file', () => {
  const odd = fc.oneof(
    fc.string(),
    fc.integer(),
    fc.double(),
    fc.boolean(),
    fc.constant(null),
    fc.array(fc.string()),
    fc.object({ maxDepth: 1 }),
  );
  const good: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
    id: fc.string(),
    title: fc.string(),
    state: fc.constantFrom(...TASK_STATES),
    priority: fc.constantFrom('high', 'normal', 'low'),
    blockedBy: fc.array(fc.string()),
    claim: fc.record(
      { by: fc.string(), token: fc.string(), at: fc.string(), session: fc.string() },
      { requiredKeys: ['by', 'token', 'at'] },
    ),
    attempts: fc.nat(),
    failures: fc.array(
      fc.record({ at: fc.string(), agent: fc.string(), error: odd, token: fc.string() }, { requiredKeys: ['at', 'agent', 'error'] }),
    ),
    landed: fc.boolean(),
    origin: fc.record({ session: fc.string(), row: fc.nat(), index: odd }),
    estimate: fc.string(),
  };
  const anyFile = fc.record(
    Object.fromEntries(
      Object.entries(good).map(([key, value]) => [key, fc.oneof({ weight: 9, arbitrary: value }, { weight: 1, arbitrary: odd })]),
    ),
    { requiredKeys: [] },
  );

  it('is checked by hand exactly as its schema says', () => {
    fc.assert(
      fc.property(fc.oneof({ weight: 9, arbitrary: anyFile }, { weight: 1, arbitrary: odd }), (value) => {
        // What a file can hold is JSON: no undefined, no NaN.
        const read: unknown = JSON.parse(JSON.stringify(value) ?? 'null');
        expect(isTaskFile(read)).toBe(Value.Check(TaskFileSchema, read));
      }),
      { numRuns: 500 },
    );
  });

  it('is written as it is read', () => {
    const written = task('a', ['b'], { note: '备注', landed: false, claim: { by: 'ann', token: 't', at: AT } });
    expect(parseTask(taskText(written), 'a', 0)).toEqual(written);
  });
});
