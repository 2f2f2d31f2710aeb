// Folders: flushed, and as locks of other programs use them made exclusively, kept fresh, removed. Files are store/files.ts.
import { closeSync, fsyncSync, mkdirSync, openSync, rmdirSync, utimesSync } from 'node:fs';
import { errnoOf, isAbsence } from './errors.ts';
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
    if (isAbsence(error)) return false;
    throw error;
  }
}

/** Sets the time of last change, in ms since the epoch. */
export function setModified(path: string, ms: number): void {
  utimesSync(path, ms / 1000, ms / 1000);
}

/** Flushes a folder's entries; a file system that cannot (EINVAL, EPERM) is left to its own order. */
export function syncFolder(folder: string): void {
  faultPoint('fsync', folder);
  let fd: number;
  try {
    fd = openSync(folder, 'r');
  } catch (error) {
    if (['ENOENT', 'EACCES', 'EISDIR', 'EPERM'].includes(errnoOf(error) ?? '')) return;
    throw error;
  }
  try {
    fsyncSync(fd);
  } catch (error) {
    if (!['EINVAL', 'EPERM', 'EROFS'].includes(errnoOf(error) ?? '')) throw error;
  } finally {
    closeSync(fd);
  }
}
