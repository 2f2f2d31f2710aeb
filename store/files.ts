// All writes to disk. A file is replaced whole or not at all: temp in the same folder, every byte, fsync, rename,
// fsync of the folder. Each step passes the fault seam. Beside this module only folders.ts and temp-files.ts write with fs.
import {
  accessSync,
  appendFileSync,
  chmodSync,
  closeSync,
  constants,
  fsyncSync,
  ftruncateSync,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { errnoOf, isAbsence, XzError } from './errors.ts';
import { faultPoint } from './faults.ts';
import { syncFolder } from './folders.ts';
import { followLink, isFolder, refuseNoFolder } from './links.ts';
import { dropTemp, isTempName, writeAll, writeTemp } from './temp-files.ts';

export interface WriteOptions {
  /** Permission bits of a new file; a file that is there keeps its own. Default 0o644. */
  readonly mode?: number;
  /** Skip the two fsyncs: for files that are derived and can be rebuilt. */
  readonly volatile?: boolean;
  /** For secrets: nobody but the owner may read, whatever mode the file had (0600, also from the first byte). */
  readonly private?: boolean;
  /** Asked when all is written and only the rename is left: false leaves the file as it is. For files that people edit. */
  readonly still?: () => boolean;
  /** For a person's files: one with several names (hard links) is overwritten, since a rename would part it from the others. */
  readonly keepLinks?: boolean;
}

/** Bytes of a file, or undefined when there is none (a folder on the way that is missing counts as none). */
export function readBytes(path: string): Buffer | undefined {
  faultPoint('read', path);
  try {
    return readFileSync(path);
  } catch (error) {
    if (isAbsence(error)) return undefined;
    throw error;
  }
}

/** UTF-8 text of a file without a leading byte order mark, or undefined when there is none. */
export function readText(path: string): string | undefined {
  faultPoint('read', path);
  try {
    // As text at once: of ten thousand small files the buffers between would be most of the garbage.
    const text = readFileSync(path, 'utf8');
    return text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
  } catch (error) {
    if (isAbsence(error)) return undefined;
    throw error;
  }
}

/** Names in a folder, sorted, without temp files; an absent folder is empty. */
export function listNames(folder: string): string[] {
  try {
    return readdirSync(folder)
      .filter((name) => !isTempName(name))
      .sort();
  } catch (error) {
    if (isAbsence(error)) return [];
    throw error;
  }
}

/** True when something (also a dangling link) has that name. */
export function pathExists(path: string): boolean {
  try {
    lstatSync(path);
    return true;
  } catch (error) {
    if (isAbsence(error)) return false;
    throw error;
  }
}

/** Makes a folder and its parents; `mode` (default 0o755) is for the ones made now. Throws `unwritable` where a file has its place. */
export function ensureFolder(folder: string, mode = 0o755): void {
  faultPoint('mkdir', folder);
  if (isFolder(folder)) return;
  const parent = dirname(folder);
  // Not `recursive`: where a folder that is there takes none in (as /proc), Node tries for ever.
  if (parent !== folder && !pathExists(parent)) ensureFolder(parent, mode);
  try {
    mkdirSync(folder, { mode });
  } catch (error) {
    // Another process made it meanwhile.
    if (errnoOf(error) === 'EEXIST' && isFolder(folder)) return;
    // Also a link on the way that leads nowhere, or round in a circle.
    if (['EEXIST', 'ENOTDIR', 'ENOENT', 'ELOOP'].includes(errnoOf(error) ?? '')) refuseNoFolder(folder, error);
    if (errnoOf(error) === 'ENOENT' && isFolder(parent))
      throw new XzError('unwritable', `no folder can be made in ${parent}`, { cause: error, hint: 'work in another folder' });
    throw error;
  }
}

/**
 * Replaces (or makes) a file in one step. A symlink is followed: its target is written, the link stays. Returns false,
 * leaving the file, only when `options.still` said so.
 */
export function writeFileAtomic(path: string, data: string | Uint8Array, options: WriteOptions = {}): boolean {
  const target = followLink(path);
  const mode = currentMode(target);
  // Root may write anything, so the mode bits are asked too: a person who made a file read-only meant it.
  if (mode !== undefined && ((mode & 0o222) === 0 || !isWritable(target))) throw new XzError('unwritable', `${path} is read-only`);
  const wanted = options.private === true ? (mode ?? 0o600) & 0o700 : (mode ?? options.mode ?? 0o644);
  const temp = writeTemp(target, data, wanted, options.volatile === true);
  try {
    if (options.still?.() === false) {
      dropTemp(temp);
      return false;
    }
    faultPoint('rename', target);
    if (options.keepLinks === true && mode !== undefined && statSync(target).nlink > 1) {
      overwrite(target, data);
      dropTemp(temp);
    } else renameSync(temp, target);
  } catch (error) {
    dropTemp(temp);
    throw error;
  }
  if (options.volatile !== true) syncFolder(dirname(target));
  return true;
}

/**
 * Makes a file that must not be there yet (link + unlink); returns false, writing nothing, when the name is taken.
 * `tempFolder` holds the temp file instead of the target's own folder: a maildir's `tmp/`, on the same file system.
 */
export function createFileExclusive(
  path: string,
  data: string | Uint8Array,
  options: WriteOptions & { readonly tempFolder?: string } = {},
): boolean {
  const near = options.tempFolder === undefined ? path : join(options.tempFolder, basename(path));
  const temp = writeTemp(near, data, options.mode ?? 0o644, options.volatile === true);
  try {
    return publish(temp, path);
  } finally {
    dropTemp(temp);
    if (options.volatile !== true) syncFolder(dirname(path));
  }
}

/** Gives a file a second name if that is free; false when it is taken. */
export function publish(from: string, to: string): boolean {
  try {
    faultPoint('link', to);
    linkSync(from, to);
    return true;
  } catch (error) {
    if (errnoOf(error) === 'EEXIST') return false;
    throw error;
  }
}

/** Renames; returns false when `from` is gone (somebody else took it). */
export function moveFile(from: string, to: string): boolean {
  try {
    faultPoint('rename', to);
    renameSync(from, to);
    return true;
  } catch (error) {
    if (errnoOf(error) === 'ENOENT' && !pathExists(from)) return false;
    throw error;
  }
}

/** Removes a file; false when there was none. */
export function removeFile(path: string): boolean {
  try {
    faultPoint('unlink', path);
    unlinkSync(path);
    return true;
  } catch (error) {
    if (isAbsence(error)) return false;
    throw error;
  }
}

/** Removes a folder and all in it; the caller has proved that nothing in it is needed. */
export function removeTree(folder: string): void {
  faultPoint('unlink', folder);
  rmSync(folder, { recursive: true, force: true });
}

/** Adds text or bytes at the end in one write; makes the file with `mode` (default 0o644). */
export function appendText(path: string, text: string | Uint8Array, mode = 0o644): void {
  faultPoint('append', path);
  appendFileSync(path, text, { mode });
}

/** Writes without a temp file or fsync: for side information that nobody depends on (a lock's holder, a progress note). */
export function writeSidecar(path: string, text: string): void {
  writeFileSync(path, text);
}

/** Sets permission bits. */
export function setMode(path: string, mode: number): void {
  chmodSync(path, mode);
}

/** Makes a symlink. */
export function linkSymbolic(target: string, path: string): void {
  faultPoint('link', path);
  symlinkSync(target, path);
}

/** Copies bytes and mode of a regular file. */
export function copyFileAtomic(from: string, to: string): void {
  ensureFolder(dirname(to));
  writeFileAtomic(to, readFileSync(from), { mode: statSync(from).mode & 0o777 });
}

/** The one write that is not atomic; the disk has room for it, since the temp file took as much a moment ago. */
function overwrite(path: string, data: string | Uint8Array): void {
  const bytes = typeof data === 'string' ? Buffer.from(data) : data;
  const fd = openSync(path, 'r+');
  try {
    writeAll(fd, bytes, path);
    ftruncateSync(fd, bytes.length);
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

function currentMode(path: string): number | undefined {
  try {
    return statSync(path).mode & 0o7777;
  } catch (error) {
    if (isAbsence(error)) return undefined;
    throw error;
  }
}

function isWritable(path: string): boolean {
  try {
    accessSync(path, constants.W_OK);
    return true;
  } catch (error) {
    if (['EACCES', 'EROFS', 'EPERM'].includes(errnoOf(error) ?? '')) return false;
    throw error;
  }
}
