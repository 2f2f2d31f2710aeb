// Random changes by three stores at once, on real files under the real lock: whatever the order, the invariants hold.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { systemClock } from '../../../store/clock.ts';
import { XzError } from '../../../store/errors.ts';
import { openLocks } from '../../../store/lock.ts';
import { isDone } from '../../../store/tasks/graph.ts';
import type { Task } from '../../../store/tasks/schema.ts';
import { openTasks, type Tasks } from '../../../store/tasks/tasks.ts';
import { testLayout } from '../../helpers/layout.ts';
import { tempFolder } from '../../helpers/temp.ts';

const TITLES = ['a', 'b', 'c', 'd', 'e'];
const AGENTS = ['ann', 'bob', 'cid'];
/** Runs of the property; more with `XZ_TEST_FULL=1`. */
const RUNS = process.env.XZ_TEST_FULL ? 300 : 15;

const id = fc.constantFrom(...TITLES);
const operation = fc.oneof(
  fc.record({ op: fc.constant('create' as const), blockedBy: fc.uniqueArray(id, { maxLength: 2 }), title: id }),
  fc.record({ op: fc.constant('edges' as const), id, blockedBy: fc.uniqueArray(id, { maxLength: 3 }) }),
  fc.record({ op: fc.constant('claim' as const), id, by: fc.constantFrom(...AGENTS) }),
  fc.record({ op: fc.constant('complete' as const), id, landed: fc.boolean() }),
  fc.record({ op: fc.constant('fail' as const), id }),
  fc.record({ op: fc.constant('land' as const), id }),
  fc.record({ op: fc.constant('revise' as const), id }),
  fc.record({ op: fc.constant('release' as const), id, useAttempt: fc.boolean() }),
  fc.record({ op: fc.constant('note' as const), id, note: fc.string({ minLength: 1, maxLength: 8 }) }),
  fc.record({ op: fc.constant('archive' as const), id }),
);
type Operation = typeof operation extends fc.Arbitrary<infer T> ? T : never;

/** Claims that were granted and not yet ended, as the agents themselves know them. */
type Held = Map<string, string>;

async function run(tasks: Tasks, step: Operation, held: Held): Promise<string> {
  switch (step.op) {
    case 'create':
      return (await tasks.create({ title: step.title, blockedBy: step.blockedBy })).id;
    case 'edges':
      return (await tasks.update(step.id, { blockedBy: step.blockedBy })).id;
    case 'claim': {
      const { token } = await tasks.claim(step.id, step.by);
      held.set(step.id, token);
      return step.id;
    }
    case 'complete':
      return (await tasks.complete(step.id, held.get(step.id) ?? 'none', { result: 'ok', landed: step.landed })).id;
    case 'fail':
      return (await tasks.fail(step.id, held.get(step.id) ?? 'none', 'broke')).id;
    case 'land':
      return (await tasks.setLanded(step.id)).id;
    case 'revise': {
      const { token } = await tasks.revise(step.id, 'ann');
      held.set(step.id, token);
      return step.id;
    }
    case 'release':
      return (await tasks.release(step.id, { useAttempt: step.useAttempt })).id;
    case 'note':
      return (await tasks.update(step.id, { note: step.note })).id;
    case 'archive':
      await tasks.archive(step.id);
      return step.id;
  }
}

describe('three stores at once', () => {
  it('hold the invariants: no cycle, one claim, blockers respected, nothing lost', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.array(operation, { minLength: 1, maxLength: 4 }), { maxLength: 12 }), async (batches) => {
        const layout = testLayout(tempFolder());
        const last = new Map<string, Task>();
        const broken: string[] = [];
        // Called under the lock with each task as written: the moment at which the rules must hold.
        const onChange = (task: Task) => {
          const before = last.get(task.id);
          last.set(task.id, task);
          if (task.state !== 'in_progress') return;
          if (before?.state === 'in_progress' && before.claim?.token !== task.claim?.token) broken.push(`${task.id}: two claims`);
          const unmet = task.blockedBy.filter((blocker) => {
            const other = last.get(blocker);
            return other === undefined || !isDone(other);
          });
          if (before?.state === 'pending' && unmet.length > 0) broken.push(`${task.id} started before ${unmet.join()}`);
        };
        const locks = [0, 1, 2].map((n) => openLocks(layout.locks, `store ${n}`, systemClock));
        const stores = locks.map((own) => openTasks({ layout, locks: own, clock: systemClock, onChange }));
        const held: Held = new Map();
        for (const batch of batches) {
          const ends = await Promise.allSettled(
            batch.map((step, at) => {
              const store = stores[at % stores.length];
              return store === undefined ? Promise.resolve('') : run(store, step, held);
            }),
          );
          for (const end of ends) if (end.status === 'rejected') expect(end.reason).toBeInstanceOf(XzError);
          const [first, second] = stores.map((store) => store.list({ all: true }));
          expect(second).toEqual(first);
          expect(stores[0]?.graph().cycles).toEqual([]);
          // Every task that was ever written is there as it was written last.
          const there = new Map(first?.map((view) => [view.id, view]));
          for (const [name, task] of last) expect(there.get(name)).toMatchObject(task);
          expect(there.size).toBe(last.size);
        }
        expect(broken).toEqual([]);
        expect(stores[0]?.check().filter(({ level }) => level === 'broken')).toEqual([]);
        for (const own of locks) own.close();
      }),
      { numRuns: RUNS },
    );
  });
});
