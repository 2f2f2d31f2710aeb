// The second layer of context care: old tool results that the model has already used are sent as head and tail. The
// stored rows keep everything; only what is sent changes, and only when the context is getting full (so that a
// provider's cache is not spoilt for nothing).
import type { Content } from '../../../store/sessions/message.ts';
import type { MessageRow } from '../../../store/sessions/sessions.ts';

/** Results shorter than this many characters are never shrunk. */
const WORTH_SHRINKING = 2_000;
const KEPT_HEAD = 600;
const KEPT_TAIL = 400;
/** Assistant messages whose results stay whole, counted from the end. */
const RECENT_REPLIES = 3;

/** Id of the newest row that may be shrunk: everything before the last three replies; 0 when there is nothing. */
export function shrinkableThrough(rows: readonly MessageRow[]): number {
  const replies = rows.filter((row) => row.content.role === 'assistant');
  const firstRecent = replies.at(-RECENT_REPLIES);
  return firstRecent === undefined ? 0 : firstRecent.id - 1;
}

/** The contents to send: results up to row `through` are shrunk. */
export function shrunk(rows: readonly MessageRow[], through: number): Content[] {
  return rows.map(({ id, content }) => (id <= through ? shrinkOne(content) : content));
}

function shrinkOne(content: Content): Content {
  if (content.role !== 'tool' || content.text.length <= WORTH_SHRINKING) return content;
  const chars = Array.from(content.text);
  if (chars.length <= WORTH_SHRINKING) return content;
  const left = chars.length - KEPT_HEAD - KEPT_TAIL;
  return {
    ...content,
    text: `${chars.slice(0, KEPT_HEAD).join('')}\n[… ${left} characters of this result are left out to fit your window; call the tool again for the part that you need …]\n${chars.slice(-KEPT_TAIL).join('')}`,
  };
}
