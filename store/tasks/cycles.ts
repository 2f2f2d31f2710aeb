// Cycles among blockers, as pure functions over ids. Nothing here recurses: a chain of ten thousand tasks is legal.

/** The blockers of an id; empty for one that is unknown. */
export type BlockersOf = (id: string) => readonly string[];

/**
 * The cycle that would close if `id` were blocked by `blockers`: `[id, blocker, …, id]`, each waiting for the next.
 * Undefined when there is none.
 */
export function closingCycle(id: string, blockers: readonly string[], blockersOf: BlockersOf): string[] | undefined {
  const cameFrom = new Map<string, string>();
  const stack: string[] = [];
  for (const blocker of blockers) {
    if (blocker === id) return [id, id];
    if (!cameFrom.has(blocker)) {
      cameFrom.set(blocker, id);
      stack.push(blocker);
    }
  }
  for (let at = stack.pop(); at !== undefined; at = stack.pop()) {
    for (const next of blockersOf(at)) {
      if (next === id) return pathFrom(cameFrom, id, at);
      if (cameFrom.has(next)) continue;
      cameFrom.set(next, at);
      stack.push(next);
    }
  }
  return undefined;
}

function pathFrom(cameFrom: ReadonlyMap<string, string>, id: string, last: string): string[] {
  const path = [id];
  for (let at: string | undefined = last; at !== undefined && at !== id; at = cameFrom.get(at)) path.push(at);
  path.push(id);
  return path.reverse();
}

/** `a -> b -> a`: each waits for the next. */
export function cycleText(cycle: readonly string[]): string {
  return cycle.join(' -> ');
}

/**
 * Every knot of tasks that wait for each other: one printable cycle `[a, b, …, a]` for each, and all ids caught in
 * one. Tarjan's strongly connected components, kept on an explicit stack.
 */
export function findCycles(ids: Iterable<string>, blockersOf: BlockersOf): { readonly cycles: string[][]; readonly caught: Set<string> } {
  const search: Search = { blockersOf, index: new Map(), low: new Map(), open: [], isOpen: new Set() };
  const cycles: string[][] = [];
  const caught = new Set<string>();
  for (const root of ids) {
    if (search.index.has(root)) continue;
    for (const knot of knotsFrom(root, search)) {
      const members = new Set(knot);
      const [first = root] = [...knot].sort();
      const inside: BlockersOf = (id) => blockersOf(id).filter((blocker) => members.has(blocker));
      const cycle = closingCycle(first, inside(first), inside);
      if (cycle === undefined) continue;
      cycles.push(cycle);
      for (const id of knot) caught.add(id);
    }
  }
  return { cycles, caught };
}

interface Search {
  readonly blockersOf: BlockersOf;
  readonly index: Map<string, number>;
  readonly low: Map<string, number>;
  readonly open: string[];
  readonly isOpen: Set<string>;
}

/** The components reached from one root, in Tarjan's order. */
function knotsFrom(root: string, search: Search): string[][] {
  const { index, low, open, isOpen } = search;
  const knots: string[][] = [];
  const enter = (id: string) => {
    index.set(id, index.size);
    low.set(id, index.size - 1);
    open.push(id);
    isOpen.add(id);
    return { id, blockers: search.blockersOf(id), next: 0 };
  };
  const lower = (id: string, to: number | undefined) => low.set(id, Math.min(low.get(id) ?? 0, to ?? 0));
  const frames = [enter(root)];
  for (let frame = frames.at(-1); frame !== undefined; frame = frames.at(-1)) {
    const next = frame.blockers[frame.next++];
    if (next !== undefined) {
      if (!index.has(next)) frames.push(enter(next));
      else if (isOpen.has(next)) lower(frame.id, index.get(next));
      continue;
    }
    frames.pop();
    const parent = frames.at(-1);
    if (parent !== undefined) lower(parent.id, low.get(frame.id));
    if (low.get(frame.id) !== index.get(frame.id)) continue;
    const knot = open.splice(open.lastIndexOf(frame.id));
    for (const id of knot) isOpen.delete(id);
    knots.push(knot);
  }
  return knots;
}
