// What an agent is told of itself, of the person and of the last two days when a session begins. Each file has a budget;
// whole files come first, and whatever is cut is named to the model in its place and to the person as a notice.
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { localDate } from '../clock.ts';
import { errnoOf } from '../errors.ts';
import { readText } from '../files.ts';
import type { Layout } from '../layout.ts';
import { estimateTokens } from '../search/tokens.ts';

export interface PreloadSettings {
  readonly preloadIdentity: boolean;
  readonly preloadMemory: boolean;
  /** For all files together. */
  readonly preloadTokens: number;
}

export interface Preloaded {
  /** Sections for the system prompt; empty when there is nothing. */
  readonly text: string;
  /** What was cut or could not be read, one line each. */
  readonly notices: readonly string[];
}

interface Part {
  /** As `xz memory get` takes it. */
  readonly file: string;
  readonly title: string;
  readonly budget: number;
  /** A log is cut at its beginning: the newest entries matter most. */
  readonly keep: 'head' | 'tail';
}

const LARGEST = 16 * 1024 * 1024;
const LOGS_TOKENS = 2_000;

/** Loads what the settings ask for; `now` decides which days are today and yesterday. */
export async function preloadIdentity(layout: Layout, settings: PreloadSettings, now: number): Promise<Preloaded> {
  const notices: string[] = [];
  const sections: string[] = [];
  let left = settings.preloadTokens;
  let logs = LOGS_TOKENS;
  for (const part of partsOf(settings, now)) {
    const read = readPart(join(layout.agents, part.file));
    if (read.problem !== undefined) notices.push(`${part.file} was not loaded: ${read.problem}`);
    const text = read.text?.replace(/\r\n/g, '\n').trim() ?? '';
    if (text === '') continue;
    const isLog = part.keep === 'tail';
    const budget = Math.min(left, isLog ? logs : part.budget);
    const whole = estimateTokens(text);
    const kept = whole <= budget ? text : await closed(part.keep === 'head' ? head(text, budget) : tail(text, budget));
    const used = Math.min(estimateTokens(kept), budget);
    left -= used;
    if (isLog) logs -= used;
    const cut = `${part.file}: about ${used} of ${whole} tokens are loaded; \`xz memory get ${part.file}\` reads the rest`;
    if (whole > budget) notices.push(cut);
    if (kept !== '' || whole > budget) sections.push(`## ${part.title} (${part.file})\n${kept}${whole > budget ? `\n[${cut}]` : ''}`);
  }
  return { text: sections.join('\n\n'), notices };
}

function partsOf({ preloadIdentity, preloadMemory }: PreloadSettings, now: number): Part[] {
  const today = localDate(now);
  // Noon of the calendar day before: days of 23 and 25 hours do not matter there.
  const noon = new Date(now);
  noon.setHours(12, 0, 0, 0);
  noon.setDate(noon.getDate() - 1);
  const yesterday = localDate(noon.getTime());
  return [
    ...(preloadIdentity
      ? [
          { file: 'SOUL.md', title: 'Who you are', budget: 2_000, keep: 'head' as const },
          { file: 'USER.md', title: 'Who the person is', budget: 1_000, keep: 'head' as const },
        ]
      : []),
    ...(preloadMemory
      ? [
          { file: 'MEMORY.md', title: 'Key facts', budget: 4_000, keep: 'head' as const },
          { file: `memory/${today}.md`, title: 'Log of today', budget: LOGS_TOKENS, keep: 'tail' as const },
          { file: `memory/${yesterday}.md`, title: 'Log of yesterday', budget: LOGS_TOKENS, keep: 'tail' as const },
        ]
      : []),
  ];
}

function readPart(path: string): { readonly text?: string | undefined; readonly problem?: string } {
  try {
    const stats = statSync(path);
    if (!stats.isFile()) return { problem: 'it is not a file' };
    if (stats.size > LARGEST) return { problem: `it is larger than ${LARGEST / 1024 / 1024} MB` };
    return { text: readText(path)?.replaceAll('\0', '') };
  } catch (error) {
    const errno = errnoOf(error) ?? '';
    if (errno === 'ENOENT' || errno === 'ENOTDIR') return {};
    if (['EACCES', 'EPERM', 'ELOOP', 'EISDIR'].includes(errno)) return { problem: `it cannot be read (${errno})` };
    throw error;
  }
}

/** A text that was cut, with the fence closed in which it may end. The parser is loaded only for that. */
async function closed(text: string): Promise<string> {
  return (await import('../memory/document.ts')).closedMarkdown(text);
}

/** The first lines within the budget. A first line that is too long is cut itself. */
function head(text: string, budget: number): string {
  const kept: string[] = [];
  let used = 0;
  for (const line of text.slice(0, budget * 8 + 1).split('\n')) {
    const size = estimateTokens(line) + 1;
    if (used + size > budget) {
      if (kept.length === 0) kept.push(part(line, budget));
      break;
    }
    kept.push(line);
    used += size;
  }
  return kept.join('\n').trimEnd();
}

/** The last lines within the budget, from the beginning of an entry where there is one. */
function tail(text: string, budget: number): string {
  const lines = text.slice(-(budget * 8 + 1)).split('\n');
  let used = 0;
  let from = lines.length;
  while (from > 0 && used + estimateTokens(lines[from - 1] ?? '') + 1 <= budget) used += estimateTokens(lines[--from] ?? '') + 1;
  const entry = lines.findIndex((line, at) => at >= from && /^## /.test(line));
  const kept = lines.slice(entry < 0 ? from : entry);
  return kept.length === 0 ? part(lines.at(-1) ?? '', budget) : kept.join('\n').trim();
}

function part(line: string, budget: number): string {
  const chars = Array.from(line.slice(0, budget * 4));
  let most = chars.length;
  while (most > 0 && estimateTokens(chars.slice(0, most).join('')) > budget) most = Math.floor(most * 0.9);
  return chars.slice(0, most).join('');
}
