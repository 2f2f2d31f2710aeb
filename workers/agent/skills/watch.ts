// Tells when a skill changed, was added or went, also in a folder that is made later: the stable folders above are
// watched, and everything that does not lead to a skill is left out.
import { isAbsolute } from 'node:path';
import type { Clock } from '../../../store/clock.ts';
import { pathExists } from '../../../store/files.ts';
import { isInside } from '../files/paths.ts';
import { type SkillsInput, skillFolders } from './skills.ts';

/** A file is read once more this long after its last event, when its writer has surely finished. */
const QUIET_MS = 150;
const DEEPEST = 10;

/** Calls `changed` after changes have come to rest, until `close()`. `changed` must not throw. */
export async function watchSkills(input: SkillsInput, clock: Clock, changed: () => void): Promise<{ close(): Promise<void> }> {
  const { watch } = await import('chokidar');
  const folders = skillFolders({ ...input, builtIn: undefined }).map(([, folder]) => folder);
  const roots = [input.layout.root, parentOf(input.layout.home.root), input.home]
    .filter((root) => root !== undefined && isAbsolute(root) && pathExists(root))
    .flatMap((root) => root ?? []);
  const leads = (path: string) => folders.some((folder) => isInside(path, folder) || isInside(folder, path));
  const watcher = watch([...new Set(roots)], {
    ignoreInitial: true,
    depth: DEEPEST,
    ignored: (path) => !leads(path) || /\/(node_modules|\.git)(\/|$)/.test(path),
  });
  let cancel = () => {};
  const soon = () => {
    cancel();
    cancel = clock.after(QUIET_MS, changed);
  };
  watcher.on('all', soon);
  // A folder that may not be watched is looked at whenever a skill is called.
  watcher.on('error', () => undefined);
  await new Promise<void>((resolve) => watcher.once('ready', resolve));
  return {
    close() {
      cancel();
      return watcher.close();
    },
  };
}

const parentOf = (path: string): string => path.slice(0, Math.max(1, path.lastIndexOf('/')));
