// From a roster entry to a running thread, at spawn and at resume alike, and what happens when a thread is gone.

import { join, relative } from 'node:path';
import type { RosterEntry } from '../../mailbox/roster.ts';
import { pathBelowTop } from '../../store/git-layout.ts';
import { openSharedFolder, type SharedFolder, type SharedFolderSetup } from '../../workers/agent/files/shared-folder.ts';
import { type Crew, isLive, lifeMailId, note, ownEntries } from './crew.ts';
import { MOST_CRASHES, startMember } from './member-thread.ts';
import { settleEnded } from './release.ts';

/** Starts the thread of an entry whose folder is ready. */
export function startThread(crew: Crew, entry: RosterEntry): void {
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
      // The same folder in the worktree as the workspace is in the repository: nothing beside it is the teammate's.
      root: entry.worktree === undefined ? layout.root : join(entry.worktree, pathBelowTop(layout.root)),
      place: entry.place ?? '',
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
    async (how, why) => {
      if (how === 'ended') return settleEnded(crew, entry.name);
      if (how === 'crashed') await giveUp(crew, entry.name, why);
      return undefined;
    },
  );
  crew.threads.set(entry.name, thread);
}

/** True for a teammate that will not be started again. */
export function isGivenUp(entry: RosterEntry): boolean {
  return entry.state === 'crashed' && (entry.crashes ?? 0) >= MOST_CRASHES;
}

/**
 * A teammate that crashed too often keeps its branch and session; its tasks go back with one attempt used, and the lead
 * gets a result that says so, since a notice would not wake it. Repeated after a kill it changes nothing.
 */
export async function giveUp(crew: Crew, name: string, why = ''): Promise<void> {
  const entry = crew.roster.change(name, { state: 'crashed' });
  const reason = `${name} crashed too often`;
  await crew.parts.tasks.takeBack(
    (holder) => holder.by === name,
    () => reason,
  );
  const back = crew.parts.tasks.list({ all: true }).filter((task) => task.failures.some((failure) => failure.error === reason));
  // What it was to do is given back: nobody reads the mail any more.
  const buried = crew.mailbox.openBox(name).buryAll(reason);
  const unread = buried.length === 0 ? '' : ` ${buried.length} message(s) to it are in dead/.`;
  const ids = back.map((task) => task.id).join(', ');
  const sent = crew.mailbox.send({
    id: lifeMailId(entry, 'crashed'),
    type: 'result',
    from: name,
    to: 'Lead',
    epoch: crew.epoch(),
    subject: 'crashed',
    body: `${reason} and was stopped${why === '' ? '' : ` (${why})`}. Its work so far is kept.${ids === '' ? '' : ` Given back: ${ids}.`}${unread}`,
    data: { stopReason: 'crashed', unlanded: entry.branch !== undefined && entry.landed !== true },
    ...(entry.task !== undefined && { taskId: entry.task }),
  });
  if (sent.fresh) note(crew, 'crash', name, `given up; tasks returned: ${ids || 'none'}`);
  crew.mailed(sent.file);
}

/** The main folder for an agent of the lead's thread, shared with the teammates that have no worktree. */
export function sharedFolderOf(crew: Crew, agent: SharedFolderSetup['agent']): SharedFolder {
  const { layout, locks, clock } = crew.parts;
  const inCompany = () => ownEntries(crew).some((entry) => isLive(entry) && entry.worktree === undefined);
  return openSharedFolder({ root: layout.root, agent, record: crew.files, locks, clock, inCompany });
}

/** The worktree's path as people read it. */
export function shownPath(crew: Crew, path: string | undefined): string | undefined {
  return path === undefined ? undefined : relative(crew.parts.layout.root, path);
}
