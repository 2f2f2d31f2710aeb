// Makes the worktree that was planned. Doing it twice is harmless: a finished one is used as it is, one that a kill cut
// in the middle of its making is made again.
import { join, relative } from 'node:path';
import type { Clock } from '../../store/clock.ts';
import { isAbort, XzError } from '../../store/errors.ts';
import { ensureFolder, pathExists } from '../../store/files.ts';
import { ensureStore, type Layout } from '../../store/layout.ts';
import { type CommandResult, type CommandSetting, runCommand } from './command.ts';
import { type Git, type GitOptions, openGit } from './git.ts';
import { clearStaleLocks } from './locks.ts';
import { type NoWorktree, registeredAt, removeHalfMade, type WorktreePlan } from './plan.ts';
import { provide } from './provided.ts';
import type { WorktreeSetup } from './setup.ts';

export interface MadeWorktree {
  readonly kind: 'made';
  readonly plan: WorktreePlan;
  /** What the teammate should be told, in English: uncommitted files it lacks, empty submodules, and the problems. */
  readonly notes: readonly string[];
  /** What of the set-up did not happen, for whoever can mend it; the teammate is told too. */
  readonly problems: readonly string[];
}

export interface CreateInput {
  readonly layout: Layout;
  readonly plan: WorktreePlan;
  readonly setup: WorktreeSetup;
  readonly git: GitOptions;
  readonly clock: Clock;
  /** False: the set-up's commands are not run. */
  readonly trusted: boolean;
  readonly process: CommandSetting['process'];
}

/** Makes a planned worktree with hooks off, provides what the set-up names, and runs its commands if `trusted`. */
export async function createWorktree(input: CreateInput): Promise<MadeWorktree | NoWorktree> {
  const { layout, plan, setup, clock } = input;
  const main = openGit(layout.root, input.git);
  ensureStore(layout, 'worktrees');
  try {
    await addWorktree(main, plan, clock);
  } catch (error) {
    if (isAbort(error)) throw error;
    if (error instanceof XzError && error.code === 'git_failed') return { kind: 'none', why: 'git_failed', detail: error.message };
    throw error;
  }
  // Git makes no folder in which it tracks nothing.
  ensureFolder(plan.root);
  const git = main.worktree(plan.path);
  const notes = [...uncommittedNote(plan), ...(await submoduleNote(git))];
  const missing = provide(git, layout.root, setup);
  const problems = missing.length > 0 ? [`The main folder does not have ${missing.join(', ')}, which setup.toml names.`] : [];
  problems.push(...(await runSetup(input)));
  return { kind: 'made', plan, notes: [...notes, ...problems], problems };
}

async function addWorktree(main: Git, plan: WorktreePlan, clock: Clock): Promise<void> {
  const [known, ref] = await Promise.all([
    registeredAt(main, plan.path),
    main.attempt('rev-parse', '-q', '--verify', `refs/heads/${plan.branch}`),
  ]);
  if (known !== undefined && pathExists(plan.path)) {
    await clearStaleLocks(main.worktree(plan.path), clock);
    if (known.locked !== 'initializing' && known.branch === plan.branch) return;
    if (known.locked !== 'initializing')
      throw new XzError('git_failed', `${plan.path} is a worktree of ${known.branch ?? 'a detached HEAD'}, not of ${plan.branch}`);
    await removeHalfMade(main, plan);
  } else if (known !== undefined) {
    // Its folder is gone: only the registration of our own path is dropped, no other.
    if (known.locked !== undefined) await main.attempt('worktree', 'unlock', plan.path);
    await main.run('worktree', 'remove', '--force', plan.path);
  }
  const isNew = ref.code !== 0;
  try {
    await main.run('worktree', 'add', '-q', ...(isNew ? ['-b', plan.branch, plan.path, plan.base] : [plan.path, plan.branch]));
  } catch (error) {
    // Git takes the folder away again, and leaves the branch.
    if (isNew && !isAbort(error)) await main.attempt('update-ref', '-d', `refs/heads/${plan.branch}`, plan.base);
    throw error;
  }
}

function uncommittedNote(plan: WorktreePlan): string[] {
  const { base } = plan;
  const inside = relative(plan.path, plan.root);
  const uncommitted = plan.uncommitted.map((path) => (inside === '' ? path : relative(inside, path)));
  const from = [`You work in a git worktree of your own, on branch ${plan.branch}, started from commit ${base.slice(0, 12)}.`];
  if (inside !== '') from.push(`Your root is the folder ${inside} in it, as your lead's is: what is beside it is not yours to change.`);
  if (uncommitted.length === 0) return from;
  const shown = uncommitted.slice(0, 30).join(', ');
  const more = uncommitted.length > 30 ? ` and ${uncommitted.length - 30} more` : '';
  return [...from, `You do not have these uncommitted files of the person's checkout: ${shown}${more}.`];
}

async function submoduleNote(git: Git): Promise<string[]> {
  return pathExists(join(git.dir, '.gitmodules')) ? ['The submodules are empty in this worktree.'] : [];
}

async function runSetup(input: CreateInput): Promise<string[]> {
  const { setup, plan } = input;
  if (setup.run.length > 0 && !input.trusted)
    return ['The set-up commands of setup.toml were not run: this workspace is not trusted (`xz config trust`).'];
  const setting: CommandSetting = {
    env: input.git.env,
    workspace: input.layout.root,
    agent: plan.name,
    process: input.process,
    clock: input.clock,
    signal: input.git.signal,
  };
  for (const command of setup.run) {
    const result = await runCommand(command, plan.root, setup.runTimeoutS, setting);
    if (result.ended === 'interrupted') throw new XzError('interrupted', 'interrupted');
    if (result.code !== 0) return [`Set-up stopped at "${command}": ${endOf(result)}`];
  }
  return [];
}

function endOf(result: CommandResult): string {
  const how = result.ended === 'timeout' ? 'it took too long' : `exit code ${result.code ?? 'unknown'}`;
  return `${how}; its last output was:\n${result.output.slice(-2_000)}`;
}
