// A pasted text at a terminal without paste marks: its lines come faster than anybody types, and are one text.
import type { Clock } from '../../store/clock.ts';

/** Lines of a paste follow each other faster than this. */
const WAIT_MS = 40;
/** So many letters behind the last line end are the rest of the paste; fewer may be the next word of a quick typist. */
const LEAST_REST = 4;

export interface PastedLines {
  /** A line has come. */
  push(line: string): void;
  /** What is held goes on now. */
  flush(): void;
  /** What is held is given up. */
  drop(): void;
}

/**
 * Hands each line to `take` when no other follows it at once, and lines that do as one text with its line ends. `rest` is
 * what stands in the line that is not ended: a paste that ends in the middle of a line waits for its end.
 */
export function pastedLines(clock: Clock, rest: () => string, take: (text: string, pasted: boolean) => void): PastedLines {
  let held: string[] = [];
  let cancel = () => {};
  const flush = () => {
    cancel();
    const lines = held;
    held = [];
    if (lines.length > 0) take(lines.join('\n'), lines.length > 1);
  };
  return {
    push(line) {
      held.push(line);
      cancel();
      cancel = clock.after(WAIT_MS, () => {
        if (rest().length < LEAST_REST) flush();
      });
    },
    flush,
    drop() {
      cancel();
      held = [];
    },
  };
}
