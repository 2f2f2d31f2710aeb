// The graph as a tree for people: what has to be done first on the left, what waits for it below and to the right. A task
// that waits for several stands below the first; the others only point to it.
import type { TaskGraph, TaskView } from '../../../store/tasks/graph.ts';
import { shortened } from '../../print/columns.ts';
import type { Printer } from '../../print/printer.ts';
import type { Text } from '../../text/text.ts';
import { mark } from './lines.ts';
import { taskFacts } from './words.ts';

/** Columns that a line keeps for the task itself, however deep it hangs. */
const KEPT_FOR_TASK = 48;
const WIDEST_ID = 32;
const BOLD = ['\u001b[1;33m', '\u001b[0m'] as const;

interface Place {
  readonly id: string;
  readonly depth: number;
  /** Branch lines to the left of this one. */
  readonly prefix: string;
  readonly last: boolean;
}

/** The lines of the whole graph; the critical path carries a star. */
export function treeLines(print: Printer, text: Text, graph: TaskGraph): string[] {
  const critical = new Set(graph.criticalPath);
  const drawn = new Set<string>();
  const lines: string[] = [];
  const rank = new Map(graph.views.map((view, at) => [view.id, at]));
  const childrenOf = (id: string) => [...graph.dependents(id)].sort((a, b) => (rank.get(a) ?? 0) - (rank.get(b) ?? 0));
  const room = Math.max(0, print.columns - KEPT_FOR_TASK);

  const drawFrom = (root: string): void => {
    const stack: Place[] = [{ id: root, depth: 0, prefix: '', last: true }];
    for (let place = stack.pop(); place !== undefined; place = stack.pop()) {
      const view = graph.view(place.id);
      if (view === undefined) continue;
      const known = drawn.has(place.id);
      drawn.add(place.id);
      lines.push(branchOf(place, room) + lineOf(print, text, view, { known, critical: critical.has(view.id), left: place.depth * 2 }));
      if (known) continue;
      const depth = place.depth + 1;
      // Only what may still be drawn is carried along: a chain of thousands must not cost its square.
      const prefix = (depth === 1 ? '' : place.prefix + (place.last ? '  ' : '│ ')).slice(-room - 2);
      const children = childrenOf(place.id).map((id, at, all) => ({ id, depth, prefix, last: at === all.length - 1 }));
      stack.push(...children.reverse());
    }
  };
  for (const view of graph.views) if (view.blockedBy.every((blocker) => graph.view(blocker) === undefined)) drawFrom(view.id);
  // What is left hangs in a cycle only.
  for (const view of graph.views) if (!drawn.has(view.id)) drawFrom(view.id);
  if (critical.size > 0) lines.push('', `★ ${text.task.critical}: ${graph.criticalPath.join(' → ')}`);
  return lines;
}

/** The branch lines left of a task; deeper than the screen has room for, the depth is told instead. */
function branchOf({ depth, prefix, last }: Place, room: number): string {
  if (depth === 0) return '';
  const branch = last ? '└ ' : '├ ';
  return depth * 2 <= room ? prefix + branch : `…${depth} ${branch}`;
}

function lineOf(
  print: Printer,
  text: Text,
  view: TaskView,
  { known, critical, left }: { readonly known: boolean; readonly critical: boolean; readonly left: number },
): string {
  const star = critical ? ' ★' : '';
  const title = view.title === view.id || known ? '' : `  ${view.title}`;
  // That it waits for the task above it is what the tree shows; only another reason is said.
  const facts = known ? '↑' : taskFacts({ ...view, waits: view.waits.filter(({ why }) => why !== 'unfinished') }, text);
  const sign = mark(print, view);
  if (!print.terminal) return `${sign} ${view.id}${star}${title}  ${facts}`;
  const room = Math.max(KEPT_FOR_TASK, print.columns - left) - 2;
  const body = shortened(`${shortened(view.id, WIDEST_ID)}${star}  ${facts}${title}`, Math.min(room, print.columns - 2));
  return `${sign} ${critical && print.colour ? `${BOLD[0]}${body}${BOLD[1]}` : body}`;
}
