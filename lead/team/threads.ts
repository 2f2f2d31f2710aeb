// From a roster entry to a running thread, at spawn and at resume alike, and what happens when a thread is gone.

import { relative } from 'node:path';
import type { RosterEntry } from '../../mailbox/roster.ts';
import { type Crew, note } from './crew.ts';
import { startMember } from './member-thread.ts';
import { settleEnded } from './release.ts';

/** Starts the thread of an entry. `place` is what a new session is told of its folder. */
export function startThread(crew: Crew, entry: RosterEntry, place: string): void {
  const { layout, process: owner, trusted, config } = crew.parts;
  const thread = startMember(
    crew,
    {
      name: entry.name,
      role: entry.role ?? '',
      session: entry.session,
      parent: crew.session(),
      epoch: entry.epoch,
      leadEpoch: crew.epoch(),
      workspace: layout.root,
      root: entry.worktree ?? layout.root,
      place,
      mode: crew.mode(),
      flags: crew.flags,
      allow: [...config.permissions.allow],
      trusted,
      processName: owner.name,
      version: crew.version,
      language: crew.language,
      ...(crew.parts.binFolder !== undefined && { binFolder: crew.parts.binFolder }),
      ...(entry.branch !== undefined && { branch: entry.branch }),
    },
    async (why) => {
      crew.threads.delete(entry.name);
      if (why === 'ended') await settleEnded(crew, entry.name);
      if (why === 'crashed') await giveUp(crew, entry.name);
    },
  );
  crew.threads.set(entry.name, thread);
}

/** A teammate that crashed too often keeps its branch and session; its task goes back with one attempt used. */
async function giveUp(crew: Crew, name: string): Promise<void> {
  crew.roster.change(name, { state: 'crashed' });
  const back = await crew.parts.tasks.takeBack((holder) => holder.by === name, `${name} crashed too often`);
  note(crew, 'crash', name, `given up; tasks returned: ${back.map((task) => task.id).join(', ') || 'none'}`);
  const sent = crew.mailbox.send({
    type: 'notice',
    from: name,
    to: 'Lead',
    epoch: crew.epoch(),
    subject: 'crashed',
    body: `${name} crashed too often and was stopped. Its work so far is kept${back.length > 0 ? `; back to pending: ${back.map((task) => task.id).join(', ')}` : ''}.`,
  });
  crew.mailed(sent.file);
}

/** The worktree's path as people read it. */
export function shownPath(crew: Crew, path: string | undefined): string | undefined {
  return path === undefined ? undefined : relative(crew.parts.layout.root, path);
}
