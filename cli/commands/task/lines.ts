// The list of tasks as lines: mark, id, title, and what each is at. Cut to the width at a terminal, whole in a pipe.
import type { TaskGraph, TaskView } from '../../../store/tasks/graph.ts';
import { padded, shortened, width } from '../../print/columns.ts';
import type { Printer } from '../../print/printer.ts';
import type { Text } from '../../text/text.ts';
import { taskFacts, taskMark } from './words.ts';

const WIDEST_ID = 24;
const WIDEST_FACTS = 30;
const LEAST_TITLE = 12;
/** In a pipe titles are never cut; those up to this width line up. */
const WIDEST_ALIGNED = 40;
const COLOURS = { '○': '1', '▶': '33', '✗': '31', '✓': '32', '·': '2', '▪': '2' } as const;

/** One line a task. */
export function taskLines(print: Printer, text: Text, views: readonly TaskView[]): string[] {
  const rows = views.map((view) => ({ view, facts: taskFacts(view, text), title: view.title === view.id ? '' : view.title }));
  const ids = Math.min(WIDEST_ID, widest(rows.map(({ view }) => view.id)));
  const titles = widest(rows.map(({ title }) => title));
  if (!print.terminal) {
    const room = Math.min(WIDEST_ALIGNED, titles);
    return rows.map(({ view, title, facts }) => {
      const middle = titles === 0 ? '' : `${padded(title, room)}  `;
      return `${taskMark(view)} ${padded(view.id, ids)}  ${middle}${facts}`;
    });
  }
  const facts = Math.min(WIDEST_FACTS, widest(rows.map((row) => row.facts)));
  const room = Math.min(titles, Math.max(LEAST_TITLE, print.columns - ids - facts - 6));
  return rows.map(({ view, title, facts: words }) => {
    const middle = titles === 0 ? '' : `${padded(shortened(title, room), room)}  `;
    const line = `${padded(shortened(view.id, ids), ids)}  ${middle}${words}`;
    return `${mark(print, view)} ${shortened(line, print.columns - 2)}`;
  });
}

/** A task's mark, coloured where that is wanted. */
export function mark(print: Printer, view: TaskView): string {
  const sign = taskMark(view);
  const colour = Object.entries(COLOURS).find(([known]) => known === sign)?.[1];
  return print.colour && colour !== undefined ? `\u001b[${colour}m${sign}\u001b[0m` : sign;
}

/** How many tasks are in which state: `2 ready · 1 in progress`. */
export function countLine(text: Text, views: readonly TaskView[]): string {
  const counts = { ready: 0, working: 0, waiting: 0, failed: 0, completed: 0, archived: 0 };
  for (const view of views) counts[kindOf(view)]++;
  const { count } = text.task;
  return [
    counts.ready > 0 ? count.ready(counts.ready) : '',
    counts.working > 0 ? count.working(counts.working) : '',
    counts.waiting > 0 ? count.waiting(counts.waiting) : '',
    counts.failed > 0 ? count.failed(counts.failed) : '',
    counts.completed > 0 ? count.completed(counts.completed) : '',
    counts.archived > 0 ? count.archived(counts.archived) : '',
  ]
    .filter((part) => part !== '')
    .join(' · ');
}

/** Names each cycle on stderr: such tasks never become ready. */
export function warnOfCycles(print: Printer, text: Text, graph: TaskGraph): void {
  for (const cycle of graph.cycles) {
    print.warn(`xz: ${text.task.cycle(cycle.join(' -> '))}`);
    print.warn(`${text.common.hint}: ${text.task.cycleHint}`);
  }
}

function kindOf(view: TaskView): 'ready' | 'working' | 'waiting' | 'failed' | 'completed' | 'archived' {
  if (view.archived !== undefined) return 'archived';
  switch (view.state) {
    case 'pending':
      return view.ready ? 'ready' : 'waiting';
    case 'in_progress':
      return 'working';
    case 'completed':
      return 'completed';
    case 'failed':
      return 'failed';
  }
}

function widest(texts: readonly string[]): number {
  let most = 0;
  for (const text of texts) most = Math.max(most, width(text));
  return most;
}
