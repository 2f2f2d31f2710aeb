// The ways a process can be ended or stopped from outside, while a screen is up. Each leads to the same orderly end.
export interface WaysOut {
  /** End with this exit code; the terminal is given back first. */
  readonly end: (code: number) => void;
  /** An error nobody caught. The terminal is given back, the error shown, the work stored. */
  readonly crash: (error: unknown) => void;
  /** The process ends now, whatever the reason: last chance, synchronous. */
  readonly last: () => void;
  /** The process goes on after it was stopped. */
  readonly resumed: () => void;
  /** True while another program has the terminal: what is typed there reaches the whole job, and is meant for that program. */
  readonly isLent: () => boolean;
}

const SIGNALS = { SIGTERM: 143, SIGHUP: 129 } as const;
const TYPED_SIGNALS = { SIGINT: 130, SIGQUIT: 131 } as const;

/** Watches for the ends that come from outside; returns the way to stop watching. */
export function watchWaysOut(ways: WaysOut): () => void {
  const handlers: Array<readonly [string, (...args: unknown[]) => void]> = [
    ...Object.entries(SIGNALS).map(([signal, code]): [string, () => void] => [signal, () => ways.end(code)]),
    ...Object.entries(TYPED_SIGNALS).map(([signal, code]): [string, () => void] => [signal, () => ways.isLent() || ways.end(code)]),
    ['SIGCONT', () => ways.isLent() || ways.resumed()],
    ['uncaughtException', (error) => ways.crash(error)],
    ['unhandledRejection', (error) => ways.crash(error)],
    ['exit', () => ways.last()],
  ];
  for (const [event, handler] of handlers) process.on(event, handler);
  return () => {
    for (const [event, handler] of handlers) process.off(event, handler);
  };
}
