// Lines of the input and who gets them: what is asked of the person before the conversation. Lines of a pipe may be there
// before anybody wants them.

export interface Asked {
  /** Puts it to the person. Called once its turn has come: of several, each is asked when the one before is settled. */
  readonly begin: () => void;
  /** Whether a line that was there before it was asked can be its answer. */
  readonly fits: (line: string) => boolean;
  /** Takes it back: the next line is somebody else's. */
  readonly signal?: AbortSignal;
}

export interface LineQueue {
  /** A line has come. */
  push(line: string): void;
  /** The next line for the conversation; undefined when a question took what there was. */
  next(): string | undefined;
  /**
   * The next line as an answer, empty at the end of the input; undefined when it was taken back. A line that is there
   * already is taken only if it fits.
   */
  ask(asked: Asked): Promise<string | undefined>;
  isAsking(): boolean;
  /** No more lines will come. */
  end(): void;
}

interface Waiting extends Asked {
  readonly answer: (line: string | undefined) => void;
}

export function lineQueue(): LineQueue {
  const unread: string[] = [];
  const asking: Waiting[] = [];
  let ended = false;
  const settle = (line: string | undefined): void => {
    asking.shift()?.answer(line);
    putNext();
  };
  const putNext = (): void => {
    const [first] = asking;
    if (first === undefined) return;
    first.begin();
    const [line] = unread;
    if (line !== undefined) settle(first.fits(line) ? unread.shift() : '');
    else if (ended) settle('');
  };
  const takeBack = (waiting: Waiting): void => {
    const at = asking.indexOf(waiting);
    if (at === -1) return;
    asking.splice(at, 1);
    waiting.answer(undefined);
    if (at === 0) putNext();
  };
  return {
    push(line) {
      if (asking.length === 0) unread.push(line);
      else settle(line);
    },
    next: () => unread.shift(),
    ask(asked) {
      return new Promise((answer) => {
        const waiting: Waiting = { ...asked, answer };
        if (asked.signal?.aborted) return answer(undefined);
        asked.signal?.addEventListener('abort', () => takeBack(waiting), { once: true });
        if (asking.push(waiting) === 1) putNext();
      });
    },
    isAsking: () => asking.length > 0,
    end() {
      ended = true;
      settle('');
    },
  };
}
