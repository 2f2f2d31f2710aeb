// The full screen of one conversation. The terminal is taken and the first frame drawn before the conversation is opened:
// what is typed meanwhile is there when it is. Ends with the terminal as it was, whatever happened, and the conversation
// closed.
import type { Conversation, ModelFacts, PermissionMode } from '../../lead/conversation.ts';
import { errorFacts, errorMessage } from '../../store/errors.ts';
import type { App } from '../compose.ts';
import type { StorePorts } from '../slash/ports.ts';
import { slashHints } from '../slash/registry.ts';
import { type Attached, attachConversation } from './attach.ts';
import { colourDepth } from './colours.ts';
import { cellBytes } from './draw.ts';
import { frameOf } from './frame.ts';
import { loadHighlighter } from './highlight.ts';
import { readHistory, trimHistory } from './input-history.ts';
import { jobControl } from './job-control.ts';
import { type Loop, screenLoop } from './loop.ts';
import { silenceStreams } from './silence.ts';
import { type ConversationEffect, type Effect, firstState } from './state.ts';
import { openTerminal, type ScreenTerminal } from './terminal.ts';
import { themeOf } from './themes.ts';
import { watchWaysOut } from './ways-out.ts';

export interface OpenedConversation {
  readonly conversation: Conversation;
  readonly stores: StorePorts;
  /** Called once the conversation is on the screen. */
  readonly started?: () => void;
}

export interface ScreenOptions {
  readonly version: string;
  /** Name of the theme; see `[ui] theme`. */
  readonly theme: string;
  readonly teamMax: number;
  /** What the first frame says, as far as it is known before the conversation is open. */
  readonly model: ModelFacts;
  readonly mode: PermissionMode;
  readonly open: () => Promise<OpenedConversation>;
}

interface End {
  readonly code: number;
  readonly error?: unknown;
}

/**
 * Runs the screen until the person leaves, a signal comes or the terminal goes away. Resolves to the exit code (0, 1
 * after an error of xz itself, 128 + the signal's number); the conversation is closed by then. Throws what `open` throws,
 * with the terminal given back.
 */
export async function runScreen(app: App, options: ScreenOptions): Promise<number> {
  const { clock } = app;
  let finish: (end: End) => void = () => {};
  const ended = new Promise<End>((resolve) => {
    finish = resolve;
  });
  const exit = (code: number) => finish({ code });
  const terminal = screenTerminal(app, options, () => loop, exit);
  /** What was asked for before there was a conversation to ask. */
  const early: ConversationEffect[] = [];
  let attached: Attached | undefined;
  const execute = (effect: Effect) => {
    if (effect.type === 'exit') exit(effect.code);
    else if (effect.type === 'suspend') jobs.suspend();
    else if (effect.type === 'redraw') terminal.invalidate();
    else if (attached === undefined) early.push(effect);
    else attached.execute(effect);
  };
  const loop: Loop = screenLoop({
    ...{ clock, execute, first: stateAtStart(app, options, terminal) },
    paint: (state) => void terminal.paint(frameOf(state)),
    ticked: (busy) => attached?.ticked(busy),
    broken: (error) => finish({ code: 1, error }),
  });
  const resized = () => loop.dispatch({ type: 'resize', columns: terminal.columns(), rows: terminal.rows() });
  const jobs = jobControl(clock, terminal, loop.stopped, resized);
  let lent = false;
  const outside = async <T>(fn: () => Promise<T>): Promise<T> => {
    lent = true;
    terminal.leave();
    try {
      return await fn();
    } finally {
      lent = false;
      // Meanwhile xz may have been told to end: then the terminal is not ours any more.
      if (!loop.stopped()) {
        terminal.enter();
        resized();
      }
    }
  };
  const guard = guardProcess(terminal, { finish, isLent: () => lent, continued: jobs.continued });
  const begin = async (): Promise<Conversation> => {
    const { conversation, stores, started } = await options.open();
    if (loop.stopped()) return conversation;
    attached = attachConversation({ app, loop, conversation, stores, outside, exit });
    started?.();
    for (const effect of early.splice(0)) attached.execute(effect);
    // Without the highlighter code is plain; nothing else depends on it.
    loadHighlighter().then(
      () => loop.dispatch({ type: 'painted' }),
      (error: unknown) => loop.dispatch({ type: 'failed', ...app.text.errors.say(errorFacts(error)), at: clock.now() }),
    );
    return conversation;
  };
  try {
    terminal.enter();
    loop.start();
    const opening = begin();
    const end = await Promise.race([ended, opening.then(() => ended)]);
    loop.stop();
    attached?.detach();
    const caught = guard.giveBack();
    const conversation = await opening;
    if (end.error !== undefined) app.print.warn([...caught, crashText(app, conversation, end.error)].join('\n'));
    await conversation.close();
    return end.code;
  } finally {
    loop.stop();
    guard.end();
  }
}

function screenTerminal(app: App, options: ScreenOptions, loop: () => Loop, exit: (code: number) => void): ScreenTerminal {
  const { stdin, stdout } = process;
  return openTerminal({
    // The stream's own write, taken before it is silenced.
    ...{ input: stdin, output: stdout, clock: app.clock, write: stdout.write.bind(stdout) },
    theme: themeOf(options.theme, app.print.colour),
    ...{ depth: colourDepth(app.env), cellBytes: cellBytes(app.env) },
    onInput: (input) => loop().dispatch({ type: 'input', input, at: app.clock.now() }),
    onResize: (columns, rows) => loop().dispatch({ type: 'resize', columns, rows }),
    onLost: () => exit(129),
  });
}

function stateAtStart(app: App, { version, model, mode, teamMax }: ScreenOptions, terminal: ScreenTerminal) {
  const historyPath = app.home().inputHistory;
  trimHistory(historyPath);
  return firstState({
    ...{ text: app.text, now: app.clock.now(), columns: terminal.columns(), rows: terminal.rows() },
    ...{ version, model, mode, teamMax, workspace: app.layout().root, home: app.env.HOME ?? '', session: '' },
    ...{ slash: slashHints(app.text, {}), history: readHistory(historyPath) },
  });
}

interface Guard {
  /** The terminal is the person's again, and what is written is seen; returns the last of what was written before. */
  giveBack(): readonly string[];
  /** Signals and errors are no longer ours. */
  end(): void;
}

interface Guarded {
  readonly finish: (end: End) => void;
  /** Another program has the terminal for now. */
  readonly isLent: () => boolean;
  readonly continued: () => void;
}

/** Guards the terminal against other writers and every way out of the process. */
function guardProcess(terminal: ScreenTerminal, { finish, isLent, continued }: Guarded): Guard {
  const { stdout, stderr } = process;
  const silence = silenceStreams([stdout, stderr]);
  // The program's own listener would end the process at once; here a lost terminal is an orderly end.
  const outputErrors = stdout.listeners('error');
  stdout.removeAllListeners('error');
  const stopWatching = watchWaysOut({
    end: (code) => finish({ code }),
    crash: (error) => finish({ code: 1, error }),
    last: () => terminal.leave(),
    resumed: continued,
    isLent,
  });
  let caught: readonly string[] | undefined;
  const giveBack = () => {
    terminal.leave();
    caught ??= silence.end().map((text) => text.trimEnd());
    return caught;
  };
  return {
    giveBack,
    end() {
      giveBack();
      stopWatching();
      for (const listener of outputErrors) stdout.on('error', (error) => Reflect.apply(listener, stdout, [error]));
    },
  };
}

function crashText(app: App, conversation: Conversation, error: unknown): string {
  const words = app.text.screen;
  const detail = error instanceof Error && error.stack !== undefined ? error.stack : errorMessage(error);
  return [words.crashed, detail, words.resumeWith(conversation.session())].join('\n');
}
