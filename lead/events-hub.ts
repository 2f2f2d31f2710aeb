// An emitter that many may listen to. A listener is never awaited and must not throw.
import type { EmitLeadEvent, LeadEvent } from './events.ts';

export interface Events {
  readonly emit: EmitLeadEvent;
  /** Calls `listener` for every event from now on; returns the way to stop. */
  listen(listener: EmitLeadEvent): () => void;
}

export function createEvents(): Events {
  const listeners = new Set<EmitLeadEvent>();
  return {
    emit(event: LeadEvent) {
      for (const listener of listeners) listener(event);
    },
    listen(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}
