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
  const roots = graph.views.filter((view) => view.blockedBy.every((blocker) => graph.view(blocker) === undefined));
  for (const view of roots) drawFrom(view.id);
  // What is left hangs in a cycle only.
  for (const view of graph.views) if (!drawn.has(view.id)) drawFrom(view.id);
  if (critical.size > 0) {
    lines.push('');
    lines.push(`★ ${text.task.critical}: ${graph.criticalPath.join(' → ')}`);
  }
  return lines;

  function drawFrom(root: string): void {
    const stack: Place[] = [{ id: root, depth: 0, prefix: '', last: true }];
    for (let place = stack.pop(); place !== undefined; place = stack.pop()) {
      const view = graph.view(place.id);
      if (view === undefined) continue;
      const known = drawn.has(place.id);
      drawn.add(place.id);
      lines.push(lineOf(print, text, place, view, { known, critical: critical.has(place.id) }));
      if (known) continue;
      const prefix = place.depth === 0 ? '' : place.prefix + (place.last ? '  ' : '│ ');
      const children = inOrder(graph, graph.dependents(place.id));
      const next = children.map((id, at) => ({ id, depth: (place?.depth ?? 0) + 1, prefix, last: at === children.length - 1 }));
      stack.push(...next.reverse());
    }
  }
}

function lineOf(
  print: Printer,
  text: Text,
  place: Place,
  view: TaskView,
  { known, critical }: { readonly known: boolean; readonly critical: boolean },
): string {
  const branch = place.depth === 0 ? '' : `${place.prefix}${place.last ? '└ ' : '├ '}`;
  const room = Math.max(0, print.columns - KEPT_FOR_TASK);
  // Deeper than the screen is wide: the depth is told instead of drawn.
  const left = branch.length <= room ? branch : `…${place.depth} ${branch.slice(-2)}`;
  const star = critical ? ' ★' : '';
  const title = view.title === view.id || known ? '' : `  ${view.title}`;
  const facts = known ? '↑' : taskFacts(view, text);
  const id = critical && print.colour ? `${BOLD[0]}${view.id}${BOLD[1]}` : view.id;
  if (!print.terminal) return `${left}${mark(print, view)} ${view.id}${star}${title}  ${facts}`;
  const body = shortened(`${view.id}${star}  ${facts}${title}`, print.columns - left.length - 2);
  return `${left}${mark(print, view)} ${body.startsWith(view.id) ? id + body.slice(view.id.length) : body}`;
}

/** In the order of the list: what can be done next first. */
function inOrder(graph: TaskGraph, ids: readonly string[]): string[] {
  const wanted = new Set(ids);
  return ids.length < 2 ? [...ids] : graph.views.filter((view) => wanted.has(view.id)).map((view) => view.id);
}
