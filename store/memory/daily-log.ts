// The daily logs, `.agents/memory/YYYY-MM-DD.md`: the person's own calendar day, entries only ever added at the end.
import { join } from 'node:path';
import { localDate, localTime } from '../clock.ts';
import { appendText, ensureFolder, readBytes } from '../files.ts';
import { ensureStore, type Layout } from '../layout.ts';
import type { Locks } from '../lock.ts';
import { blocksOf } from '../search/blocks.ts';
import { MEMORY_LOCK } from './write.ts';

export interface LogEntry {
  /** When it was said, in ms since the epoch: decides the file and the time in the heading. */
  readonly at: number;
  readonly tags: readonly string[];
  readonly title: string;
  readonly content: string;
}

const LONGEST_TITLE = 80;

/** Where a day's log is, as search names it. */
export function logSource(at: number): string {
  return `memory/${localDate(at)}.md`;
}

/** Adds an entry to the log of its day; false when exactly this entry, time included, is there already. */
export async function appendToLog(layout: Layout, locks: Locks, entry: LogEntry, signal?: AbortSignal): Promise<boolean> {
  const path = join(layout.dailyLogs, `${localDate(entry.at)}.md`);
  ensureStore(layout, 'agents');
  ensureFolder(layout.dailyLogs);
  return locks.withLock(MEMORY_LOCK, signal, () => {
    const have = readBytes(path)?.toString('utf8') ?? '';
    const block = logBlock(entry);
    if (have.replaceAll('\r\n', '\n').includes(block)) return false;
    const eol = have.includes('\r\n') ? '\r\n' : '\n';
    const before = have === '' ? `# ${localDate(entry.at)}\n\n` : have.endsWith('\n') ? '\n' : '\n\n';
    appendText(path, (before + block).replaceAll('\n', eol));
    return true;
  });
}

function logBlock({ at, tags, title, content }: LogEntry): string {
  const marks = tags.map((tag) => `[${tag}] `).join('');
  return `## ${localTime(at)} - ${marks}${headline(title)}\n\n${contained(content)}\n`;
}

function headline(title: string): string {
  const line = title
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .replace(/\s+#+$/u, '')
    .trim();
  const chars = Array.from(line);
  return chars.length > LONGEST_TITLE ? `${chars.slice(0, LONGEST_TITLE - 1).join('')}…` : line;
}

/** Content that would begin a heading of its own, or leave something open for the next entry to fall into, is quoted. */
function contained(content: string): string {
  const lines = content.trim().split(/\r?\n/);
  const probe = blocksOf([...lines, '', '## probe']);
  const heads = probe.filter((block) => block.heading !== undefined && block.heading <= 2);
  const alone = heads.length === 1 && heads[0]?.title === 'probe' && lines[0]?.trim() !== '---';
  return (alone ? lines : lines.map((line) => `> ${line}`.trimEnd())).join('\n');
}
