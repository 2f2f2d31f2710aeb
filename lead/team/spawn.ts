// Spawning a teammate: every step is announced in the roster before it is done, so that the same call repeated after a
// crash goes on where it stopped instead of making a second teammate.

import type { RosterEntry } from '../../mailbox/roster.ts';
import { isoWithOffset, localDate } from '../../store/clock.ts';
import { isAbort, XzError } from '../../store/errors.ts';
import { namedFrom } from '../../store/git-layout.ts';
import { checkAgentName, stableHash } from '../../store/ids.ts';
import type { CallOrigin } from '../../workers/agent/tools/tool.ts';
import { changedBy } from '../../workers/agent/turn/stays.ts';
import { createWorktree } from '../../workers/worktree/create.ts';
import { openGit } from '../../workers/worktree/git.ts';
import { planWorktree, type WorktreePlan } from '../../workers/worktree/plan.ts';
import { readSetup } from '../../workers/worktree/setup.ts';
import { statusOf } from '../../workers/worktree/state.ts';
import { assignTask, resolveTask } from './assign.ts';
import { type Crew, isLive, note, ownEntries } from './crew.ts';
import { keptWorktree, reasonOf } from './landing.ts';
import { startThread } from './threads.ts';

export interface SpawnInput {
  readonly name: string;
  readonly role: string | undefined;
  /** A task id, or text that becomes a task. */
  readonly task: string | undefined;
  readonly worktree: boolean | undefined;
}

/** Spawns a teammate; resolves to what the lead is told. Throws `bad_input` or `refused` with the reason. */
export async function spawnTeammate(crew: Crew, input: SpawnInput, origin: CallOrigin, signal: AbortSignal): Promise<string> {
  const epoch = stableHash('epoch', origin.session, String(origin.row), String(origin.index)).slice(0, 16);
  const known = crew.roster.read(input.name);
  // The same call once more, or another one after a spawn that failed half-way: both go on with the entry that is there.
  const isOpen = known !== undefined && (known.epoch === epoch || isHalfMade(crew, known));
  const earlier = isOpen || known === undefined ? undefined : keptWorktree(crew.parts.layout, known);
  const entry = isOpen ? known : await enlist(crew, input, epoch, origin, signal);
  const task = input.task === undefined ? undefined : await resolveTask(crew, input.task, origin, signal);
  const made = await settle(crew, entry, input.worktree ?? crew.settings.worktrees, signal);
  // From here on a resume may start it: before, it would work in the main folder, or in a worktree that is half made.
  const placed = crew.roster.change(entry.name, { place: made.place });
  if (!crew.threads.has(entry.name)) startThread(crew, placed);
  const lines = [`${entry.name} is here${input.role ? ` as ${input.role}` : ''}, ${made.where}.`, ...(made.problems ?? [])];
  if (earlier !== undefined) lines.push(`The worktree ${earlier.worktree} of an earlier ${entry.name} stays: ${reasonOf(earlier)}.`);
  if (task !== undefined) lines.push(await giveFirst(crew, entry.name, task, origin, signal));
  return lines.join('\n');
}

/** Gives the first task. The teammate is there by now: what goes wrong here is told, and is no reason to spawn again. */
async function giveFirst(crew: Crew, teammate: string, task: string, origin: CallOrigin, signal: AbortSignal): Promise<string> {
  try {
    return await assignTask(crew, { teammate, task }, origin, signal);
  } catch (error) {
    if (!(error instanceof XzError) || isAbort(error)) throw error;
    return `Task ${task} could not be given to it: ${error.message}. assign_task gives it once that is mended.`;
  }
}

/** True for an entry of this session whose spawn was announced and never came to a thread. */
function isHalfMade(crew: Crew, entry: RosterEntry): boolean {
  const own = crew.parts.sessions.get(entry.session)?.parent === crew.session();
  return own && entry.state === 'starting' && entry.place === undefined && !crew.threads.has(entry.name);
}

/** Checks everything that may forbid the spawn, then writes the roster entry. */
async function enlist(crew: Crew, input: SpawnInput, epoch: string, origin: CallOrigin, signal: AbortSignal): Promise<RosterEntry> {
  const present = crew.roster.list().filter((entry) => entry.name !== 'Lead');
  const finished = present.find((entry) => entry.name.toLowerCase() === input.name.toLowerCase());
  if (finished !== undefined && !isLive(finished) && finished.branch !== undefined && finished.landed !== true)
    throw new XzError('refused', `${finished.name} left unlanded work on ${finished.branch}`, {
      hint: `merge_teammate or release it first, or choose another name`,
    });
  checkAgentName(
    input.name,
    present.filter(isLive).map((entry) => entry.name),
  );
  const live = ownEntries(crew).filter(isLive);
  if (live.length >= crew.settings.max)
    throw new XzError('refused', `the team is full: ${live.map((entry) => entry.name).join(', ')} (at most ${crew.settings.max})`, {
      hint: 'assign the task to one of them, or release one first',
    });
  if (input.worktree ?? crew.settings.worktrees) {
    // A set-up file that cannot be used is told before anything is made.
    readSetup(crew.parts.layout);
    await refuseOverOwnChanges(crew, signal);
  }
  if (input.task !== undefined) {
    const task = crew.parts.tasks.get(input.task);
    if (task !== undefined && !task.ready && task.state === 'pending')
      throw new XzError('refused', `task ${task.id} is not ready: it waits for ${task.waitingFor.join(', ')}`, {
        hint: 'finish or merge those first',
      });
  }
  const session = crew.parts.sessions.create({
    id: `${localDate(crew.parts.clock.now())}-${epoch.slice(0, 6)}`,
    kind: 'teammate',
    agent: input.name,
    parent: crew.session(),
    title: input.role ? `${input.name}: ${input.role}` : input.name,
  });
  crew.mailbox.ensureBox(input.name);
  const entry = crew.roster.write({
    name: input.name,
    session: session.id,
    epoch,
    state: 'starting',
    createdAt: isoWithOffset(crew.parts.clock.now()),
    ...(input.role !== undefined && { role: input.role }),
  });
  note(crew, 'spawn', input.name, `spawned${input.role ? ` as ${input.role}` : ''}`, { session: session.id, epoch, origin });
  return entry;
}

/** Files that the lead changed in this session and nobody committed: a worktree would not have them. */
async function refuseOverOwnChanges(crew: Crew, signal: AbortSignal): Promise<void> {
  const rows = crew.parts.sessions.messages(crew.session());
  const mine = new Set(rows.flatMap(({ content }) => (content.role === 'tool' ? changedBy(content) : [])));
  if (mine.size === 0) return;
  const git = openGit(crew.parts.layout.root, { env: crew.parts.env, signal });
  if ((await git.attempt('rev-parse', '--verify', 'HEAD^{commit}')).code !== 0) return;
  const { changed, untracked } = await statusOf(git);
  const open = namedFrom(crew.parts.layout.root, [...changed, ...untracked]).filter((file) => mine.has(file));
  if (open.length > 0)
    throw new XzError('refused', `you changed files that are not committed, and a worktree would not have them: ${open.join(', ')}`, {
      hint: 'commit them first, or spawn without a worktree',
    });
}

interface Settled {
  readonly entry: RosterEntry;
  /** For the teammate's prompt. */
  readonly place: string;
  /** For the lead. */
  readonly where: string;
  readonly problems?: readonly string[];
}

const SHARED = 'You work in the main folder, which you share with your lead and other teammates: change only what your task needs.';

async function settle(crew: Crew, entry: RosterEntry, wanted: boolean, signal: AbortSignal): Promise<Settled> {
  if (!wanted && entry.worktree === undefined) return { entry, place: SHARED, where: 'in the main folder' };
  const { layout, env, clock, trusted } = crew.parts;
  const git = { env, signal };
  const setup = readSetup(layout);
  const planned = await planOf(crew, entry, signal);
  if ('why' in planned) return withoutWorktree(crew, entry, planned);
  const { plan } = planned;
  const announced = crew.roster.change(entry.name, {
    worktree: plan.path,
    branch: plan.branch,
    base: plan.base,
    mainBranch: plan.mainBranch,
  });
  const made = await createWorktree({ layout, plan, setup, git, clock, trusted, process: crew.parts.process });
  if (made.kind === 'none')
    return withoutWorktree(crew, crew.roster.change(entry.name, { worktree: undefined, branch: undefined, base: undefined }), made);
  for (const text of made.problems) {
    note(crew, 'spawn', entry.name, `set-up: ${text}`);
    crew.emit({ type: 'notice', agent: entry.name, code: 'team', text });
  }
  return {
    entry: announced,
    place: made.notes.join('\n'),
    where: `in ${plan.path.slice(layout.root.length + 1)} on branch ${plan.branch}`,
    problems: made.problems,
  };
}

/** The plan that the roster announces, or a new one. */
async function planOf(
  crew: Crew,
  entry: RosterEntry,
  signal: AbortSignal,
): Promise<{ readonly plan: WorktreePlan } | { readonly why: string; readonly detail: string }> {
  const { layout, env } = crew.parts;
  const planned = await planWorktree({ layout, name: entry.name, setup: readSetup(layout), git: { env, signal } });
  if (planned.kind === 'none') return planned;
  const { worktree, branch, base, mainBranch } = entry;
  if (worktree === undefined || branch === undefined || base === undefined) return planned;
  const inside = planned.plan.root.slice(planned.plan.path.length);
  return { plan: { ...planned.plan, path: worktree, root: worktree + inside, branch, base, mainBranch } };
}

function withoutWorktree(crew: Crew, entry: RosterEntry, none: { readonly why: string; readonly detail: string }): Settled {
  const why = none.why.replaceAll('_', ' ');
  note(crew, 'spawn', entry.name, `no worktree: ${why} (${none.detail})`);
  crew.emit({ type: 'notice', agent: entry.name, code: 'team', text: `${entry.name} works in the main folder: ${why} (${none.detail})` });
  return { entry, place: SHARED, where: `in the MAIN FOLDER, without a worktree (${why}: ${none.detail})` };
}
