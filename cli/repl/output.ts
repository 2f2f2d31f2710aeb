// What the REPL prints: whole lines, and text that streams in. A line never begins in the middle of streamed text, and
// nothing printed can steer a terminal, also one behind a pipe.
import { visibleText } from '../../workers/agent/tools/visible-text.ts';
import type { Printer } from '../print/printer.ts';

export interface ReplOutput {
  line(words: string): void;
  /** A piece of text that more may follow. */
  stream(delta: string): void;
  /** The streamed text is complete. */
  endStream(): void;
  /** Waits for an answer on the same line. */
  prompt(words: string): void;
}

export function replOutput(print: Printer): ReplOutput {
  let open = false;
  const endStream = () => {
    if (open) print.raw('\n');
    open = false;
  };
  return {
    endStream,
    line(words) {
      endStream();
      print.line(words);
    },
    stream(delta) {
      if (delta === '') return;
      print.raw(visibleText(delta));
      open = !delta.endsWith('\n');
    },
    prompt: (words) => print.raw(words),
  };
}
