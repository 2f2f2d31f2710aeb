// Whether the holder of a claim still works: asked of its lease, never of a pid.
import { sessionLease, TEAM_LEASE } from '../../../store/leases.ts';
import type { Locks } from '../../../store/lock.ts';
import type { Claim } from '../../../store/tasks/schema.ts';

/** A claim lives while its session is being written, or while any team is on (teammates are threads of that process). */
export function liveClaims(locks: Locks): (claim: Claim) => boolean {
  return ({ session }) => !locks.isFree(TEAM_LEASE) || (session !== undefined && !locks.isFree(sessionLease(session)));
}
