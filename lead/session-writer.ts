// A session is written by one process: whoever speaks in it holds its lease.
import { XzError } from '../store/errors.ts';
import { sessionLease } from '../store/leases.ts';
import type { Lease, Locks } from '../store/lock.ts';

export interface SessionWriter {
  /** Takes the lease of a session and gives the former one back. Throws `conflict` naming who holds it. */
  take(session: string): void;
  release(): void;
}

export function openSessionWriter(locks: Locks): SessionWriter {
  let lease: Lease | undefined;
  let held = '';
  return {
    take(session) {
      if (session === held) return;
      const taken = locks.tryLease(sessionLease(session));
      if (taken.holder !== undefined)
        throw new XzError('conflict', `session ${session} is in use by ${taken.holder}`, {
          hint: 'end that process, or go on with another session',
          data: { kind: 'session', given: session, holder: taken.holder },
        });
      lease?.release();
      lease = taken;
      held = session;
    },
    release() {
      lease?.release();
      lease = undefined;
      held = '';
    },
  };
}
