// The permission mode that counts now: the person's choice, narrowed while a scheduled turn runs that was made in less.
import type { PermissionMode } from './conversation.ts';

export interface ModeInForce {
  /** The person's choice, as shown. */
  get(): PermissionMode;
  set(mode: PermissionMode): void;
  /** What counts for tools, sub-agents, teammates and schedules made now. */
  inForce(): PermissionMode;
  /** Nothing may do more than `most` until this is called again; undefined lifts it. */
  narrow(most: PermissionMode | undefined): void;
}

const BY_RIGHTS: readonly PermissionMode[] = ['plan', 'ask', 'auto-edit', 'yolo'];

export function openMode(chosen: PermissionMode): ModeInForce {
  let most: PermissionMode | undefined;
  return {
    get: () => chosen,
    set(mode) {
      chosen = mode;
    },
    inForce: () => (most !== undefined && BY_RIGHTS.indexOf(most) < BY_RIGHTS.indexOf(chosen) ? most : chosen),
    narrow(next) {
      most = next;
    },
  };
}
