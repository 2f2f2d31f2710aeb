// Names of the leases that processes hold for life. "Is it alive" is asked by trying to take one, so every room must
// spell them alike.

/** Held by the process whose lead owns the workspace's mail and teammates. */
export const TEAM_LEASE = 'team';

/** Held by the one process that writes a session. */
export function sessionLease(session: string): string {
  return `session-${session.toLowerCase()}`;
}
