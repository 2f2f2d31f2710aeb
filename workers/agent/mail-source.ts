// The one seam through which mail enters an agent. The loop asks at tool boundaries and when it would end; the owner of
// the mailbox decides what is due then, and is told when the turn that showed the mail has ended.
import type { SeenMail } from '../../store/sessions/sessions.ts';

/** One mail as the model will read it. */
export interface TakenMail {
  readonly id: string;
  readonly text: string;
  readonly seen: SeenMail;
}

export interface MailSource {
  /** Notices that go along with a request that a turn begins with; each is in hand until that turn has ended. */
  goAlong(): readonly TakenMail[];
  /** Mail that may enter a running turn now, in queue order. */
  takeMail(): Promise<readonly TakenMail[]>;
  /** The turn that took mail has ended: `done` acknowledges it, `rolled_back` gives it back to the head of the queue. */
  turnEnded(state: 'done' | 'rolled_back'): Promise<void>;
}

/** For an agent without a mailbox. */
export const noMail: MailSource = {
  goAlong: () => [],
  takeMail: () => Promise.resolve([]),
  turnEnded: () => Promise.resolve(),
};
