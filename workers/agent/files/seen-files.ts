// What this agent last knew of each file, as a hash of its bytes: a whole-file write is refused over content it has not
// seen. Hashes, not times: touching a file does not matter, a change within the same second does.
import { createHash } from 'node:crypto';

export interface SeenFiles {
  /** Notes the content the agent has read or written. */
  note(real: string, bytes: Uint8Array): void;
  /** What the agent knows of a file with these bytes now. */
  compare(real: string, bytes: Uint8Array): 'same' | 'changed' | 'unseen';
  forget(real: string): void;
}

/** Empty at the start of a session: a resumed agent reads again before it overwrites. */
export function createSeenFiles(): SeenFiles {
  const hashes = new Map<string, string>();
  const hash = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('base64');
  return {
    note: (real, bytes) => void hashes.set(real, hash(bytes)),
    compare(real, bytes) {
      const known = hashes.get(real);
      if (known === undefined) return 'unseen';
      return known === hash(bytes) ? 'same' : 'changed';
    },
    forget: (real) => void hashes.delete(real),
  };
}
