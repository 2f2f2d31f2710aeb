// Where a teammate works: its worktree with commits and evidence from git, or the main folder, where it commits nothing.
import { join, relative, sep } from 'node:path';
import type { Clock } from '../store/clock.ts';
import { namedFrom } from '../store/git-layout.ts';
import type { Layout } from '../store/layout.ts';
import type { MessageRow } from '../store/sessions/sessions.ts';
import { type Evidence, evidenceOf } from './evidence.ts';
import type { TeammateStart } from './protocol.ts';
import { commitAll } from './worktree/commit.ts';
import { type Git, openGit } from './worktree/git.ts';
import { mendWorktree } from './worktree/mend.ts';
import { stateOf } from './worktree/state.ts';

export interface Place {
  /** The agent's root: the folder in the worktree that matches the workspace. */
  readonly root: string;
  /** Makes sure that there is a folder to work in; throws `git_failed` when it is broken for good. */
  ready(): Promise<void>;
  /** What was mended since this was last asked, for whoever reads the result. */
  mended(): readonly string[];
  /** Commits what there is; true while the branch has commits that the main checkout lacks. */
  commit(message: string): Promise<boolean>;
  evidence(rows: readonly MessageRow[]): Promise<Evidence>;
  /** Before a new task: moves a clean branch up to the main checkout, when all its work has landed. */
  refresh(): Promise<void>;
}

export function openPlace(input: {
  readonly start: TeammateStart;
  readonly clock: Clock;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly layout: Layout;
  /** Told, in English, of a worktree that had to be mended. */
  readonly onMended: (what: string) => void;
}): Place {
  const { start, clock, env, layout } = input;
  const { branch, root } = start;
  if (branch === undefined) {
    return {
      root,
      ready: () => Promise.resolve(),
      mended: () => [],
      commit: () => Promise.resolve(false),
      evidence: (rows) => Promise.resolve(evidenceOf(rows, undefined)),
      refresh: () => Promise.resolve(),
    };
  }
  // Never above its own folder: a worktree that lost its .git file must not become the person's checkout.
  const top = join(layout.worktrees, relative(layout.worktrees, root).split(sep)[0] ?? '');
  const git = openGit(top, { env, here: true });
  const main = openGit(layout.root, { env });
  const told: string[] = [];
  const ready = async (): Promise<void> => {
    const mended = await mendWorktree({ layout, path: top, branch, git: { env } });
    if (mended === undefined) return;
    told.push(mended);
    input.onMended(mended);
  };
  return {
    root,
    ready,
    mended: () => told.splice(0),
    async commit(message) {
      await ready();
      await commitAll({ path: top, branch, message: `${start.name}: ${message}`, git: { env }, clock });
      return Number(await git.run('rev-list', '--count', branch, `^${await headOf(main)}`)) > 0;
    },
    async evidence(rows) {
      const base = await forkPoint(git, main);
      const { diffstat, files } = await stateOf(top, base, { env });
      return evidenceOf(rows, { diffstat, files: namedFrom(layout.root, files) });
    },
    async refresh() {
      const [target, head] = await Promise.all([headOf(main), git.run('rev-parse', 'HEAD')]);
      if (target === head) return;
      const ours = await git.attempt('merge-base', '--is-ancestor', 'HEAD', target);
      if (ours.code !== 0) return;
      // Only forward, and only when nothing is in the way: otherwise the teammate starts from where it stands.
      await git.attempt('merge', '--ff-only', '-q', target);
    },
  };
}

function headOf(main: Git): Promise<string> {
  return main.run('rev-parse', 'HEAD');
}

/**
 * Where the branch left what the main checkout has now: everything after it is this teammate's unlanded work. A history
 * that was written anew from its root has no such commit: then what differs from the main checkout is told.
 */
async function forkPoint(git: Git, main: Git): Promise<string> {
  const head = await headOf(main);
  const found = await git.attempt('merge-base', 'HEAD', head);
  return found.code === 0 ? found.out.trim() : head;
}
