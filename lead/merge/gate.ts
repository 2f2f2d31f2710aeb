// The gate's own worktree, `.worktrees/.gate`: merging and testing happen there, so that the person's checkout sees only
// a finished, green commit. It is kept while the team runs, because making one is slow.
import { join } from 'node:path';
import type { Clock } from '../../store/clock.ts';
import { XzError } from '../../store/errors.ts';
import { ensureFolder, listNames, pathExists, removeTree } from '../../store/files.ts';
import { pathBelowTop } from '../../store/git-layout.ts';
import { ensureStore, type Layout } from '../../store/layout.ts';
import { type CommandSetting, runCommand } from '../../workers/worktree/command.ts';
import { commitOptions, firstGitError, type Git, splitNul } from '../../workers/worktree/git.ts';
import { clearStaleLocks, gitPlaces } from '../../workers/worktree/locks.ts';
import { registeredAt } from '../../workers/worktree/plan.ts';
import { provide } from '../../workers/worktree/provided.ts';
import type { WorktreeSetup } from '../../workers/worktree/setup.ts';
import { testsSeen } from '../../workers/worktree/tests-seen.ts';
import { type GateReport, type MergeOutcome, refused } from './outcome.ts';

export interface GateInput {
  readonly layout: Layout;
  readonly setup: WorktreeSetup;
  readonly trusted: boolean;
  readonly clock: Clock;
  readonly process: CommandSetting['process'];
}

/** Puts the gate's worktree, made if need be, exactly on commit `head`. */
export async function openGate(main: Git, head: string, input: GateInput): Promise<Git | (MergeOutcome & { kind: 'refused' })> {
  const { layout, setup, clock } = input;
  ensureStore(layout, 'worktrees');
  const known = await registeredAt(main, layout.gate);
  const whole = known !== undefined && pathExists(join(layout.gate, '.git'));
  if (known === undefined && pathExists(layout.gate) && listNames(layout.gate).length > 0)
    return refused('gate_folder', `${layout.gate} is in the way: it is not a worktree of this repository`);
  if (known !== undefined && !whole) await forget(main, layout, known.locked);
  const git = main.worktree(layout.gate);
  if (whole) {
    if (known.locked !== undefined) await main.attempt('worktree', 'unlock', layout.gate);
    const busy = await clearStaleLocks(git, clock);
    if (busy.length > 0) return refused('busy', `another git works in ${layout.gate}`, busy);
    // A gate command may have switched to a branch: that one must not be moved by the reset.
    if (gitPlaces(git).branch !== undefined) await git.run('checkout', '-q', '-f', '--detach');
    await git.run('reset', '-q', '--hard', head);
    await git.run('clean', '-fdq');
  } else {
    await main.run('worktree', 'add', '-q', '--detach', layout.gate, head);
  }
  provide(git, layout.root, setup);
  if (!whole && input.trusted) for (const command of setup.run) await runIn(git, command, setup.runTimeoutS, input);
  return git;
}

/** Removes the gate's worktree, with the last teammate. Nothing in it is anybody's work. */
export async function removeGate(main: Git, layout: Layout): Promise<void> {
  if (!pathExists(layout.worktrees)) return;
  const known = await registeredAt(main, layout.gate);
  if (known !== undefined) await forget(main, layout, known.locked);
}

async function forget(main: Git, layout: Layout, locked: string | undefined): Promise<void> {
  if (locked !== undefined) await main.attempt('worktree', 'unlock', layout.gate);
  // Without its .git file (a removal that was cut) git would refuse; the folder is ours, since it is registered.
  if (!pathExists(join(layout.gate, '.git'))) removeTree(layout.gate);
  await main.run('worktree', 'remove', '--force', layout.gate);
}

/** Merges `branch` in the gate's worktree and returns the merge commit, or the conflict. */
export async function buildMerge(
  gate: Git,
  branch: string,
  commit: string,
): Promise<{ readonly kind: 'built'; readonly commit: string } | MergeOutcome> {
  const options = [...(await commitOptions(gate)), '-c', 'merge.autoStash=false', '-c', 'merge.verifySignatures=false'];
  const merged = await gate.attempt(...options, 'merge', '-q', '--no-ff', '--no-edit', '-m', `Merge branch '${branch}'`, commit);
  if (merged.code === 0) return { kind: 'built', commit: await gate.run('rev-parse', 'HEAD') };
  const files = splitNul(await gate.run('diff', '--name-only', '--diff-filter=U', '-z'));
  return files.length > 0 ? { kind: 'conflict', files } : refused('git', firstGitError(merged));
}

/** Runs the gate on the merged tree. `red` when it fails, cannot be run, or runs no test. */
export async function runGate(gate: Git, input: GateInput): Promise<GateReport | MergeOutcome> {
  const { setup } = input;
  if (setup.gate === undefined) return { verdict: 'none', command: undefined, tests: undefined, lines: [], ms: 0 };
  if (!input.trusted) return refused('untrusted', `the gate "${setup.gate}" is not run: this workspace is not trusted (xz config trust)`);
  const result = await runIn(gate, setup.gate, setup.gateTimeoutS, input);
  const red = (why: string): MergeOutcome => ({ kind: 'red', why, output: result.output });
  if (result.ended === 'interrupted') throw new XzError('interrupted', 'interrupted');
  if (result.ended === 'timeout') return red(`the gate "${setup.gate}" took longer than ${setup.gateTimeoutS} s`);
  if (result.ended === 'unrunnable') return red(`the gate "${setup.gate}" could not be run`);
  if (result.code !== 0)
    return red(`the gate "${setup.gate}" ended with ${result.code === undefined ? 'a signal' : `exit code ${result.code}`}`);
  const { ran, lines } = testsSeen(result.output);
  if (ran === 0) return red(`the gate "${setup.gate}" ran no test`);
  return { verdict: 'green', command: setup.gate, tests: ran, lines, ms: result.ms };
}

function runIn(git: Git, command: string, seconds: number, { layout, clock, process }: GateInput) {
  const { env, signal } = git.options;
  // The workspace may be a folder inside the repository: the command runs in the same one here.
  const cwd = join(git.dir, pathBelowTop(layout.root));
  ensureFolder(cwd);
  return runCommand(command, cwd, seconds, { env, workspace: layout.root, agent: 'Lead', process, clock, signal });
}
