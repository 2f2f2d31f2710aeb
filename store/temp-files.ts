// Temp files: what a write makes beside its target until it is whole. Their names say whose they are, so that every
// reader skips them and a later start removes what a dead process left.
import { closeSync, fchmodSync, fsyncSync, openSync, readdirSync, rmSync, writeSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { errnoOf } from './errors.ts';
import { faultPoint } from './faults.ts';
import { randomId } from './ids.ts';

/** Names the process in temp names and is told of each folder that gets one, so that a later start can sweep them. */
export interface TempOwner {
  readonly name: string;
  noteFolder(folder: string): void;
}

let owner: TempOwner | undefined;

/** The owner, or a nameless one that no sweep will ever look for. */
function tempOwner(): TempOwner {
  owner ??= { name: `p${randomId(8)}`, noteFolder: () => {} };
  return owner;
}

/** Sets who this process is in temp names; see `store/process.ts`. */
export function setTempOwner(next: TempOwner): void {
  owner = next;
}

const TEMP = /^\.(?<base>.+)\.(?<process>[0-9a-z]+)-(?<thread>\d+)-[0-9a-z]+\.tmp$/;

/** True for the name of a temp file of ours: every reader and search skips it. */
export function isTempName(name: string): boolean {
  return TEMP.test(name);
}

/** The process part of a temp file's name, or undefined. */
function tempProcess(name: string): string | undefined {
  return TEMP.exec(name)?.groups?.process;
}

/** Writes a temp file beside `target`, every byte and (unless `volatile`) flushed; returns its path. */
export function writeTemp(target: string, data: string | Uint8Array, mode: number, volatile: boolean): string {
  const folder = dirname(target);
  const own = tempOwner();
  own.noteFolder(folder);
  // Loaded here: reading alone has no use for it, and a cold command feels it.
  const { threadId } = process.getBuiltinModule('node:worker_threads');
  // A file name has at most 255 bytes, and ours adds about 40; a long target name is cut (the random part keeps it unique).
  const base = Buffer.from(basename(target)).subarray(0, 180).toString('utf8').replaceAll('\uFFFD', '');
  const temp = join(folder, `.${base}.${own.name}-${threadId}-${randomId(8)}.tmp`);
  faultPoint('open', temp);
  const fd = openSync(temp, 'wx', mode);
  try {
    fchmodSync(fd, mode);
    writeAll(fd, typeof data === 'string' ? Buffer.from(data) : data, temp);
    if (!volatile) {
      faultPoint('fsync', temp);
      fsyncSync(fd);
    }
  } catch (error) {
    closeSync(fd);
    dropTemp(temp);
    throw error;
  }
  closeSync(fd);
  return temp;
}

/** Writes every byte, however little the system takes at once. */
export function writeAll(fd: number, bytes: Uint8Array, path: string): void {
  for (let at = 0; at < bytes.length; ) {
    const limit = faultPoint('write', path) ?? bytes.length;
    at += writeSync(fd, bytes, at, Math.min(bytes.length - at, limit));
  }
}

/** A temp that cannot be removed now is removed by the sweep of a later start; the first error is the one to report. */
export function dropTemp(temp: string): void {
  rmSync(temp, { force: true });
}

/** Removes the temp files of one dead process in a folder. */
export function sweepTemps(folder: string, process: string): void {
  let names: string[];
  try {
    names = readdirSync(folder);
  } catch (error) {
    if (['ENOENT', 'ENOTDIR', 'ELOOP'].includes(errnoOf(error) ?? '')) return;
    throw error;
  }
  for (const name of names) if (tempProcess(name) === process) dropTemp(join(folder, name));
}
