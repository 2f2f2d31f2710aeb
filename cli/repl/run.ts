// The conversation line by line: `xz --repl`, and terminals that cannot place a cursor. The same slash commands as the
// screen. From a pipe, each line waits for the turn before it, and the end of the input is the end of the session.
import { createInterface, type Interface } from 'node:readline';
import type { Conversation } from '../../lead/conversation.ts';
import type { EmitLeadEvent } from '../../lead/events.ts';
import type { App } from '../compose.ts';
import { inputKeeper, readHistory } from '../screen/input-history.ts';
import { LEAD } from '../screen/reduce-lead.ts';
import type { StorePorts } from '../slash/ports.ts';
import { slashHints } from '../slash/registry.ts';
import { VERSION } from '../version.ts';
import { answer } from './ask.ts';
import { lineQueue } from './line-queue.ts';
import { eventLine } from './lines.ts';
import { replOutput } from './output.ts';
import { NO_PROMPT, terminalPrompt } from './prompt.ts';
import { errorLine, readLines } from './read-lines.ts';
import type { Repl } from './repl.ts';

export interface ReplOptions {
  readonly conversation: Conversation;
  readonly stores: StorePorts;
  /** Called once lines are read. */
  readonly started: () => void;
}

const PROMPT = '> ';
const HISTORY = 200;

/** Runs until the input ends, the person leaves or a signal comes; resolves to the exit code, the conversation closed. */
export async function runRepl(app: App, options: ReplOptions): Promise<number> {
  const { conversation } = options;
  const terminal = process.stdin.isTTY === true && app.print.terminal;
  const reader = openReader(app, options.stores, terminal);
  const prompt = terminal ? terminalPrompt(reader, process.stdout) : NO_PROMPT;
  const output = replOutput(app.print, prompt);
  const remember = inputKeeper(app.home().inputHistory, (error) => output.line(errorLine(app, error)));
  const repl: Repl = { ...options, app, terminal, reader, output, prompt, lines: lineQueue(), remember, picking: new Set() };
  const stopListening = conversation.listen(shown(repl));
  let stopWatching = () => {};
  try {
    if (terminal) repl.output.line(app.text.repl.hello(VERSION, conversation.model().model));
    return await new Promise<number>((resolve) => {
      stopWatching = watchSignals(readLines(repl, resolve));
      prompt.show();
      options.started();
    });
  } finally {
    stopListening();
    stopWatching();
    reader.close();
    await conversation.close();
  }
}

function openReader(app: App, stores: StorePorts, terminal: boolean): Interface {
  return createInterface({
    ...{ input: process.stdin, output: process.stdout, terminal, prompt: PROMPT, historySize: HISTORY },
    ...(terminal ? { history: earlierLines(app) } : {}),
    // Read at each Tab: skills come and go.
    completer: (line: string): [string[], string] => [
      slashHints(app.text, stores)
        .map((hint) => `/${hint.name} `)
        .filter((name) => name.startsWith(line)),
      line,
    ],
  });
}

/** Earlier inputs of one line, the newest first; readline would print any control in another. */
function earlierLines(app: App): string[] {
  const lines = readHistory(app.home().inputHistory).filter((text) => !/\p{Cc}/u.test(text));
  return lines.slice(-HISTORY).reverse();
}

function watchSignals(end: (code: number) => void): () => void {
  const onTerminate = () => end(143);
  const onHangup = () => end(129);
  process.on('SIGTERM', onTerminate);
  process.on('SIGHUP', onHangup);
  return () => {
    process.off('SIGTERM', onTerminate);
    process.off('SIGHUP', onHangup);
  };
}

/** Prints what happens; a question is put to the person, or to the pipe, as soon as it comes. */
function shown(repl: Repl): EmitLeadEvent {
  const { app, output, prompt, lines } = repl;
  const open = new Map<string, AbortController>();
  return (event) => {
    if (event.type === 'text' && event.agent === LEAD) return output.stream(event.delta);
    const words = eventLine(event, app.text);
    if (words !== undefined) output.line(words);
    if (words !== undefined && !lines.isAsking()) prompt.show();
    if (event.type === 'question' && event.status === 'asked') {
      const settled = new AbortController();
      open.set(event.question.id, settled);
      void answer(repl, event.question, settled.signal);
    } else if (event.type === 'question') {
      // Answered, withdrawn or expired: no later line is its answer.
      open.get(event.question.id)?.abort();
      open.delete(event.question.id);
      if (event.status === 'expired') output.line(`? ${app.text.screen.question.expired}`);
    }
    if (event.type === 'turn_end' && event.agent === LEAD) {
      output.endStream();
      if (!lines.isAsking()) prompt.show();
    }
  };
}
