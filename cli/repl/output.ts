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
  /** An answer is waited for on the same line; whatever comes before it begins a new one. */
  ask(words: string): void;
  /** A line was ended at the terminal. */
  entered(): void;
}

/** `prompt` stands in the way of what is printed. */
export function replOutput(print: Printer, prompt: Prompt): ReplOutput {
  /** What the cursor stands behind. */
  let open: 'nothing' | 'text' | 'question' = 'nothing';
  const endStream = () => {
    if (open !== 'nothing') print.raw('\n');
    open = 'nothing';
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
      if (open === 'question') endStream();
      prompt.giveWay();
      print.raw(visibleText(delta));
      open = delta.endsWith('\n') ? 'nothing' : 'text';
    },
    ask(words) {
      prompt.giveWay();
      print.raw(words);
      open = 'question';
    },
    entered() {
      open = 'nothing';
    },
  };
}
