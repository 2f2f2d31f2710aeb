// What the REPL prints: whole lines, and text that streams in. A line never begins in the middle of streamed text, and
// nothing printed can steer a terminal, also one behind a pipe.
import { visibleText } from '../../workers/agent/tools/visible-text.ts';
import type { Printer } from '../print/printer.ts';
import type { Prompt } from './prompt.ts';

export interface ReplOutput {
  line(words: string): void;
  /** A piece of text that more may follow. */
  stream(delta: string): void;
  /** The streamed text is complete. */
  endStream(): void;
  /** An answer is waited for on the same line. */
  ask(words: string): void;
}

/** `prompt` stands in the way of what is printed. */
export function replOutput(print: Printer, prompt: Prompt): ReplOutput {
  let open = false;
  const endStream = () => {
    if (open) print.raw('\n');
    open = false;
  };
  return {
    endStream,
    line(words) {
      endStream();
      prompt.giveWay();
      print.line(words);
    },
    stream(delta) {
      if (delta === '') return;
      prompt.giveWay();
      print.raw(visibleText(delta));
      open = !delta.endsWith('\n');
    },
    ask(words) {
      prompt.giveWay();
      print.raw(words);
    },
  };
}
