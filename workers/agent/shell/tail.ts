// The end of a text that grows: whole pieces are dropped from its front, so that adding costs no copy of what is kept.

import { beginningOf } from '../beginning.ts';

export interface Tail {
  push(piece: string): void;
  /** Takes up to `units` from the front, and never half of a character that has two. */
  take(units: number): string;
  /** UTF-8 bytes dropped since the last call. */
  takeDropped(): number;
  /** All that is kept: at least `limit` units when there were so many, at most `limit` and one piece. */
  text(): string;
  readonly empty: boolean;
}

export function createTail(limit: number): Tail {
  let pieces: string[] = [];
  let length = 0;
  let dropped = 0;
  return {
    push(piece) {
      if (piece.length > limit) {
        dropped += Buffer.byteLength(piece.slice(0, -limit));
        piece = piece.slice(-limit);
      }
      pieces.push(piece);
      length += piece.length;
      for (let first = pieces[0]; first !== undefined && length - first.length >= limit; first = pieces[0]) {
        pieces.shift();
        length -= first.length;
        dropped += Buffer.byteLength(first);
      }
    },
    take(units) {
      const all = pieces.join('');
      const taken = beginningOf(all, units);
      pieces = taken.length < all.length ? [all.slice(taken.length)] : [];
      length = all.length - taken.length;
      return taken;
    },
    takeDropped() {
      const bytes = dropped;
      dropped = 0;
      return bytes;
    },
    text: () => pieces.join(''),
    get empty() {
      return length === 0;
    },
  };
}
