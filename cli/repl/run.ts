// The conversation line by line: `xz --repl`, and terminals that cannot place a cursor. The same slash commands as the
// screen. From a pipe, each line waits for the turn before it, and the end of the input is the end of the session.
import { createInterface } from 'node:readline';
import type { Conversation } from '../../lead/conversation.ts';
import type { LeadEvent, Question } from '../../lead/events.ts';
import { errorFacts } from '../../store/errors.ts';
import type { App } from '../compose.ts';
import { slashName } from '../screen/completion.ts';
import { readHistory, rememberInput } from '../screen/input-history.ts';
import { markdownLines } from '../screen/panes/markdown.ts';
import { LEAD } from '../screen/reduce-lead.ts';
import type { Choice, SlashContext } from '../slash/command.ts';
import type { StorePorts } from '../slash/ports.ts';
import { runSlash, slashHints } from '../slash/registry.ts';
import { VERSION } from '../version.ts';
import { eventLine, safeText } from './lines.ts';

export interface ReplOptions {
  readonly stores: StorePorts;
  /** Called once lines are read. */
  readonly started?: () => void;
}

const PROMPT = '> ';
const LEAVE_MS = 5_000;
const HISTORY = 200;

/** Runs until the input ends, the person leaves or a signal comes; resolves to the exit code, the conversation closed. */
export async function runRepl(app: App, conversation: Conversation, options: ReplOptions): Promise<number> {
  const { text, print, clock } = app;
  const terminal = process.stdin.isTTY === true && print.terminal;
  const hints = slashHints(text, options.stores);
  const reader = createInterface({
    ...{ input: process.stdin, output: process.stdout, terminal, prompt: PROMPT, historySize: HISTORY },
    ...(terminal ? { history: readHistory(app.home().inputHistory).slice(-HISTORY).reverse() } : {}),
    completer: (line: string): [string[], string] => [hints.map((hint) => `/${hint.name} `).filter((name) => name.startsWith(line)), line],
  });
  let open = false;
  let asking: ((line: string) => void) | undefined;
  /** Lines of a pipe that nobody has taken yet, and whether more may come. */
  const unread: string[] = [];
  let ended = false;
  const line = (words: string) => {
    if (open) print.raw('\n');
    open = false;
    print.line(safeText(words));
  };
  /** The next line, empty at the end of the input. One that is there already is taken only if it can be an answer. */
  const ask = (prompt: string, fits: (line: string) => boolean): Promise<string> => {
    print.raw(prompt);
    const [next] = unread;
    if (next !== undefined || ended) return Promise.resolve(next !== undefined && fits(next) ? (unread.shift() ?? '') : '');
    return new Promise((resolve) => {
      asking = resolve;
    });
  };
  const answer = async (question: Question): Promise<void> => {
    line(`? ${text.screen.question.asks(question.agent)}   ${question.tool}: ${question.summary}`);
    if (question.diff) line(question.diff);
    const given = (await ask(text.repl.ask, (words) => /^\s*(y|yes|n|no|a|always)\s*$/i.test(words))).trim().toLowerCase();
    conversation.answer(question.id, given.startsWith('a') ? 'always' : given.startsWith('y') ? 'allow' : 'refuse');
  };
  const show = (event: LeadEvent) => {
    if (event.type === 'text' && event.agent === LEAD) {
      print.raw(safeText(event.delta));
      open = !event.delta.endsWith('\n');
      return;
    }
    const words = eventLine(event, text);
    if (words !== undefined) line(words);
    if (event.type === 'question' && event.status === 'asked') void answer(event.question);
    if (event.type === 'turn_end' && event.agent === LEAD) {
      if (open) print.raw('\n');
      open = false;
      if (terminal) reader.prompt(true);
    }
  };
  const context: SlashContext = {
    ...{ app, conversation, stores: options.stores },
    say: (markdown) => {
      for (const drawn of markdownLines(markdown, print.columns)) line(drawn.map((part) => part.text).join(''));
    },
    async pick(title: string, items: readonly Choice[]) {
      line(title);
      for (const [index, item] of items.entries())
        line(`${index + 1}. ${item.label}${item.detail === undefined ? '' : `  ${item.detail}`}`);
      return items[Number((await ask(text.repl.pick(items.length), (words) => /^\s*\d*\s*$/.test(words))).trim()) - 1]?.value;
    },
    memoryChanged: () => {},
    sessionChanged: () => {},
  };
  /** Resolves to false when the person leaves. */
  const take = async (given: string): Promise<boolean> => {
    const words = given.trim();
    if (words === '') return true;
    if (terminal) rememberInput(app.home().inputHistory, words);
    if (slashName(words) !== undefined) return (await runSlash(context, words)) === 'stay';
    conversation.submit(words);
    if (conversation.queued().length > 0) line(text.repl.queued(conversation.queued().length));
    return true;
  };
  const stopListening = conversation.listen(show);
  let onEnd: (code: number) => void = () => {};
  const onTerminate = () => onEnd(143);
  const onHangup = () => onEnd(129);
  process.on('SIGTERM', onTerminate);
  process.on('SIGHUP', onHangup);
  try {
    if (terminal) line(text.repl.hello(VERSION, conversation.model().model));
    return await new Promise<number>((settle) => {
      let left = false;
      const resolve = (code: number) => {
        // Lines behind `/exit` were never asked for.
        left = true;
        settle(code);
      };
      let leaveUntil = 0;
      let work: Promise<void> = Promise.resolve();
      const onLine = (given: string) => {
        if (asking !== undefined) {
          const answered = asking;
          asking = undefined;
          answered(given);
          return;
        }
        const run = async () => {
          // From a pipe the lines are one after the other; at a terminal a line typed during a turn is queued behind it.
          if (!terminal && !left) await conversation.idle();
          const words = terminal ? given : unread.shift();
          if (left || words === undefined) return;
          try {
            if (!(await take(words))) resolve(0);
          } catch (error) {
            const said = text.errors.say(errorFacts(error));
            line(`! ${said.text}${said.hint === undefined ? '' : ` (${said.hint})`}`);
          }
          if (terminal && asking === undefined) reader.prompt(true);
        };
        if (!terminal) unread.push(given);
        work = terminal ? run() : work.then(run);
      };
      reader.on('line', onLine);
      reader.on('close', () => {
        ended = true;
        asking?.('');
        void work.then(() => (left ? undefined : conversation.idle())).then(() => resolve(0));
      });
      reader.on('SIGINT', () => {
        if (conversation.running()) {
          line(text.repl.interrupted);
          void conversation.interrupt();
          return;
        }
        if (reader.line === '' && clock.now() < leaveUntil) return resolve(0);
        if (reader.line === '') {
          leaveUntil = clock.now() + LEAVE_MS;
          line(text.repl.again);
        }
        reader.write(null, { ctrl: true, name: 'u' });
        reader.prompt();
      });
      onEnd = resolve;
      if (terminal) reader.prompt();
      options.started?.();
    });
  } finally {
    stopListening();
    process.off('SIGTERM', onTerminate);
    process.off('SIGHUP', onHangup);
    reader.close();
    await conversation.close();
  }
}
