// The full screen of one conversation: events go through the reducer, its effects are executed, frames follow. Ends with
// the terminal as it was, whatever happened, and the conversation closed.
import type { Conversation } from '../../lead/conversation.ts';
import { errorFacts, errorMessage } from '../../store/errors.ts';
import type { App } from '../compose.ts';
import type { StorePorts } from '../slash/ports.ts';
import { slashHints } from '../slash/registry.ts';
import { colourDepth } from './draw.ts';
import { effectRunner } from './effects.ts';
import { frameOf } from './frame.ts';
import { loadHighlighter } from './highlight.ts';
import { readHistory, trimHistory } from './input-history.ts';
import { reduce } from './reduce.ts';
import { silenceStreams } from './silence.ts';
import { changesStores, storeSnapshots } from './snapshots.ts';
import { firstState, type ScreenEvent, type State } from './state.ts';
import { openTerminal } from './terminal.ts';
import { themeOf } from './themes.ts';
import { watchWaysOut } from './ways-out.ts';

export interface ScreenOptions {
  readonly version: string;
  readonly stores: StorePorts;
  /** Name of the theme; see `[ui] theme`. */
  readonly theme: string;
  readonly teamMax: number;
  /** Called once the first frame stands. */
  readonly started?: () => void;
}

const FRAME_MS = 16;
/** While something counts up on the screen, once a second; else only so that the next run's day stays right. */
const BUSY_TICK_MS = 1_000;
const IDLE_TICK_MS = 15_000;
/** Panels follow what happens, but a burst of events reads the stores once. */
const SNAPSHOT_MS = 120;
const SETTLE_MS = 50;

/**
 * Runs the screen until the person leaves, a signal comes or the terminal goes away. Resolves to the exit code (0, 1
 * after an error of xz itself, 128 + the signal's number); the conversation is closed by then.
 */
export async function runScreen(app: App, conversation: Conversation, options: ScreenOptions): Promise<number> {
  const { stdin, stdout, stderr } = process;
  const { clock } = app;
  const write = stdout.write.bind(stdout);
  const historyPath = app.home().inputHistory;
  trimHistory(historyPath);
  let finish: (end: { readonly code: number; readonly error?: unknown }) => void = () => {};
  const ended = new Promise<{ readonly code: number; readonly error?: unknown }>((resolve) => {
    finish = resolve;
  });
  const exit = (code: number) => finish({ code });
  const terminal = openTerminal({
    ...{ input: stdin, output: stdout, clock, write },
    theme: themeOf(options.theme, app.print.colour),
    depth: colourDepth(app.env),
    onInput: (input) => dispatch({ type: 'input', input, at: clock.now() }),
    onResize: (columns, rows) => dispatch({ type: 'resize', columns, rows }),
    onLost: () => exit(129),
  });
  let state: State = firstState({
    ...{ text: app.text, now: clock.now(), columns: terminal.columns(), rows: terminal.rows() },
    ...{ version: options.version, workspace: app.layout().root, home: app.env.HOME ?? '', session: conversation.session() },
    ...{ model: conversation.model(), mode: conversation.mode(), slash: slashHints(app.text, options.stores) },
    ...{ teamMax: options.teamMax, history: readHistory(historyPath) },
  });
  let cancelTick = () => {};
  let quickTick = true;
  let framePending = false;
  let lastFrame = 0;
  let stopped = false;
  const frame = () => {
    framePending = false;
    if (stopped) return;
    lastFrame = clock.now();
    try {
      terminal.paint(frameOf(state));
    } catch (error) {
      // A frame that cannot be drawn would come again with the next event: better one clear end.
      finish({ code: 1, error });
    }
  };
  const wantFrame = () => {
    if (framePending || stopped) return;
    framePending = true;
    clock.after(Math.max(0, FRAME_MS - (clock.now() - lastFrame)), frame);
  };
  const dispatch = (event: ScreenEvent) => {
    if (stopped) return;
    const step = reduce(state, event);
    state = step.state;
    for (const effect of step.effects) execute(effect);
    if (!quickTick && isBusy()) {
      cancelTick();
      cancelTick = clock.after(BUSY_TICK_MS, tick);
      quickTick = true;
    }
    wantFrame();
  };
  const fail = (error: unknown) => dispatch({ type: 'failed', ...app.text.errors.say(errorFacts(error)), at: clock.now() });
  const snapshots = storeSnapshots(conversation, options.stores, dispatch, fail);
  let snapshotPending = false;
  const wantSnapshot = () => {
    if (snapshotPending) return;
    snapshotPending = true;
    clock.after(SNAPSHOT_MS, () => {
      snapshotPending = false;
      if (!stopped) snapshots.refresh();
    });
  };
  const refresh = () => {
    if (stopped) return;
    dispatch({
      ...{ type: 'facts', model: conversation.model(), mode: conversation.mode(), running: conversation.running() },
      ...{ queued: conversation.queued(), questions: conversation.questions() },
    });
    wantSnapshot();
  };
  let suspended = false;
  const resumed = () => {
    if (!suspended || stopped) return;
    suspended = false;
    terminal.enter();
    dispatch({ type: 'resize', columns: terminal.columns(), rows: terminal.rows() });
  };
  const suspend = () => {
    suspended = true;
    terminal.leave();
    // The whole job stops, as a shell expects of Ctrl+Z: a wrapper that started xz would else wait for ever.
    process.kill(0, 'SIGTSTP');
    // Where no shell could continue it the system ignores the stop, and nothing would take the screen up again.
    clock.after(300, resumed);
  };
  const execute = effectRunner({
    ...{ app, conversation, stores: options.stores, dispatch, refresh, suspend, exit },
    memoryChanged: (on) => {
      snapshots.setMemory(on);
      snapshots.refresh();
    },
    redraw: () => {
      terminal.invalidate();
      wantFrame();
    },
    async outside(fn) {
      terminal.leave();
      try {
        return await fn();
      } finally {
        terminal.enter();
        wantFrame();
      }
    },
  });
  const stopListening = conversation.listen((event) => {
    const said = event.type === 'error' ? { ...event, ...app.text.errors.say(event) } : event;
    dispatch({ type: 'lead', event: said, at: clock.now() });
    if (event.type === 'turn_start' || event.type === 'question') refresh();
    // The turn says that it ends before it has ended: asked at once, the conversation would still call itself running.
    if (event.type === 'turn_end') clock.after(SETTLE_MS, refresh);
    if (changesStores(event)) wantSnapshot();
  });
  const isBusy = () =>
    state.running || state.hint !== undefined || state.questions.length > 0 || state.team.some((mate) => mate.state === 'working');
  const tick = () => {
    if (stopped) return;
    quickTick = true;
    dispatch({ type: 'tick', now: clock.now() });
    if (state.running) refresh();
    quickTick = isBusy();
    if (!quickTick) wantSnapshot();
    cancelTick = clock.after(quickTick ? BUSY_TICK_MS : IDLE_TICK_MS, tick);
  };

  const silence = silenceStreams([stdout, stderr]);
  // The program's own listener would end the process at once; here a lost terminal is an orderly end.
  const outputErrors = stdout.listeners('error');
  stdout.removeAllListeners('error');
  const stopWatching = watchWaysOut({
    end: exit,
    crash: (error) => finish({ code: 1, error }),
    last: () => terminal.leave(),
    resumed: () => {
      // A stop from outside (SIGSTOP) gave no chance to leave: the terminal is taken again from the start.
      if (!suspended) terminal.leave();
      suspended = true;
      resumed();
    },
  });
  try {
    terminal.enter();
    dispatch({ type: 'session', id: conversation.session(), rows: conversation.rows() });
    refresh();
    frame();
    clock.after(0, () => {
      // Without the highlighter code is plain; nothing else depends on it.
      options.started?.();
      loadHighlighter().then(() => dispatch({ type: 'painted' }), fail);
      tick();
    });
    const end = await ended;
    stopped = true;
    cancelTick();
    stopListening();
    terminal.leave();
    silence.end();
    if (end.error !== undefined) stderr.write(`${crashText(app, conversation, end.error)}\n`);
    await conversation.close();
    return end.code;
  } finally {
    stopped = true;
    terminal.leave();
    silence.end();
    stopWatching();
    for (const listener of outputErrors) stdout.on('error', (error) => Reflect.apply(listener, stdout, [error]));
  }
}

function crashText(app: App, conversation: Conversation, error: unknown): string {
  const words = app.text.screen;
  const detail = error instanceof Error && error.stack !== undefined ? error.stack : errorMessage(error);
  return [words.crashed, detail, words.resumeWith(conversation.session())].join('\n');
}
