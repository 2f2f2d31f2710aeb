// What a signal does to `xz once`: Ctrl+C rolls the turn back and exits 130, a second one while that unwinds forces the
// exit; SIGTERM and SIGHUP leave the turn open for `--resume`.
import type { OpenedLead } from '../../open-lead.ts';

export interface Signals {
  /** True when a signal has ended the run. */
  interrupted(): boolean;
  /** Resolves when a signal arrives. */
  readonly arrived: Promise<void>;
  release(): void;
}

export function onSignals({ lead }: OpenedLead): Signals {
  let count = 0;
  let arrive = () => {};
  const arrived = new Promise<void>((resolve) => {
    arrive = resolve;
  });
  const stop = (how: () => void) => () => {
    if (++count > 1) process.exit(130);
    how();
    arrive();
  };
  const onInterrupt = stop(() => void lead.interrupt());
  const onTerminate = stop(() => lead.suspend('suspend'));
  process.on('SIGINT', onInterrupt);
  process.on('SIGTERM', onTerminate);
  process.on('SIGHUP', onTerminate);
  return {
    interrupted: () => count > 0,
    arrived,
    release() {
      process.off('SIGINT', onInterrupt);
      process.off('SIGTERM', onTerminate);
      process.off('SIGHUP', onTerminate);
    },
  };
}
