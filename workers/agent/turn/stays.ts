// After an interrupt a turn is rolled back, but what it did to the world stays. The next turn starts with one note that
// says what that is, so that the model neither repeats nor forgets it. Pure: rows in, text out.

import { callsOf, type ToolContent } from '../../../store/sessions/message.ts';
import type { MessageRow, TurnRow } from '../../../store/sessions/sessions.ts';
import { beginningOf } from '../beginning.ts';

/** Tools whose effect outlives a rolled-back turn, and how the note names it. */
const EFFECTS: ReadonlyMap<string, string> = new Map([
  ['create_task', 'tasks'],
  ['update_task', 'tasks'],
  ['archive_tasks', 'tasks'],
  ['dispatch_task', 'tasks'],
  ['spawn_teammate', 'teammates'],
  ['release_teammate', 'teammates'],
  ['assign_task', 'mail'],
  ['review_teammate', 'mail'],
  ['broadcast_notice', 'mail'],
  ['send_notice', 'mail'],
  ['merge_teammate', 'merges'],
  ['schedule_task', 'schedules'],
  ['cancel_schedule', 'schedules'],
  ['memory_append', 'memory'],
]);

/**
 * The note for the turns rolled back since the last one that was kept, or undefined when there are none.
 * `turns` and `rows` are the session's, in order.
 */
export function noteOfWhatStays(turns: readonly TurnRow[], rows: readonly MessageRow[]): string | undefined {
  const lastKept = turns.findLastIndex((turn) => turn.state !== 'rolled_back');
  const undone = new Set(turns.slice(lastKept + 1).map((turn) => turn.id));
  if (undone.size === 0) return undefined;
  const mine = rows.filter((row) => undone.has(row.turn));
  const requests = mine.flatMap(({ content }) => (content.role === 'user' && content.origin === undefined ? [content.text] : []));
  const stays = [...changedFiles(mine), ...effects(mine), ...commands(mine)];
  return [
    '[Note from the harness] The previous request was interrupted and rolled back; you no longer see what you did for it.',
    ...requests.map((text) => `It was: "${clip(text, 400)}"`),
    stays.length > 0 ? `What it did stays:\n${stays.map((line) => `- ${line}`).join('\n')}` : 'It changed nothing.',
  ].join('\n');
}

function changedFiles(rows: readonly MessageRow[]): string[] {
  const files = new Set(rows.flatMap(({ content }) => (content.role === 'tool' ? changedBy(content) : [])));
  return files.size === 0 ? [] : [`files changed: ${[...files].join(', ')}`];
}

/** Paths that a tool result says it changed. */
export function changedBy(content: ToolContent): string[] {
  const files = content.facts?.changedFiles;
  return Array.isArray(files) ? files.filter((file) => typeof file === 'string') : [];
}

function effects(rows: readonly MessageRow[]): string[] {
  return rows.flatMap(({ content }) => {
    const kind = content.role === 'tool' && !content.isError ? EFFECTS.get(content.name) : undefined;
    return kind === undefined || content.role !== 'tool' ? [] : [`${kind}: ${content.name} answered "${clip(content.text, 160)}"`];
  });
}

function commands(rows: readonly MessageRow[]): string[] {
  const run = rows.flatMap(({ content }) => (content.role === 'assistant' ? callsOf(content) : [])).filter((call) => call.name === 'bash');
  return run.map((call) => `a command was run or begun: ${clip(String(call.arguments.command), 160)}`);
}

function clip(text: string, most: number): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length > most ? `${beginningOf(line, most)}…` : line;
}
