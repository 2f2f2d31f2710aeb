// An emitter that many may listen to. A listener is never awaited and must not throw. What is emitted before anybody
// listens (a bad file met while the stores open) is kept for the first listener.
import type { EmitLeadEvent, LeadEvent } from './events.ts';

export interface Events {
  readonly emit: EmitLeadEvent;
  /** Calls `listener` for every event from now on; returns the way to stop. */
  listen(listener: EmitLeadEvent): () => void;
}

export function createEvents(): Events {
  const listeners = new Set<EmitLeadEvent>();
  let early: LeadEvent[] | undefined = [];
  return {
    emit(event: LeadEvent) {
      early?.push(event);
      for (const listener of listeners) listener(event);
    },
    listen(listener) {
      listeners.add(listener);
      const missed = early ?? [];
      early = undefined;
      for (const event of missed) listener(event);
      return () => void listeners.delete(listener);
    },
  };
}
