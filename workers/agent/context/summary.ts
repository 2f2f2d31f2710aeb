// The third layer: the older part of a conversation is replaced by a summary. Pure parts: where to cut, what the model
// is asked, what the summary row says. A call is never split from its result, and the present request stays word for word.
import { type Content, callsOf, visibleText } from '../../../store/sessions/message.ts';
import type { MessageRow } from '../../../store/sessions/sessions.ts';

/** What counts the tokens of one content. */
export type CountTokens = (content: Content) => number;

/**
 * The id of the last row to summarise: the newest rows that fit `keepTokens` stay, and the cut never falls between a
 * call and its result. Undefined when nothing older than that is left to summarise.
 */
export function cutPoint(rows: readonly MessageRow[], keepTokens: number, count: CountTokens): number | undefined {
  let kept = 0;
  let from = rows.length;
  for (let i = rows.length - 1; i > 0; i--) {
    kept += count(rows[i]?.content ?? { role: 'user', text: '' });
    // A kept part may start with anything but a result, whose call would be cut off.
    if (rows[i]?.content.role !== 'tool') {
      if (kept > keepTokens && from < rows.length) break;
      from = i;
    }
    if (kept > keepTokens * 2) break;
  }
  const last = rows[from - 1];
  return from < rows.length && last !== undefined && from > 1 ? last.id : undefined;
}

/**
 * The present request word for word, when the cut takes it away: what the newest turn was begun with, by a person, a
 * wake-up, or (a teammate's task) by mail. `rows` are all that were not rolled back, those summarised before too.
 */
export function presentRequest(rows: readonly MessageRow[], through: number): string | undefined {
  const turn = rows.findLast(isRequest)?.turn;
  const asked = rows.filter((row) => row.turn === turn && isRequest(row));
  const typed = asked.filter(({ content }) => content.role === 'user' && content.origin?.type !== 'mail');
  const cut = (typed.length > 0 ? typed : asked).filter(({ id }) => id <= through);
  return cut.length === 0 ? undefined : cut.map(({ content }) => visibleText(content)).join('\n\n');
}

function isRequest({ content }: MessageRow): boolean {
  return content.role === 'user' && content.origin?.type !== 'note' && content.origin?.type !== 'summary';
}

export const SUMMARY_SYSTEM =
  'You condense the working conversation of a coding agent so that it can go on without the original. Be exact and plain. Write in the language of the conversation.';

/**
 * What the model is asked: the older rows as plain text, at most about `maxChars` characters. Where not all fits, the
 * longest pieces are clipped first, and what people said and an earlier summary last.
 */
export function summaryPrompt(rows: readonly MessageRow[], maxChars: number, isShort = false): string {
  const pieces = rows.flatMap(({ content }) => piecesOf(content));
  const fits = (each: number) =>
    pieces.reduce((sum, { label, text, share }) => sum + label.length + Math.min(text.length, each * share) + 1, 0) <= maxChars;
  let each = maxChars;
  while (each > LEAST_EACH && !fits(each)) each = Math.max(LEAST_EACH, Math.floor(each * 0.7));
  const lines = pieces.map(({ label, text, share }) => `${label}${clip(text, each * share)}`);
  return [
    'Summarise the conversation below for the agent that continues it. Keep: what the person asked for and every constraint they gave; decisions and why; files read and changed, with paths; commands run and what they showed; what is done, what is open, what comes next; names, ids and numbers exactly. Leave out: greetings, repeated output. Use short sections. Do not continue the work.',
    ...(isShort ? ['A summary before was cut off at your output limit: write at most 600 words.'] : []),
    '',
    '<conversation>',
    clip(lines.join('\n'), maxChars),
    '</conversation>',
  ].join('\n');
}

const LEAST_EACH = 300;

interface Piece {
  readonly label: string;
  readonly text: string;
  /** How many times as long as a tool result it may be. */
  readonly share: number;
}

function piecesOf(content: Content): Piece[] {
  switch (content.role) {
    case 'user':
      return [{ label: 'USER: ', text: content.text, share: content.origin?.type === 'summary' ? 20 : 4 }];
    case 'assistant':
      return [
        { label: 'AGENT: ', text: visibleText(content), share: 2 },
        ...callsOf(content).map((call) => ({ label: `  CALL ${call.name} `, text: JSON.stringify(call.arguments), share: 1 })),
      ];
    case 'tool':
      return [{ label: `RESULT of ${content.name}${content.isError ? ' (error)' : ''}: `, text: content.text, share: 1 }];
  }
}

/** The text of the row that stands for everything before. */
export function summaryText(summary: string, request: string | undefined): string {
  return [
    '[Summary of the conversation so far, written by the harness; the original is searchable with `xz history search`]',
    summary.trim(),
    ...(request === undefined ? [] : ['', '[The present request, word for word]', request]),
  ].join('\n');
}

function clip(text: string, most: number): string {
  if (text.length <= most) return text;
  const head = Math.floor(most * 0.6);
  return `${text.slice(0, head)}\n[… ${text.length - most} characters …]\n${text.slice(text.length - (most - head))}`;
}
