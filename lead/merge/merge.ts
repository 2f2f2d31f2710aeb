// The merge queue's one step at a time: a teammate's branch is merged and tested in a worktree of its own, and only a
// green commit reaches the person's checkout, by fast-forward. One merge at a time over all processes (lease `merge`).
import type { Clock } from '../../store/clock.ts';
import { XzError } from '../../store/errors.ts';
import { gitTopOf } from '../../store/git-layout.ts';
import { ensureStore, type Layout } from '../../store/layout.ts';
import type { Locks } from '../../store/lock.ts';
import type { CommandSetting } from '../../workers/worktree/command.ts';
import { type Git, type GitOptions, openGit, splitNul } from '../../workers/worktree/git.ts';
import { gitPlaces, operationOf } from '../../workers/worktree/locks.ts';
import type { WorktreeSetup } from '../../workers/worktree/setup.ts';
import type { EmitLeadEvent } from '../events.ts';
import { contains, fastForward } from './fast-forward.ts';
import { buildMerge, openGate, runGate } from './gate.ts';
import { removeIntent, writeIntent } from './intent.ts';
import { type GateReport, type MergeOutcome, otherBranch, refused } from './outcome.ts';
import { settleHeld } from './settle.ts';

export interface MergeInput {
  readonly layout: Layout;
  /** The teammate. */
  readonly name: string;
  readonly branch: string;
  /** Commit the branch started from. */
  readonly base: string;
  /** Branch the main checkout was on at spawn; undefined: its HEAD was detached. */
  readonly recordedBranch: string | undefined;
  /** Gate, copies, links and time limits. */
  readonly setup: WorktreeSetup;
  readonly trusted: boolean;
  readonly git: GitOptions;
  readonly locks: Locks;
  readonly clock: Clock;
  /** The name of this process, for the gate command's guard. */
  readonly process: CommandSetting['process'];
  readonly emit?: EmitLeadEvent;
}

/** How often a merge starts over because the person committed meanwhile. */
const MAX_STARTS = 5;

/**
 * Merges a teammate's branch. Throws `interrupted` when `git.signal` fires before the main checkout is touched (then
 * nothing has changed), `lock_busy` when another merge holds the lease for 30 s; everything else is an outcome.
 */
export async function mergeBranch(input: MergeInput): Promise<MergeOutcome> {
  const tell = (outcome: 'queued' | MergeOutcome['kind'], gate: string, commit?: string, detail?: string) =>
    input.emit?.({
      type: 'merge',
      name: input.name,
      outcome,
      gate,
      ...(commit === undefined ? {} : { commit }),
      ...(detail === undefined ? {} : { detail }),
    });
  tell('queued', input.setup.gate ?? 'none');
  // Before the first lock file: nothing of ours may show up in the person's `git status`.
  ensureStore(input.layout, 'agents');
  const outcome = await input.locks.withLease('merge', input.git.signal, () => asOutcome(() => mergeHeld(input)));
  const { gate, commit, detail } = inShort(outcome);
  tell(outcome.kind, gate, commit, detail);
  return outcome;
}

async function asOutcome(run: () => Promise<MergeOutcome>): Promise<MergeOutcome> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof XzError && error.code === 'git_failed') return refused('git', error.message);
    throw error;
  }
}

async function mergeHeld(input: MergeInput): Promise<MergeOutcome> {
  const settled = await settleHeld(input);
  if (settled.kind === 'blocked') return refused('unsettled', `the merge of ${settled.name} was cut: ${settled.why}`, settled.files);
  const main = openGit(gitTopOf(input.layout.root) ?? input.layout.root, input.git);
  for (let start = 0; start < MAX_STARTS; start++) {
    const outcome = await mergeOnce(main, input);
    if (outcome.kind !== 'moved') return outcome;
  }
  return refused('moving', `HEAD of the main checkout moved ${MAX_STARTS} times while the merge was made`);
}

/** One pass of steps 1 to 4; `moved`: start over. */
async function mergeOnce(main: Git, input: MergeInput): Promise<MergeOutcome | { readonly kind: 'moved' }> {
  const target = await targetOf(main, input);
  if (target.kind !== 'target') return target;
  const gate = await openGate(main, target.head, input);
  if ('kind' in gate) return gate;
  const built = await buildMerge(gate, input.branch, target.commit);
  if (built.kind !== 'built') return built;
  const report = await runGate(gate, input);
  if ('kind' in report) return report;
  return land(main, input, { head: target.head, commit: built.commit, report });
}

/** Step 1: what is merged into what, or why not. */
async function targetOf(
  main: Git,
  { branch, base, recordedBranch }: MergeInput,
): Promise<MergeOutcome | { readonly kind: 'target'; readonly head: string; readonly commit: string }> {
  if ((await main.run('rev-parse', '--is-inside-work-tree')) !== 'true')
    return refused('bare', 'there is no main checkout to merge into: the repository is bare');
  const on = gitPlaces(main).branch;
  if (on !== recordedBranch) return refused('other_branch', otherBranch(on, recordedBranch));
  const operation = operationOf(main);
  if (operation !== undefined) return refused('operation', `a ${operation} is half done in the main checkout`);
  const head = await main.run('rev-parse', 'HEAD');
  const found = await main.attempt('rev-parse', '-q', '--verify', `refs/heads/${branch}^{commit}`);
  if (found.code !== 0) return refused('no_branch', `there is no branch ${branch}`);
  const commit = found.out.trim();
  return (await contains(main, head, commit)) ? { kind: 'nothing', landed: commit !== base } : { kind: 'target', head, commit };
}

/** Steps 3 and 4: the green commit is kept under a ref, the intent is written, and the main checkout moves forward. */
async function land(
  main: Git,
  input: MergeInput,
  { head, commit, report }: { readonly head: string; readonly commit: string; readonly report: GateReport },
): Promise<MergeOutcome | { readonly kind: 'moved' }> {
  const { layout, name, branch, recordedBranch: mainBranch } = input;
  const paths = splitNul(await main.run('diff', '--name-only', '-z', '--no-renames', head, commit));
  // The ref is nobody's checked-out branch: it only keeps the commit from being collected.
  await main.run('update-ref', `refs/xz/merged/${name}`, commit);
  const intent = { name, branch, from: head, to: commit, ...(mainBranch === undefined ? {} : { mainBranch }), paths };
  writeIntent(layout, intent);
  // The gate took its time: whoever switched branches meanwhile is found out here, and the start after it says so.
  const forwarded = await fastForward(main, intent);
  if (forwarded.kind === 'cut') {
    const settled = await settleHeld(input);
    if (settled.kind === 'merged') return { kind: 'merged', commit, gate: report, files: paths };
    return settled.kind === 'dropped'
      ? { kind: 'moved' }
      : refused('unsettled', forwarded.detail, settled.kind === 'blocked' ? settled.files : []);
  }
  removeIntent(layout);
  switch (forwarded.kind) {
    case 'landed':
      return { kind: 'merged', commit, gate: report, files: paths };
    case 'moved':
      return { kind: 'moved' };
    case 'files':
      return refused('files', forwarded.detail, forwarded.files);
    case 'busy':
      return refused('busy', forwarded.detail);
  }
}

/** The words of an outcome for the event stream. */
function inShort(outcome: MergeOutcome): { readonly gate: string; readonly commit?: string; readonly detail?: string } {
  switch (outcome.kind) {
    case 'merged':
      return { gate: outcome.gate.verdict, commit: outcome.commit, detail: outcome.gate.lines.at(-1) ?? '' };
    case 'conflict':
      return { gate: 'not run', detail: outcome.files.join(', ') };
    case 'red':
      return { gate: 'red', detail: outcome.why };
    case 'refused':
      return { gate: 'not run', detail: [outcome.detail, ...outcome.files].join(' ') };
    case 'nothing':
      return { gate: 'not run' };
  }
}
