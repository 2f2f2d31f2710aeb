// The signals that ask a process without a screen to stop.

const STOP_SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;

/** Calls `fn` for each of them until the returned function is called. */
export function onStopSignal(fn: (signal: NodeJS.Signals) => void): () => void {
  for (const name of STOP_SIGNALS) process.on(name, fn);
  return () => {
    for (const name of STOP_SIGNALS) process.off(name, fn);
  };
}
