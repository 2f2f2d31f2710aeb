// Where a path really leads, and what stands in its way. Only looks.
import { lstatSync, readlinkSync, realpathSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { errnoOf, isAbsence, XzError } from './errors.ts';

/** Where a write to `path` would land: the target of a link chain, also of a dangling one. */
export function followLink(path: string): string {
  let at = path;
  for (let hops = 0; hops < 40; hops++) {
    let link: string;
    try {
      link = readlinkSync(at);
    } catch (error) {
      if (['EINVAL', 'ENOENT', 'ENOTDIR', 'UNKNOWN'].includes(errnoOf(error) ?? '')) return at;
      throw error;
    }
    at = resolve(realpathSync(dirname(at)), link);
  }
  throw new XzError('bad_input', `${path} is a loop of symbolic links`);
}

/** True for a folder, also behind a link. */
export function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch (error) {
    if (['ENOENT', 'ENOTDIR', 'ELOOP'].includes(errnoOf(error) ?? '')) return false;
    throw error;
  }
}

/** True for a regular file, also behind a link: anything else cannot be read as one, and a pipe would be waited for. */
export function isFile(path: string): boolean {
  try {
    return statSync(path).isFile();
  } catch (error) {
    if (['ENOENT', 'ENOTDIR', 'ELOOP'].includes(errnoOf(error) ?? '')) return false;
    throw error;
  }
}

/** The name on the way to a folder (or its own) that is there and is no folder, so that none can be; undefined when there is none. */
function inTheWayOf(folder: string): string | undefined {
  for (let at = folder; ; at = dirname(at)) {
    if (isFolder(at)) return undefined;
    try {
      // Also a link that leads nowhere: no folder can be made under its name.
      lstatSync(at);
      return at;
    } catch (error) {
      if ((!isAbsence(error) && errnoOf(error) !== 'ELOOP') || dirname(at) === at) return undefined;
    }
  }
}

/** Throws `unwritable` where something that is no folder has its name or stands on the way to it: there is nothing to read then, either. */
export function refuseNoFolder(folder: string, cause?: unknown): void {
  const path = inTheWayOf(folder);
  if (path === undefined) return;
  throw new XzError('unwritable', `${path} is no folder, and xz needs one there`, {
    cause,
    hint: 'move it away or remove it; xz makes the folder itself',
    data: { kind: 'no_folder', path },
  });
}
