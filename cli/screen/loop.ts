// State and frames of one screen: an event goes through the reducer, what it asks for is executed, and at most one frame
// follows in each frame's time. Nothing is drawn or executed after `stop`.
import type { Clock } from '../../store/clock.ts';
import { reduce } from './reduce.ts';
import type { Effect, ScreenEvent, State } from './state.ts';

export interface LoopInput {
  readonly clock: Clock;
  readonly first: State;
  readonly paint: (state: State) => void;
  readonly execute: (effect: Effect) => void;
  /** After each tick; `busy` while something counts up on the screen. */
  readonly ticked: (busy: boolean) => void;
  /** A frame could not be drawn. */
  readonly broken: (error: unknown) => void;
}

export interface Loop {
  state(): State;
  dispatch(event: ScreenEvent): void;
  /** Asks for a frame although nothing of the state has changed. */
  wantFrame(): void;
  /** Draws the first frame now; the clock ticks from then on. */
  start(): void;
  stop(): void;
  stopped(): boolean;
}

const FRAME_MS = 16;
/** While something counts up on the screen, once a second; else only so that the next run's day stays right. */
const BUSY_TICK_MS = 1_000;
const IDLE_TICK_MS = 15_000;

export function screenLoop(input: LoopInput): Loop {
  const { clock } = input;
  let state = input.first;
  let stopped = false;
  let framePending = false;
  let lastFrame = 0;
  let quick = false;
  let cancelTick = () => {};
  const frame = () => {
    framePending = false;
    if (stopped) return;
    lastFrame = clock.now();
    try {
      input.paint(state);
    } catch (error) {
      // A frame that cannot be drawn would come again with the next event: better one clear end.
      input.broken(error);
    }
  };
  const wantFrame = () => {
    if (framePending || stopped) return;
    framePending = true;
    clock.after(Math.max(0, FRAME_MS - (clock.now() - lastFrame)), frame);
  };
  const wait = () => {
    cancelTick();
    quick = isBusy(state);
    cancelTick = clock.after(quick ? BUSY_TICK_MS : IDLE_TICK_MS, tick);
  };
  const dispatch = (event: ScreenEvent) => {
    if (stopped) return;
    const step = reduce(state, event);
    state = step.state;
    for (const effect of step.effects) input.execute(effect);
    if (!quick && isBusy(state)) wait();
    wantFrame();
  };
  const tick = () => {
    if (stopped) return;
    dispatch({ type: 'tick', now: clock.now() });
    input.ticked(isBusy(state));
    wait();
  };
  return {
    state: () => state,
    dispatch,
    wantFrame,
    start() {
      frame();
      wait();
    },
    stop() {
      stopped = true;
      cancelTick();
    },
    stopped: () => stopped,
  };
}

function isBusy({ running, hint, questions, team }: State): boolean {
  return running || hint !== undefined || questions.length > 0 || team.some((mate) => mate.state === 'working');
}
