// Opening a file that a model named: only regular files, never a pipe or a device that would block or never end.
import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { errnoOf, XzError } from '../../../store/errors.ts';
import type { Place } from './paths.ts';

/** A file up to this size is read whole; larger ones are only read in part. */
const WHOLE_BYTES = 16_000_000;

/** Runs `use` with an open regular file. Throws `not_found` or `bad_input` in words for the model. */
export function withFile<T>(place: Place, use: (fd: number, size: number) => T): T {
  const fd = open(place);
  try {
    const stat = fstatSync(fd);
    if (stat.isDirectory()) throw new XzError('bad_input', `${place.shown} is a folder`, { hint: 'list it with glob' });
    if (!stat.isFile()) throw new XzError('refused', `${place.shown} is not a regular file but a ${kind(stat)}, so it is not read`);
    return use(fd, stat.size);
  } finally {
    closeSync(fd);
  }
}

/** All bytes of a file of at most `WHOLE_BYTES`; undefined when it is larger. */
export function readWhole(place: Place): Buffer | undefined {
  return withFile(place, (fd, size) => (size > WHOLE_BYTES ? undefined : readAt(fd, 0, size)));
}

/** Up to `length` bytes from `position`; fewer at the end of the file. */
export function readAt(fd: number, position: number, length: number): Buffer {
  const bytes = Buffer.allocUnsafe(length);
  let done = 0;
  while (done < length) {
    const got = readSync(fd, bytes, done, length - done, position + done);
    if (got === 0) break;
    done += got;
  }
  return bytes.subarray(0, done);
}

function open(place: Place): number {
  try {
    // Without O_NONBLOCK opening a pipe waits for a writer that may never come.
    return openSync(place.real, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (error) {
    const code = errnoOf(error);
    if (code === 'ENOENT' || code === 'ENOTDIR')
      throw new XzError('not_found', `there is no file ${place.shown}`, { hint: 'find it with glob, or make it with write_file' });
    if (code === 'EACCES' || code === 'EPERM') throw new XzError('refused', `${place.shown} may not be read`);
    if (code === 'ENXIO' || code === 'ELOOP') throw new XzError('refused', `${place.shown} is not a regular file, so it is not read`);
    throw error;
  }
}

function kind(stat: { isFIFO(): boolean; isSocket(): boolean }): string {
  return stat.isFIFO() ? 'named pipe' : stat.isSocket() ? 'socket' : 'device';
}
