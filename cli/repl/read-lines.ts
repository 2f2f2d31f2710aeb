// From lines to requests and commands. From a pipe, each line waits for the turn before it; at a terminal it is taken at
// once, and a pasted text of several lines is one request.
import { errorFacts } from '../../store/errors.ts';
import type { App } from '../compose.ts';
import { slashName } from '../screen/completion.ts';
import type { SlashContext } from '../slash/command.ts';
import { runSlash } from '../slash/registry.ts';
import { slashContext } from './ask.ts';
import { pastedLines } from './paste.ts';
import type { Repl } from './repl.ts';

const LEAVE_MS = 5_000;

/** An error as a line of the conversation. */
export function errorLine({ text }: App, error: unknown): string {
  const said = text.errors.say(errorFacts(error));
  return `! ${said.text}${said.hint === undefined ? '' : ` (${said.hint})`}`;
}

/** Takes lines as they come, until `settle` is called with the exit code; returns the way to leave from outside. */
export function readLines(repl: Repl, settle: (code: number) => void): (code: number) => void {
  const { conversation, terminal, reader, output, prompt, lines } = repl;
  const context = slashContext(repl);
  let left = false;
  let work: Promise<void> = Promise.resolve();
  const leave = (code = 0) => {
    // Lines behind `/exit` were never asked for, and behind a signal nobody is left to answer them.
    left = true;
    settle(code);
  };
  /** The next line of a pipe, after all that came before it is done. */
  const takeNext = async () => {
    if (!left) await conversation.idle();
    const words = left ? undefined : lines.next();
    if (words !== undefined) await takeText(words, false);
  };
  const takeText = async (words: string, pasted: boolean) => {
    try {
      if (!(await take(repl, context, words.trim(), pasted))) leave();
    } catch (error) {
      // What the end of the session took from under a command is no news.
      if (left) return;
      output.line(errorLine(repl.app, error));
    }
    if (!lines.isAsking()) prompt.show();
  };
  const typed = pastedLines(
    repl.app.clock,
    () => reader.line,
    (text, pasted) => {
      if (!left) work = takeText(text, pasted);
    },
  );
  reader.on('line', (line) => {
    if (terminal) output.entered();
    if (lines.isAsking()) return lines.push(line);
    if (terminal) return typed.push(line);
    lines.push(line);
    work = work.then(takeNext);
  });
  reader.on('close', () => {
    typed.flush();
    lines.end();
    void work.then(() => (left ? undefined : conversation.idle())).then(() => leave());
  });
  const interrupt = interrupter(repl, leave);
  reader.on('SIGINT', () => {
    typed.drop();
    interrupt();
  });
  return leave;
}

/** Sends a text or runs its command; resolves to false when the person leaves. What was pasted is never a command. */
async function take(
  { app, conversation, terminal, output, remember }: Repl,
  context: SlashContext,
  words: string,
  pasted: boolean,
): Promise<boolean> {
  if (words === '') return true;
  if (terminal) remember(words);
  if (!pasted && slashName(words) !== undefined) return (await runSlash(context, words)) === 'stay';
  conversation.submit(words);
  if (conversation.queued().length > 0) output.line(app.text.repl.queued(conversation.queued().length));
  return true;
}

/** Ctrl+C: puts a list away, interrupts a turn, clears the line, leaves at the second time. */
function interrupter({ app, conversation, reader, output, prompt, picking }: Repl, leave: () => void): () => void {
  let leaveUntil = 0;
  return () => {
    if (picking.size > 0) {
      output.line('');
      for (const away of picking) away.abort();
      return;
    }
    if (conversation.running()) {
      output.line(app.text.repl.interrupted);
      void conversation.interrupt();
      return;
    }
    if (reader.line === '' && app.clock.now() < leaveUntil) return leave();
    if (reader.line === '') {
      leaveUntil = app.clock.now() + LEAVE_MS;
      output.line(app.text.repl.again);
    }
    reader.write(null, { ctrl: true, name: 'u' });
    prompt.show();
  };
}
