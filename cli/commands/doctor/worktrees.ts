// The doctor's look at `.worktrees/`: the set-up file, and every folder there. One that stayed behind its teammate is a
// warning, since what kept it is nowhere else.
import { basename, join } from 'node:path';
import { boxNames, entryFault, readableEntries } from '../../../mailbox/roster.ts';
import { listNames, readText } from '../../../store/files.ts';
import { gitDirOf } from '../../../store/git-layout.ts';
import type { Layout } from '../../../store/layout.ts';
import { isQuarantined } from '../../../store/quarantine.ts';
import { orphanedWork } from '../../../workers/worktree/orphans.ts';
import { readSetup } from '../../../workers/worktree/setup.ts';
import type { App } from '../../compose.ts';
import { bad, type Check, fileAt, ok, thrown } from './check.ts';

/** A folder below .worktrees/ must be a working tree that git still knows, and the set-up file one that can be used. */
export async function checkWorktrees(app: App): Promise<Check[]> {
  const blocked = fileAt(app, 'worktrees', app.layout().worktrees);
  if (blocked.length > 0) return blocked;
  const setup = setupFault(app);
  const trees = await checkTrees(app);
  return setup === undefined ? trees : [setup, ...trees.filter(({ status }) => status !== 'ok')];
}

function setupFault(app: App): Check | undefined {
  try {
    readSetup(app.layout());
    return undefined;
  } catch (error) {
    return thrown(app, 'worktrees', error);
  }
}

async function checkTrees(app: App): Promise<Check[]> {
  const layout = app.layout();
  const text = app.text.doctor;
  const folderOf = (name: string): string => join(layout.worktrees, name);
  const names = listNames(layout.worktrees).filter((name) => !['setup.toml', '.gitignore'].includes(name) && !isQuarantined(name));
  const entries = readableEntries(layout);
  const warn = (what: string, fix: string): Check => bad('worktrees', 'warning', what, fix);
  const lost = names.filter((name) => {
    const gitDir = gitDirOf(folderOf(name));
    return gitDir === undefined || readText(join(gitDir, 'HEAD')) === undefined;
  });
  const kept = entries.filter(({ state, worktree }) => state === 'ended' && names.some((name) => worktree === folderOf(name)));
  // A folder is its teammate's by what the entry says, not by its name: a later ann works in ann-2.
  const owned = [...entries.flatMap(({ worktree }) => (worktree === undefined ? [] : basename(worktree))), ...unreadable(layout)];
  const orphans = await orphanedWork(layout, [...owned, ...lost], { env: app.env });
  const warnings = [
    ...lost.map((name) => warn(text.lostWorktree(folderOf(name)), text.lostWorktreeFix)),
    ...kept.map(({ name, worktree = '' }) => warn(text.keptWorktree(worktree, name), text.keptWorktreeFix(name))),
    ...orphans.map(({ path, branch, commits, files }) => warn(text.orphan(path, branch ?? '-', commits, files), text.orphanFix(path))),
  ];
  return warnings.length > 0 ? warnings : [ok('worktrees', names.length === 0 ? text.none : names.join(', '))];
}

/** Names of entries that cannot be read: what they own is not known. */
function unreadable(layout: Layout): string[] {
  return boxNames(layout).filter((name) => entryFault(layout, name) !== undefined);
}
