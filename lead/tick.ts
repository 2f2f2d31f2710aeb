// The tick of the scheduler: node-cron, once a second. Left to a pattern of every second, node-cron walks through each
// second it has missed (8 s of a blocked process after 26 h of sleep) and waits for the one it expected (3 h of silence
// after the clock was set back 3 h). So each tick arms the coming second only, and a timer that no clock can move
// stands behind it.
import { createTask, type ScheduledTask } from 'node-cron';

/** Calls `fn` about once a second until the returned function is called. `fn` must not throw. */
export type EverySecond = (fn: () => void) => () => void;

const SILENCE_MS = 2_000;
const ANY_LATENESS_MS = Number.MAX_SAFE_INTEGER;
const silent = { info: () => {}, warn: () => {}, error: () => {}, debug: () => {} };

/** Ticks by node-cron. With `keepAlive` the process does not end while it ticks. */
export function everySecond(keepAlive: boolean): EverySecond {
  return (fn) => {
    let task: ScheduledTask | undefined;
    let watchdog: NodeJS.Timeout | undefined;
    let stopped = false;
    const disarm = (): void => {
      clearTimeout(watchdog);
      void task?.destroy();
      task = undefined;
    };
    const beat = (): void => {
      if (stopped) return;
      disarm();
      fn();
      if (!stopped) arm();
    };
    const arm = (): void => {
      const at = new Date(Date.now() + 1_000);
      task = createTask(`${at.getSeconds()} ${at.getMinutes()} ${at.getHours()} * * *`, beat, {
        missedExecutionTolerance: ANY_LATENESS_MS,
        suppressMissedWarning: true,
        logger: silent,
        unref: !keepAlive,
      });
      void task.start();
      watchdog = setTimeout(beat, SILENCE_MS);
      if (!keepAlive) watchdog.unref();
    };
    arm();
    return () => {
      stopped = true;
      disarm();
    };
  };
}
