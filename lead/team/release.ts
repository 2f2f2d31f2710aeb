// Letting a teammate go: `end` is asked, waited for, then forced; what it leaves is settled so that nothing is lost. Each
// step repeated changes nothing, and an entry found at `ending` when xz starts is settled the same way.

import type { Mail } from '../../mailbox/message.ts';
import type { RosterEntry } from '../../mailbox/roster.ts';
import { XzError } from '../../store/errors.ts';
import { commitAll } from '../../workers/worktree/commit.ts';
import { openGit } from '../../workers/worktree/git.ts';
import { tieOf } from '../../workers/worktree/mend.ts';
import { removeWorktree } from '../../workers/worktree/remove.ts';
import { unlanded } from '../../workers/worktree/state.ts';
import { unknownTeammate } from './assign.ts';
import { type Crew, lifeMailId, note } from './crew.ts';
import { dropIdleGate } from './idle-gate.ts';

/** How long a teammate may take to end its turn, ms; then its thread is ended. */
const END_DEADLINE_MS = 3_000;

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
  return settleEnded(crew, name);
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
  if (entry.state === 'ended') return told(entry);
  const buried = emptyBox(crew, name);
  tellBuried(crew, name, buried);
  const lines: string[] = [];
  const work = await settleWork(crew, entry);
  const back = await returnTasks(crew, entry, work.unlanded);
  if (back.length > 0) lines.push(`Back to pending: ${back.join(', ')}.`);
  if (buried.length > 0) lines.push(`${buried.length} undelivered message(s) are in dead/.`);
  if (work.worktreeKept !== undefined) lines.push(`Its worktree is kept: ${work.worktreeKept}.`);
  if (work.unlanded > 0)
    lines.push(`Branch ${entry.branch} keeps ${work.unlanded} commit(s) that have not landed; merge_teammate ${name} still works.`);
  if (work.unlanded > 0 || work.worktreeKept !== undefined) {
    crew.roster.change(name, {
      state: 'ended',
      landed: work.unlanded === 0,
      ...(work.worktreeKept === undefined && { worktree: undefined }),
    });
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

function told(entry: RosterEntry): string {
  const kept = entry.worktree === undefined ? '' : ` Its worktree is kept: ${entry.worktree}.`;
  return entry.landed === true || entry.branch === undefined
    ? `${entry.name} is released.${kept}`
    : `${entry.name} is released; branch ${entry.branch} has not landed.${kept}`;
}

/** Commits what is left, removes the worktree when nothing would be lost, and counts what has not landed. */
async function settleWork(crew: Crew, entry: RosterEntry): Promise<{ readonly unlanded: number; readonly worktreeKept?: string }> {
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
      unlanded: await countUnlanded(crew, branch, base),
      worktreeKept: `${removal.why}${removal.files.length > 0 ? ` (${removal.files.slice(0, 5).join(', ')})` : ''}`,
    };
  }
  return { unlanded: await countUnlanded(crew, branch, base) };
}

/** Commits of a branch that the main checkout lacks; a branch that is gone has none. */
export async function countUnlanded(crew: Crew, branch: string, base: string): Promise<number> {
  const git = openGit(crew.parts.layout.root, { env: crew.parts.env });
  try {
    return await unlanded(git, branch, base, 'HEAD');
  } catch (error) {
    if (error instanceof XzError && error.code === 'git_failed') return 0;
    throw error;
  }
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
