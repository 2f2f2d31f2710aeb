// The order of a box, kept in memory by its owner: names sorted within each priority, so that taking the next one and
// adding one cost the same with ten waiting messages and with ten thousand.

/** One waiting file: the name that orders it, and the name it has. They differ for hand-written mail. */
export interface Waiting {
  readonly key: string;
  readonly file: string;
}

export interface MailQueue {
  /** Adds a file once; a file that is there already keeps its place. */
  add(entry: Waiting): void;
  /** Takes the first of the given priorities, lowest priority number first. */
  take(priorities: readonly number[]): Waiting | undefined;
  count(priority: number): number;
  has(file: string): boolean;
  clear(): void;
}

/** An empty queue. */
export function createQueue(): MailQueue {
  const lanes: [Waiting[], Waiting[], Waiting[], Waiting[]] = [[], [], [], []];
  const files = new Set<string>();
  const laneOf = (priority: number): Waiting[] => lanes[priority] ?? lanes[3];
  return {
    add(entry) {
      if (files.has(entry.file)) return;
      files.add(entry.file);
      const lane = laneOf(Number(entry.key[0]));
      lane.splice(placeOf(lane, entry.key), 0, entry);
    },
    take(priorities) {
      for (const priority of priorities) {
        const entry = laneOf(priority).shift();
        if (entry === undefined) continue;
        files.delete(entry.file);
        return entry;
      }
      return undefined;
    },
    count: (priority) => laneOf(priority).length,
    has: (file) => files.has(file),
    clear() {
      for (const lane of lanes) lane.length = 0;
      files.clear();
    },
  };
}

/** Where `key` belongs in a sorted lane. New mail is nearly always the newest, so the end is tried first. */
function placeOf(lane: readonly Waiting[], key: string): number {
  const last = lane.at(-1);
  if (last === undefined || last.key <= key) return lane.length;
  let low = 0;
  let high = lane.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    const at = lane[middle];
    if (at !== undefined && at.key <= key) low = middle + 1;
    else high = middle;
  }
  return low;
}
