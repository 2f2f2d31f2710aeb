// Letting a teammate go: `end` is asked, waited for, then forced; what it leaves is settled so that nothing is lost. Each
// step repeated changes nothing, and an entry found at `ending` when xz starts is settled the same way.

import type { Mail } from '../../mailbox/message.ts';
import type { RosterEntry } from '../../mailbox/roster.ts';
import { commitAll } from '../../workers/worktree/commit.ts';
import { tieOf } from '../../workers/worktree/mend.ts';
import { removeWorktree } from '../../workers/worktree/remove.ts';
import { unknownTeammate } from './assign.ts';
import { type Crew, lifeMailId, note, ownEntries } from './crew.ts';
import { dropIdleGate } from './idle-gate.ts';
import { countUnlanded, hasBranch, isUnfinished, keptInWords, keptWorktree } from './landing.ts';
import { landTasks } from './merge.ts';

/** How long a teammate may take to end its turn, ms; then its thread is ended. */
const END_DEADLINE_MS = 3_000;
/** Files of a kept worktree that its entry names at most. */
const MOST_KEPT = 50;

/** Releases a teammate; resolves to what was done with its work. */
export async function releaseTeammate(crew: Crew, name: string): Promise<string> {
  const entry = crew.roster.read(name);
  if (entry === undefined || entry.name === 'Lead') throw unknownTeammate(crew, name);
  crew.roster.change(name, { state: 'ending' });
  const thread = crew.threads.get(name);
  if (thread !== undefined) {
    // One `end` for one teammate, however often it is released.
    const id = lifeMailId(entry, 'end');
    const sent = crew.mailbox.send({ id, type: 'end', from: 'Lead', to: name, epoch: entry.epoch, body: 'Your work here is done.' });
    thread.wake(sent.file);
    await withDeadline(crew, thread.over, END_DEADLINE_MS, () => thread.stop());
  }
  // Whoever ends by itself was settled by its own thread a moment ago, and that is what there is to tell.
  return thread?.farewell() ?? settleEnded(crew, name);
}

/** At the end of a process: idle teammates with nothing unlanded and no work in their box go; the others come back with `--resume`. */
export async function releaseIdle(crew: Crew): Promise<void> {
  for (const { name, state, branch, base } of ownEntries(crew)) {
    if (state !== 'idle') continue;
    const landed = branch === undefined || base === undefined || (await countUnlanded(crew.parts, branch, base)) === 0;
    if (landed && crew.mailbox.pending(name).work === 0) await releaseTeammate(crew, name);
  }
}

async function withDeadline(crew: Crew, over: Promise<void>, ms: number, force: () => Promise<void>): Promise<void> {
  let late = () => {};
  const deadline = new Promise<'late'>((resolve) => {
    late = () => resolve('late');
  });
  const cancel = crew.parts.clock.after(ms, late);
  const first = await Promise.race([over.then(() => 'over' as const), deadline]);
  cancel();
  if (first === 'late') await force();
}

/** Settles what an ended teammate leaves: mail to dead/, tasks to pending, worktree and branch by proof. */
export async function settleEnded(crew: Crew, name: string): Promise<string> {
  const entry = crew.roster.read(name);
  if (entry === undefined) return `${name} is released.`;
  if (entry.state === 'ended') return told(crew, entry);
  const buried = emptyBox(crew, name);
  tellBuried(crew, name, buried);
  const lines: string[] = [];
  const there = entry.branch !== undefined && (await hasBranch(crew.parts, entry.branch));
  // Merged by hand: once the branch is gone nobody could say so any more, and what waits for its tasks would wait for ever.
  const landed = there && !(await isUnfinished(crew.parts, entry)) ? await landTasks(crew, name) : undefined;
  const work = await settleWork(crew, entry);
  const freed = landed ?? (there && work.unlanded === 0 ? await landTasks(crew, name) : []);
  if (freed.length > 0) lines.push(`Now ready: ${freed.join(', ')}.`);
  const back = await returnTasks(crew, entry, work.unlanded);
  if (back.length > 0) lines.push(`Back to pending: ${back.join(', ')}.`);
  if (buried.length > 0) lines.push(`${buried.length} undelivered message(s) are in dead/.`);
  if (work.unlanded > 0)
    lines.push(`Branch ${entry.branch} keeps ${work.unlanded} commit(s) that have not landed; merge_teammate ${name} still works.`);
  if (work.unlanded > 0 || work.kept !== undefined) {
    const left = crew.roster.change(name, {
      state: 'ended',
      landed: work.unlanded === 0,
      kept: work.kept,
      ...(work.kept === undefined && { worktree: undefined }),
    });
    const stays = whatStays(crew, left);
    if (stays !== undefined) {
      lines.push(sentence(stays));
      crew.emit({ type: 'notice', agent: name, code: 'team', text: stays });
    }
  } else crew.roster.remove(name);
  crew.files.forget(entry.session);
  await dropIdleGate(crew);
  note(crew, 'release', name, [`released`, ...lines].join(' '));
  crew.emit({
    type: 'teammate',
    name,
    state: 'ended',
    activity: 'waiting',
    since: crew.parts.clock.now(),
    tokens: crew.parts.sessions.spent(entry.session).tokens,
    costUsd: crew.parts.sessions.spent(entry.session).costUsd,
    files: [],
    ...(work.unlanded > 0 && entry.branch !== undefined && { branch: entry.branch }),
  });
  crew.changed();
  return [`${name} is released.`, ...lines].join(' ');
}

/** What an ended teammate will not read goes to dead/; the `end` itself has done its work. Returns how many were left. */
function emptyBox(crew: Crew, name: string): readonly Mail[] {
  const box = crew.mailbox.openBox(name);
  const reason = `${name} was released`;
  const unread: Mail[] = [];
  for (;;) {
    const taken = box.claim({ take: 'all', max: 100, alreadySeen: () => false });
    if (taken.length === 0) break;
    for (const mail of taken) {
      if (mail.type === 'end') box.acknowledge(mail);
      else unread.push(mail);
    }
  }
  for (const mail of unread) box.dead(mail, reason);
  return [...unread, ...box.buryAll(reason)];
}

/** The person is told of what nobody will read; repeated, nothing is left to tell of. */
function tellBuried(crew: Crew, name: string, buried: readonly Mail[]): void {
  if (buried.length === 0) return;
  const which = buried.map((mail) => `a ${mail.type} from ${mail.from}`).join(', ');
  const text = `${name} ended before it read ${which}: kept in .Mailbox/${name}/dead, \`xz mail list ${name}\` shows what it says`;
  crew.emit({ type: 'notice', agent: name, code: 'team', text });
}

function told(crew: Crew, entry: RosterEntry): string {
  const landed = entry.landed === true || entry.branch === undefined;
  const stays = whatStays(crew, entry);
  const lines = [landed ? `${entry.name} is released.` : `${entry.name} is released; branch ${entry.branch} has not landed.`];
  return [...lines, ...(stays === undefined ? [] : [sentence(stays)])].join(' ');
}

/** The worktree that an ended teammate leaves, in words; undefined when none stays. */
function whatStays(crew: Crew, entry: RosterEntry): string | undefined {
  const kept = keptWorktree(crew.parts.layout, entry);
  return kept === undefined ? undefined : keptInWords(entry.name, kept);
}

const sentence = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;

/** Commits what is left, removes the worktree when nothing would be lost, and counts what has not landed. */
async function settleWork(
  crew: Crew,
  entry: RosterEntry,
): Promise<{ readonly unlanded: number; readonly kept?: NonNullable<RosterEntry['kept']> }> {
  const { worktree, branch, base } = entry;
  if (branch === undefined || base === undefined) return { unlanded: 0 };
  const { layout, env, clock } = crew.parts;
  const git = { env };
  if (worktree !== undefined) {
    if (tieOf(layout, worktree, git) === 'sound')
      await commitAll({ path: worktree, branch, message: `${entry.name}: work in progress, released`, git, clock });
    const removal = await removeWorktree({ layout, path: worktree, branch, base, git, clock });
    if (removal.kind === 'removed') return { unlanded: removal.unlanded };
    return {
      unlanded: await countUnlanded(crew.parts, branch, base),
      kept: { why: removal.why, files: removal.files.slice(0, MOST_KEPT) },
    };
  }
  return { unlanded: await countUnlanded(crew.parts, branch, base) };
}

async function returnTasks(crew: Crew, entry: RosterEntry, unlandedCommits: number): Promise<string[]> {
  const held = crew.parts.tasks
    .list({ all: true })
    .filter(
      (task) =>
        (task.claim?.by === entry.name || task.assignee === entry.name) && (task.state === 'in_progress' || task.state === 'pending'),
    );
  const noted = unlandedCommits > 0 ? `earlier work is on branch ${entry.branch}` : undefined;
  for (const task of held) await crew.parts.tasks.release(task.id, { useAttempt: false, note: noted });
  return held.filter((task) => task.state === 'in_progress').map((task) => task.id);
}
