// What the panels show of the stores, as events. A store that cannot be read now is told once and shown as it was.
import type { Conversation } from '../../lead/conversation.ts';
import type { LeadEvent } from '../../lead/events.ts';
import { errorMessage } from '../../store/errors.ts';
import type { StorePorts } from '../slash/ports.ts';
import type { ScreenEvent } from './state.ts';

export interface Snapshots {
  /** Reads all stores that the panels show. */
  refresh(): void;
}

/** Reads the stores for `dispatch`; `fail` is told of a store that cannot be read, once for each reason. */
export function storeSnapshots(
  conversation: Conversation,
  stores: StorePorts,
  dispatch: (event: ScreenEvent) => void,
  fail: (error: unknown) => void,
): Snapshots {
  const told = new Set<string>();
  const guarded = (read: () => void) => {
    try {
      read();
    } catch (error) {
      const reason = errorMessage(error);
      if (told.has(reason)) return;
      told.add(reason);
      fail(error);
    }
  };
  return {
    refresh() {
      guarded(() => dispatch({ type: 'team', on: conversation.team.enabled(), items: conversation.team.status() }));
      guarded(() => {
        if (stores.tasks !== undefined) dispatch({ type: 'tasks', items: stores.tasks.list() });
      });
      guarded(() => {
        if (stores.schedule !== undefined) dispatch({ type: 'schedule', items: stores.schedule.list() });
      });
      guarded(() => {
        const topics = stores.memory?.topics().length ?? 0;
        const conflicts = stores.memory?.conflicts().length ?? 0;
        dispatch({ type: 'memory', view: { on: conversation.memoryOn(), recalled: stores.recalled?.() ?? [], topics, conflicts } });
      });
    },
  };
}

const STORE_TOOLS = /task|schedule|memory|team|teammate|agent/;

/** True for an event after which a panel may look different. */
export function changesStores(event: LeadEvent): boolean {
  switch (event.type) {
    case 'turn_start':
    case 'turn_end':
    case 'task':
    case 'merge':
    case 'mail':
    case 'end':
      return true;
    case 'tool_end':
      return STORE_TOOLS.test(event.name);
    case 'notice':
      return event.code === 'memory' || event.code === 'team';
    case 'teammate':
      return event.state === 'ended' || event.state === 'starting';
    case 'text':
    case 'thinking':
    case 'tool_start':
    case 'usage':
    case 'error':
    case 'question':
      return false;
  }
}
