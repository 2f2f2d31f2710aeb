// Landing a teammate's branch: one at a time through the merge queue, then tasks, roster and record say so. Conflict and
// red go back to the teammate as a review.
import type { RosterEntry } from '../../mailbox/roster.ts';
import { sleep } from '../../store/clock.ts';
import { throwIfAborted, XzError } from '../../store/errors.ts';
import { namedFrom } from '../../store/git-layout.ts';
import { commitAll } from '../../workers/worktree/commit.ts';
import { faultOf, tieOf } from '../../workers/worktree/mend.ts';
import { removeWorktree } from '../../workers/worktree/remove.ts';
import { readSetup } from '../../workers/worktree/setup.ts';
import { mergeBranch } from '../merge/merge.ts';
import type { GateReport, MergeOutcome } from '../merge/outcome.ts';
import { unknownTeammate } from './assign.ts';
import { type Crew, isLive, note } from './crew.ts';
import { dropIdleGate } from './idle-gate.ts';
import { sendReview } from './review.ts';
import { sessionAway } from './take-over.ts';

export interface Merged {
  /** Nothing of the branch is left to land. */
  readonly landed: boolean;
  readonly text: string;
  /** Paths that the main checkout got, from the workspace. */
  readonly files?: readonly string[];
}

/** Merges a teammate's work; resolves to what the lead is told. `reviewId` makes a repeated hand-back one review. */
export async function mergeTeammate(crew: Crew, name: string, reviewId: string, signal: AbortSignal): Promise<Merged> {
  const entry = crew.roster.read(name);
  if (entry === undefined || entry.name === 'Lead') throw unknownTeammate(crew, name);
  if (entry.branch === undefined || entry.base === undefined)
    return { landed: true, text: `${name} works in the main folder: there is nothing to merge.` };
  await refuseAtWork(crew, name, signal);
  await commitLeft(crew, entry);
  const { layout, env, clock, trusted, locks, process } = crew.parts;
  const outcome = await mergeBranch({
    layout,
    name,
    branch: entry.branch,
    base: entry.base,
    recordedBranch: entry.mainBranch,
    setup: readSetup(layout),
    trusted,
    git: { env, signal },
    locks,
    clock,
    process,
    emit: crew.emit,
  });
  note(crew, 'merge', name, `${outcome.kind}: ${describe(outcome).split('\n')[0]}`, { ...outcome });
  const freed = outcome.kind === 'merged' || outcome.kind === 'nothing' ? await markLanded(crew, name) : [];
  await dropIdleGate(crew);
  if ((outcome.kind === 'conflict' || outcome.kind === 'red') && isLive(entry) && sessionAway(crew, entry) === undefined) {
    const feedback = outcome.kind === 'conflict' ? conflictFeedback(outcome.files) : redFeedback(outcome);
    return { landed: false, text: `${describe(outcome)}\n${await sendReview(crew, name, feedback, reviewId, signal)}` };
  }
  const ready = (freed.length > 0 ? ` Now ready: ${freed.join(', ')}.` : '') + keptFolder(crew, entry.worktree);
  return {
    landed: outcome.kind === 'merged' || outcome.kind === 'nothing',
    text: describe(outcome) + ready,
    ...(outcome.kind === 'merged' && { files: namedFrom(layout.root, outcome.files) }),
  };
}

/** What is said of a worktree whose uncommitted files no merge could see. */
function keptFolder(crew: Crew, worktree: string | undefined): string {
  if (worktree === undefined) return '';
  const tie = tieOf(crew.parts.layout, worktree, { env: crew.parts.env });
  if (tie === 'sound' || tie === 'gone') return '';
  return ` Only what was committed on the branch counts: the worktree ${worktree} is broken (${faultOf(tie)}) and is kept as it is.`;
}

/** A teammate that nobody runs may have been killed in the middle: what it wrote belongs to its work. */
async function commitLeft(crew: Crew, { name, worktree, branch }: RosterEntry): Promise<void> {
  const { layout, env, clock } = crew.parts;
  if (crew.threads.has(name) || worktree === undefined || branch === undefined || tieOf(layout, worktree, { env }) !== 'sound') return;
  try {
    await commitAll({ path: worktree, branch, message: `${name}: work in progress, merged`, git: { env }, clock });
  } catch (error) {
    // A broken worktree keeps nobody from landing what is on the branch.
    if (!(error instanceof XzError) || error.code !== 'git_failed') throw error;
    note(crew, 'merge', name, `what is in its worktree cannot be committed: ${error.message}`);
  }
}

/** How long a teammate may take from handing in its result to standing idle, ms. */
const HAND_IN_MS = 2_000;

/**
 * A branch that is being worked on is not merged. Its task is the judge: a result is handed in a moment before the
 * teammate says that it is idle, and whoever read it may merge at once.
 */
async function refuseAtWork(crew: Crew, name: string, signal: AbortSignal): Promise<void> {
  const { clock, tasks } = crew.parts;
  for (const until = clock.now() + HAND_IN_MS; ; ) {
    const entry = crew.roster.read(name);
    if (entry?.state !== 'working' || !crew.threads.has(name)) return;
    const task = entry.task === undefined ? undefined : tasks.get(entry.task);
    if (task !== undefined && task.state !== 'in_progress') return;
    if (clock.now() >= until)
      throw new XzError('refused', `${name} is at work on ${entry.task ?? 'something'}`, {
        hint: 'wait for its result with collect_results, then merge',
      });
    if (!(await sleep(clock, 20, signal))) throwIfAborted(signal);
  }
}

/**
 * After a merge: the tasks of the branch have landed, and a teammate that has gone leaves nothing behind. Resolves to the
 * ids of the tasks that waited for these and can be started now.
 */
export async function markLanded(crew: Crew, name: string): Promise<string[]> {
  const entry = crew.roster.read(name);
  const freed = await landTasks(crew, name);
  if (entry === undefined) return freed;
  crew.roster.change(name, { landed: true });
  const { branch, base, worktree } = entry;
  if (isLive(entry) || branch === undefined || base === undefined) return freed;
  const { layout, env, clock } = crew.parts;
  const removal = await removeWorktree({ layout, path: worktree ?? `${layout.worktrees}/${name}`, branch, base, git: { env }, clock });
  if (removal.kind === 'removed') {
    crew.mailbox.openBox(name).buryAll(`${name} has gone`);
    crew.roster.remove(name);
  } else crew.roster.change(name, { kept: { why: removal.why, files: [...removal.files] } });
  return freed;
}

/** The work of a teammate's completed tasks has landed. Resolves to the ids of the tasks that waited for it and can be started now. */
export async function landTasks(crew: Crew, name: string): Promise<string[]> {
  const waited = crew.parts.tasks.list().filter((task) => task.state === 'pending' && !task.ready);
  for (const task of crew.parts.tasks.list({ all: true })) {
    if (task.assignee !== name || task.state !== 'completed' || task.landed !== false || task.archived !== undefined) continue;
    await crew.parts.tasks.setLanded(task.id);
    crew.emit({ type: 'task', id: task.id, title: task.title, state: task.state, assignee: name, landed: true });
  }
  return waited.filter((task) => crew.parts.tasks.get(task.id)?.ready === true).map((task) => task.id);
}

function describe(outcome: MergeOutcome): string {
  switch (outcome.kind) {
    case 'merged':
      return `Landed as ${outcome.commit.slice(0, 10)} (gate: ${gateInWords(outcome.gate)}).`;
    case 'nothing':
      return 'There is nothing to merge: the branch has no commit that the main checkout lacks.';
    case 'conflict':
      return `Conflict in ${outcome.files.join(', ')}; nothing was changed.`;
    case 'red':
      return `The gate is red (${outcome.why}); nothing was changed.\n${outcome.output.slice(-3_000)}`;
    case 'refused':
      return `Not merged: ${outcome.detail}${outcome.files.length > 0 ? ` (${outcome.files.join(', ')})` : ''}. Nothing was changed; it can be merged later.`;
  }
}

function gateInWords({ verdict, command, tests }: GateReport): string {
  return verdict === 'none'
    ? 'none'
    : `${command} green, ${tests === undefined ? 'no test summary seen' : `${tests} test${tests === 1 ? '' : 's'}`}`;
}

function conflictFeedback(files: readonly string[]): string {
  return `Your branch conflicts with what has landed meanwhile, in: ${files.join(', ')}. Merge the main branch into yours (git merge), resolve the conflicts, run the tests, and report.`;
}

function redFeedback({ why, output }: Extract<MergeOutcome, { kind: 'red' }>): string {
  return `Merged with what has landed, your work fails the project's gate (${why}):\n${output.slice(-6_000)}\nMerge the main branch into yours (git merge), make the gate pass, and report.`;
}
