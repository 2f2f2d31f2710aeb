// The sidebar: five cards, each as long as it must be, the later ones giving way first when the screen is low.

import type { TaskLine } from '../../slash/ports.ts';
import { bold, clipLine, justify, type Line, type StyleName, span } from '../spans.ts';
import type { State, TeammateView } from '../state.ts';
import { dollars, runningTime, shortCount, shortMoment } from './figures.ts';

interface Card {
  readonly title: Line;
  readonly lines: readonly Line[];
}

const BAR = 10;

/** STATUS, TASKS, TEAM, MEMORY and CRON in `height` rows; each keeps its title and at least one line. */
export function sidebarLines(state: State, width: number, height: number): Line[] {
  const cards = [
    statusCard(state, width),
    tasksCard(state, width),
    teamCard(state, width),
    memoryCard(state, width),
    cronCard(state, width),
  ];
  const rows = shares(
    cards.map((card) => card.lines.length),
    height,
  );
  const out: Line[] = [];
  cards.forEach((card, index) => {
    const room = rows[index] ?? 0;
    if (room === 0) return;
    if (out.length > 0) out.push([]);
    out.push(clipLine(card.title, width));
    const cut = card.lines.length > room;
    const shown = cut ? card.lines.slice(0, Math.max(0, room - 1)) : card.lines;
    out.push(...shown.map((line) => clipLine(line, width)));
    if (cut) out.push([span(state.text.screen.tasks.more(card.lines.length - shown.length), 'dim')]);
  });
  return out.slice(0, height);
}

/** How many lines each card may have: a title and an empty line are taken off for each, then the longest gives. */
function shares(wanted: readonly number[], height: number): number[] {
  const rows = [...wanted];
  const total = () => rows.reduce((sum, count) => sum + (count === 0 ? 0 : count + 2), -1);
  while (total() > height) {
    const most = Math.max(...rows);
    if (most <= 1) {
      // Not even one line each: the last card goes.
      const last = rows.findLastIndex((count) => count > 0);
      if (last <= 0) break;
      rows[last] = 0;
      continue;
    }
    const index = rows.lastIndexOf(most);
    rows[index] = most - 1;
  }
  return rows;
}

function title(name: string, more = ''): Line {
  return [bold(name, 'accent'), span(more === '' ? '' : `  ${more}`, 'dim')];
}

function statusCard(state: State, width: number): Card {
  const words = state.text.screen.status;
  const running: Line = state.running
    ? [
        span('● ', 'accent'),
        span(state.interrupting ? words.interrupting : words.running(runningTime(state.now - state.turnStartedAt)), 'accent'),
      ]
    : [span('○ ', 'dim'), span(words.idle)];
  const share = state.window > 0 ? Math.min(1, state.contextTokens / state.window) : 0;
  const filled = Math.round(share * BAR);
  const used = words.of(shortCount(state.contextTokens), shortCount(state.window));
  const bar: Line = [
    span('█'.repeat(filled), share > 0.75 ? 'warn' : 'accent'),
    span('░'.repeat(BAR - filled), 'border'),
    span(` ${Math.round(share * 100)} %`, 'dim'),
  ];
  const price = state.model.price === 'unknown' ? words.costUnknown : words.price(state.model.price);
  const cost = state.costUsd === null ? price : dollars(state.costUsd);
  return {
    title: title(words.title),
    lines: [
      justify(running, [span(words.mode(state.mode), 'dim')], width),
      [span(state.model.model, 'text')],
      width < 30 ? [span(used)] : justify([span(used)], bar, width),
      justify([span(cost, 'dim')], [span(state.memory.on ? words.memoryOn : words.memoryOff, 'dim')], width),
    ],
  };
}

const TASK_MARKS: Readonly<Record<string, readonly [string, StyleName]>> = {
  completed: ['✓', 'good'],
  in_progress: ['▶', 'accent'],
  pending: ['·', 'dim'],
  failed: ['✗', 'bad'],
};
const TASK_ORDER = ['in_progress', 'failed', 'pending', 'completed'];

function tasksCard(state: State, width: number): Card {
  const words = state.text.screen.tasks;
  const done = state.tasks.filter((task) => task.state === 'completed').length;
  if (state.tasks.length === 0) return { title: title(words.title), lines: [[span(words.none, 'dim')]] };
  const ordered = [...state.tasks].sort((a, b) => TASK_ORDER.indexOf(a.state) - TASK_ORDER.indexOf(b.state));
  return { title: title(words.title, words.count(done, state.tasks.length)), lines: ordered.map((task) => taskLine(state, task, width)) };
}

function taskLine(state: State, task: TaskLine, width: number): Line {
  const words = state.text.screen.tasks;
  const [mark, style] = TASK_MARKS[task.state] ?? ['?', 'dim'];
  const note =
    task.state === 'completed'
      ? task.landed === false
        ? words.notLanded
        : task.landed === true
          ? words.landed
          : ''
      : task.waitingFor.length > 0
        ? words.waits(task.waitingFor.join(', '))
        : (task.assignee ?? '');
  const right = clipLine([span(note, 'dim')], Math.max(0, Math.floor(width / 2)));
  return justify([span(`${mark} `, style), span(task.id || task.title, task.state === 'completed' ? 'dim' : 'text')], right, width);
}

function teamCard(state: State, width: number): Card {
  const words = state.text.screen.team;
  if (!state.teamOn && state.team.length === 0) return { title: title(words.title), lines: [[span(words.off, 'dim')]] };
  if (state.team.length === 0) return { title: title(words.title, words.count(0, state.teamMax)), lines: [[span(words.none, 'dim')]] };
  return {
    title: title(words.title, words.count(state.team.length, state.teamMax)),
    lines: state.team.flatMap((mate, index) => teammateLines(state, mate, index, width)),
  };
}

function teammateLines(state: State, mate: TeammateView, index: number, width: number): Line[] {
  const chosen = state.focus === 'team' && index === state.teammate;
  const words = state.text.screen.team;
  const asking = mate.activity === 'asking';
  const acting =
    mate.state === 'working'
      ? `${activityText(state, mate)} ${runningTime(state.now - mate.since)}`
      : (words.states[mate.state] ?? mate.state);
  const style: StyleName = mate.state === 'crashed' ? 'bad' : asking ? 'warn' : mate.state === 'working' ? 'text' : 'dim';
  const head = justify(
    [span(`${chosen ? '▸' : ' '}${mate.name} `, chosen ? 'selected' : 'accent'), span(` ${acting}`, style)],
    [span(shortCount(mate.tokens), 'dim')],
    width,
  );
  if (!chosen) return mate.task === undefined ? [head] : [head, clipLine([span(`   ${mate.task}`, 'dim')], width)];
  const facts = [
    mate.task ?? '',
    mate.branch ?? '',
    mate.files.length === 0 ? '' : state.text.screen.inFiles(mate.files.length),
    mate.costUsd === null || mate.costUsd === 0 ? '' : dollars(mate.costUsd),
  ].filter((part) => part !== '');
  return [
    head,
    ...facts.map((fact): Line => clipLine([span(`   ${fact}`, 'dim')], width)),
    ...mate.files.slice(0, 3).map((file): Line => clipLine([span(`   ${file}`, 'dim')], width)),
  ];
}

function activityText(state: State, mate: TeammateView): string {
  const words = state.text.screen.team;
  switch (mate.activity) {
    case 'tool':
      return `⚙ ${mate.detail === '' ? (words.activities.tool ?? '') : mate.detail}`;
    case 'asking':
      return `? ${words.activities.asking ?? ''}`;
    case 'thinking':
    case 'waiting':
      return words.activities[mate.activity] ?? mate.activity;
  }
}

function memoryCard(state: State, width: number): Card {
  const words = state.text.screen.memory;
  const { memory } = state;
  if (!memory.on) return { title: title(words.title), lines: [[span(words.off, 'dim')]] };
  const more = memory.recalled.length > 0 ? words.recalled(memory.recalled.length) : memory.topics > 0 ? words.topics(memory.topics) : '';
  const lines: Line[] = memory.recalled.map((topic) => clipLine([span(topic)], width));
  if (memory.conflicts > 0) lines.push([span(words.conflicts(memory.conflicts), 'warn')]);
  if (lines.length === 0) lines.push([span(memory.topics > 0 ? '—' : words.none, 'dim')]);
  return { title: title(words.title, more), lines };
}

function cronCard(state: State, width: number): Card {
  const words = state.text.screen.cron;
  if (state.schedule.length === 0) return { title: title(words.title), lines: [[span(words.none, 'dim')]] };
  const rows = [...state.schedule].sort((a, b) => (a.nextRun ?? Number.MAX_SAFE_INTEGER) - (b.nextRun ?? Number.MAX_SAFE_INTEGER));
  return {
    title: title(words.title),
    lines: rows.map((row) => {
      const when = !row.enabled ? words.off : row.nextRun === undefined ? '—' : shortMoment(row.nextRun, state.now);
      const last = row.lastStatus === undefined ? '' : words.last(state.text.schedule.status(row.lastStatus));
      return justify(
        [span(`${when} `, row.enabled ? 'accent' : 'dim'), span(row.id)],
        [span(last, row.lastStatus === 'failed' ? 'bad' : 'dim')],
        width,
      );
    }),
  };
}
