// The prompt at a terminal: it gives way to what is printed, and comes back below it with what was typed meanwhile.
import { clearScreenDown, cursorTo, type Interface, moveCursor } from 'node:readline';

export interface Prompt {
  /** Shows it in the row where the cursor is, with what was typed. */
  show(): void;
  /** Takes it off, so that its row is free for what is printed now. */
  giveWay(): void;
}

/** No prompt, for the lines of a pipe. */
export const NO_PROMPT: Prompt = { show: () => undefined, giveWay: () => undefined };

export function terminalPrompt(reader: Interface, output: NodeJS.WritableStream): Prompt {
  let isShown = false;
  // The end of a line leaves it behind, in a row of its own.
  reader.on('line', () => {
    isShown = false;
  });
  return {
    show() {
      isShown = true;
      reader.prompt(true);
    },
    giveWay() {
      if (!isShown) return;
      isShown = false;
      moveCursor(output, 0, -reader.getCursorPos().rows);
      cursorTo(output, 0);
      clearScreenDown(output);
      // Else the reader would go back by so many rows when it draws itself anew, over what was printed.
      Reflect.set(reader, 'prevRows', 0);
    },
  };
}
