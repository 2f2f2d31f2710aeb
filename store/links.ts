// Symbolic links: where a path really leads. Only looks.
import { readlinkSync, realpathSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { errnoOf, XzError } from './errors.ts';

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
