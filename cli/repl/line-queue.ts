// Lines of the input and who gets them: an open question before the conversation. Lines of a pipe may be there before
// anybody wants them.
export interface LineQueue {
  /** A line has come. */
  push(line: string): void;
  /** The next line for the conversation; undefined when a question took what there was. */
  next(): string | undefined;
  /** The next line as an answer, empty at the end of the input. One that is there already is taken only if it fits. */
  ask(fits: (line: string) => boolean): Promise<string>;
  isAsking(): boolean;
  /** No more lines will come. */
  end(): void;
}

export function lineQueue(): LineQueue {
  const unread: string[] = [];
  let ended = false;
  let asking: ((line: string) => void) | undefined;
  const answer = (line: string) => {
    const answered = asking;
    asking = undefined;
    answered?.(line);
  };
  return {
    push(line) {
      if (asking === undefined) unread.push(line);
      else answer(line);
    },
    next: () => unread.shift(),
    ask(fits) {
      const [next] = unread;
      if (next !== undefined || ended) return Promise.resolve(next !== undefined && fits(next) ? (unread.shift() ?? '') : '');
      return new Promise((resolve) => {
        asking = resolve;
      });
    },
    isAsking: () => asking !== undefined,
    end() {
      ended = true;
      answer('');
    },
  };
}
