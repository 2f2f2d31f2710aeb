// The conversation line by line: `xz --repl`, and terminals that cannot place a cursor. The same slash commands as the
// screen. From a pipe, each line waits for the turn before it, and the end of the input is the end of the session.
import { createInterface, type Interface } from 'node:readline';
import type { Conversation } from '../../lead/conversation.ts';
import type { EmitLeadEvent, Question } from '../../lead/events.ts';
import { errorFacts } from '../../store/errors.ts';
import type { App } from '../compose.ts';
import { slashName } from '../screen/completion.ts';
import { inputKeeper, readHistory } from '../screen/input-history.ts';
import { markdownLines } from '../screen/panes/markdown.ts';
import { LEAD } from '../screen/reduce-lead.ts';
import type { Choice, SlashContext } from '../slash/command.ts';
import type { StorePorts } from '../slash/ports.ts';
import { runSlash, slashHints } from '../slash/registry.ts';
import { VERSION } from '../version.ts';
import { type LineQueue, lineQueue } from './line-queue.ts';
import { eventLine } from './lines.ts';
import { type ReplOutput, replOutput } from './output.ts';

export interface ReplOptions {
  readonly conversation: Conversation;
  readonly stores: StorePorts;
  /** Called once lines are read. */
  readonly started: () => void;
}

interface Repl extends ReplOptions {
  readonly app: App;
  /** A person types; else the lines are a pipe's. */
  readonly terminal: boolean;
  readonly reader: Interface;
  readonly output: ReplOutput;
  readonly lines: LineQueue;
  /** Keeps a line for the arrow keys of later sessions. */
  readonly remember: (line: string) => void;
}

const PROMPT = '> ';
const LEAVE_MS = 5_000;
const HISTORY = 200;

/** Runs until the input ends, the person leaves or a signal comes; resolves to the exit code, the conversation closed. */
export async function runRepl(app: App, options: ReplOptions): Promise<number> {
  const { conversation } = options;
  const terminal = process.stdin.isTTY === true && app.print.terminal;
  const reader = openReader(app, options.stores, terminal);
  const output = replOutput(app.print);
  const remember = inputKeeper(app.home().inputHistory, (error) => output.line(errorLine(app, error)));
  const repl: Repl = { ...options, app, terminal, reader, output, lines: lineQueue(), remember };
  const stopListening = conversation.listen(shown(repl));
  let stopWatching = () => {};
  try {
    if (terminal) repl.output.line(app.text.repl.hello(VERSION, conversation.model().model));
    return await new Promise<number>((resolve) => {
      stopWatching = watchSignals(readLines(repl, resolve));
      if (terminal) reader.prompt();
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
    ...(terminal ? { history: readHistory(app.home().inputHistory).slice(-HISTORY).reverse() } : {}),
    // Read at each Tab: skills come and go.
    completer: (line: string): [string[], string] => [
      slashHints(app.text, stores)
        .map((hint) => `/${hint.name} `)
        .filter((name) => name.startsWith(line)),
      line,
    ],
  });
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
  const { app, output, terminal, reader } = repl;
  const open = new Map<string, AbortController>();
  return (event) => {
    if (event.type === 'text' && event.agent === LEAD) return output.stream(event.delta);
    const words = eventLine(event, app.text);
    if (words !== undefined) output.line(words);
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
      if (terminal) reader.prompt(true);
    }
  };
}

async function answer({ app, output, lines, conversation }: Repl, question: Question, signal: AbortSignal): Promise<void> {
  const { text } = app;
  const begin = () => {
    output.line(`? ${text.screen.question.asks(question.agent)}   ${question.tool}: ${question.summary}`);
    if (question.diff) output.line(question.diff);
    output.prompt(text.repl.ask);
  };
  const line = await lines.ask({ begin, fits: (words) => /^\s*(y|yes|n|no|a|always)\s*$/i.test(words), signal });
  const given = line?.trim().toLowerCase();
  if (given !== undefined) conversation.answer(question.id, given.startsWith('a') ? 'always' : given.startsWith('y') ? 'allow' : 'refuse');
}

function errorLine({ text }: App, error: unknown): string {
  const said = text.errors.say(errorFacts(error));
  return `! ${said.text}${said.hint === undefined ? '' : ` (${said.hint})`}`;
}

function slashContext({ app, conversation, stores, output, lines }: Repl): SlashContext {
  return {
    ...{ app, conversation, stores },
    say(markdown) {
      for (const drawn of markdownLines(markdown, app.print.columns)) output.line(drawn.map((part) => part.text).join(''));
    },
    async pick(title: string, items: readonly Choice[]) {
      const begin = () => {
        output.line(title);
        for (const [index, item] of items.entries())
          output.line(`${index + 1}. ${item.label}${item.detail === undefined ? '' : `  ${item.detail}`}`);
        output.prompt(app.text.repl.pick(items.length));
      };
      const line = await lines.ask({ begin, fits: (words) => /^\s*\d*\s*$/.test(words) });
      return items[Number((line ?? '').trim()) - 1]?.value;
    },
    memoryChanged: () => {},
    sessionChanged: () => {},
  };
}

/** Takes lines as they come, until `settle` is called with the exit code; returns the way to leave from outside. */
function readLines(repl: Repl, settle: (code: number) => void): (code: number) => void {
  const { conversation, terminal, reader, output, lines } = repl;
  const context = slashContext(repl);
  let left = false;
  let work: Promise<void> = Promise.resolve();
  const leave = (code = 0) => {
    // Lines behind `/exit` were never asked for, and behind a signal nobody is left to answer them.
    left = true;
    settle(code);
  };
  const takeNext = async () => {
    // From a pipe the lines are one after the other; at a terminal a line typed during a turn is queued behind it.
    if (!terminal && !left) await conversation.idle();
    const words = left ? undefined : lines.next();
    if (words === undefined) return;
    try {
      if (!(await take(repl, context, words.trim()))) leave();
    } catch (error) {
      // What the end of the session took from under a command is no news.
      if (left) return;
      output.line(errorLine(repl.app, error));
    }
    if (terminal && !lines.isAsking()) reader.prompt(true);
  };
  reader.on('line', (line) => {
    const answers = lines.isAsking();
    lines.push(line);
    if (!answers) work = terminal ? takeNext() : work.then(takeNext);
  });
  reader.on('close', () => {
    lines.end();
    void work.then(() => (left ? undefined : conversation.idle())).then(() => leave());
  });
  reader.on('SIGINT', interrupter(repl, leave));
  return leave;
}

/** Sends one line or runs its command; resolves to false when the person leaves. */
async function take({ app, conversation, terminal, output, remember }: Repl, context: SlashContext, words: string): Promise<boolean> {
  if (words === '') return true;
  if (terminal) remember(words);
  if (slashName(words) !== undefined) return (await runSlash(context, words)) === 'stay';
  conversation.submit(words);
  if (conversation.queued().length > 0) output.line(app.text.repl.queued(conversation.queued().length));
  return true;
}

/** Ctrl+C: interrupts a turn, clears the line, leaves at the second time. */
function interrupter({ app, conversation, reader, output }: Repl, leave: () => void): () => void {
  let leaveUntil = 0;
  return () => {
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
    reader.prompt();
  };
}
