// Ctrl+Z and stops from outside: the terminal is given back before the process stops, and taken again when it goes on.
import type { Clock } from '../../store/clock.ts';
import type { ScreenTerminal } from './terminal.ts';

export interface JobControl {
  /** The person wants to stop the process for a while. */
  suspend(): void;
  /** The process goes on after it was stopped, by whatever means. */
  continued(): void;
}

/** Where no shell could continue the process the system ignores the stop, and nothing would take the screen up again. */
const IGNORED_MS = 300;

/** Job control of one screen; `back` is called when the terminal has been taken again. */
export function jobControl(clock: Clock, terminal: ScreenTerminal, isOver: () => boolean, back: () => void): JobControl {
  let suspended = false;
  const comeBack = () => {
    if (!suspended || isOver()) return;
    suspended = false;
    terminal.enter();
    back();
  };
  return {
    suspend() {
      suspended = true;
      terminal.leave();
      // The whole job stops, as a shell expects of Ctrl+Z: a wrapper that started xz would else wait for ever.
      process.kill(0, 'SIGTSTP');
      clock.after(IGNORED_MS, comeBack);
    },
    continued() {
      // A stop from outside (SIGSTOP) gave no chance to leave: the terminal is taken again from the start.
      if (!suspended) terminal.leave();
      suspended = true;
      comeBack();
    },
  };
}
