// Folders as locks of other programs use them: made exclusively, kept fresh, removed. Files are store/files.ts.
import { mkdirSync, rmdirSync, utimesSync } from 'node:fs';
import { errnoOf } from './errors.ts';
import { faultPoint } from './faults.ts';

/** Makes a folder that must not be there yet; false when the name is taken. Its parent must exist. */
export function createFolderExclusive(folder: string, mode = 0o755): boolean {
  faultPoint('mkdir', folder);
  try {
    mkdirSync(folder, { mode });
    return true;
  } catch (error) {
    if (errnoOf(error) === 'EEXIST') return false;
    throw error;
  }
}

/** Removes an empty folder; false when there was none. */
export function removeFolder(folder: string): boolean {
  try {
    faultPoint('unlink', folder);
    rmdirSync(folder);
    return true;
  } catch (error) {
    if (errnoOf(error) === 'ENOENT' || errnoOf(error) === 'ENOTDIR') return false;
    throw error;
  }
}

/** Sets the time of last change, in ms since the epoch. */
export function setModified(path: string, ms: number): void {
  utimesSync(path, ms / 1000, ms / 1000);
}
