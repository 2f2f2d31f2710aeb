// While the screen is up nothing else may write to the terminal: console, libraries and warnings are caught here. What
// was written is kept, a little of it: after a crash it may say why.

export interface Silence {
  /** Gives the streams back; returns the last lines that were written meanwhile. */
  end(): readonly string[];
}

const MOST_KEPT = 50;

/** Catches writes to this process's stdout and stderr. The streams' own `write` stays reachable for the screen. */
export function silenceStreams(streams: readonly NodeJS.WriteStream[]): Silence {
  const kept: string[] = [];
  const before = streams.map((stream) => ({ stream, write: stream.write }));
  for (const { stream } of before) {
    stream.write = (chunk: Uint8Array | string, encoding?: unknown, done?: unknown): boolean => {
      kept.push(typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString('utf8'));
      if (kept.length > MOST_KEPT) kept.shift();
      const callback = typeof encoding === 'function' ? encoding : done;
      if (typeof callback === 'function') queueMicrotask(() => callback(null));
      return true;
    };
  }
  // Node prints a warning past the stream, straight to the descriptor.
  const warned = process.listeners('warning');
  process.removeAllListeners('warning');
  const onWarning = (warning: Error) => void kept.push(`${warning.name}: ${warning.message}`);
  process.on('warning', onWarning);
  return {
    end() {
      for (const { stream, write } of before) stream.write = write;
      process.off('warning', onWarning);
      for (const listener of warned) process.on('warning', listener);
      return kept.splice(0);
    },
  };
}
