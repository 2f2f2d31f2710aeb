// ~/.xz/workspaces.json: the workspaces that have a schedule, so that `xz --daemon --all` finds them. It is only a
// register; a path that is gone is passed over, and the schedule itself is in each workspace's own database.
import { Type } from 'typebox';
import type { Clock } from '../clock.ts';
import { errnoOf, errorMessage, XzError } from '../errors.ts';
import { ensureFolder, pathExists, readText, writeFileAtomic } from '../files.ts';
import type { Home } from '../layout.ts';
import { isFile } from '../links.ts';
import type { Locks } from '../lock.ts';
import { type Finding, quarantine } from '../quarantine.ts';
import { parserOf } from '../schema.ts';

const parser = parserOf(Type.Object({ workspaces: Type.Array(Type.String()) }), 'workspaces.json');

/** The registered workspaces, in the order in which they came; a file that cannot be read is an empty register. */
export function registeredWorkspaces(home: Home): Register {
  try {
    return readRegister(home);
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
    return { workspaces: [], bad: errorMessage(error) };
  }
}

interface Register {
  readonly workspaces: readonly string[];
  readonly bad: string | undefined;
}

/** `bad` for what is no register; a read that fails is thrown, since it is no reason to begin anew. */
function readRegister(home: Home): Register {
  try {
    if (pathExists(home.workspaces) && !isFile(home.workspaces)) return { workspaces: [], bad: 'workspaces.json: it is no file' };
    const text = readText(home.workspaces);
    return { workspaces: text === undefined ? [] : parser.parseJson(text).workspaces, bad: undefined };
  } catch (error) {
    if (error instanceof XzError) return { workspaces: [], bad: error.message };
    throw error;
  }
}

/** Adds a workspace to the register. A damaged register is moved aside first and begun anew. */
export async function registerWorkspace(home: Home, homeLocks: Locks, clock: Clock, root: string): Promise<void> {
  const known = registeredWorkspaces(home);
  if (known.bad === undefined && known.workspaces.includes(root)) return;
  ensureFolder(home.root, 0o700);
  await homeLocks.withLock('workspaces', undefined, () => {
    // Read again: another process may have written while this one waited.
    const { workspaces, bad } = readRegister(home);
    if (workspaces.includes(root)) return;
    if (bad !== undefined) {
      const finding = quarantine(home.workspaces, bad, clock.now());
      if (finding.level === 'warning') throw new XzError('bad_file', `${home.workspaces}: ${bad}`, { hint: 'try again in a moment' });
    }
    writeFileAtomic(home.workspaces, `${JSON.stringify({ workspaces: [...workspaces, root] }, null, 2)}\n`);
  });
}

/** What doctor says of the register. */
export function checkWorkspaces(home: Home): Finding[] {
  const { bad } = registeredWorkspaces(home);
  if (bad === undefined) return [];
  return [{ level: 'broken', where: home.workspaces, what: bad, fix: 'mend it, or remove it and run `xz schedule add` in each workspace' }];
}
