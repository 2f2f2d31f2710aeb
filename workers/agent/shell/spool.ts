// The output of one command, however much: a little stays in memory (head, tail, what was not yet read), all of it goes to
// a file in `outputs/` once it is more than that, and of a flood the first and last 50 MB are kept there.
import { closeSync, openSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { appendText, ensureFolder, removeFile } from '../../../store/files.ts';
import { maskStream } from '../../../store/mask.ts';
import { readAt } from '../files/open.ts';
import { createTail } from './tail.ts';

export interface SpoolLimits {
  /** Kept in memory at each end, in UTF-16 units. */
  readonly end: number;
  /** Kept in the file at each end, in bytes. */
  readonly file: number;
}

const SPOOL_LIMITS: SpoolLimits = { end: 128_000, file: 50_000_000 };

export interface Spool {
  write(chunk: Uint8Array): void;
  /** Bytes written by the command so far. */
  readonly bytes: number;
  /** All of the text when nothing had to go to the file, else its two ends. */
  text(): { readonly whole: string } | { readonly head: string; readonly tail: string };
  /** What came since the last call, at most `units` of it; `skipped` bytes in between are only in the file. */
  takeNew(units: number): { readonly text: string; readonly skipped: number; readonly more: boolean };
  /** The file that holds the output, when there is one. */
  readonly file: string | undefined;
  /** Flushes the decoder and completes the file. */
  end(): void;
}

/** A spool that writes to `file` when it must. Text is decoded over chunk borders and secrets are masked before anything is kept. */
export function createSpool(file: string, secrets: readonly string[], limits: SpoolLimits = SPOOL_LIMITS): Spool {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  const mask = maskStream(secrets);
  const keep = createKeep(file, limits);
  let bytes = 0;
  let held = '';
  let head = '';
  let spilled = false;
  const tail = createTail(limits.end);
  const unread = createTail(limits.end);
  let ended = false;

  const add = (text: string): void => {
    if (text === '') return;
    unread.push(text);
    if (!spilled && held.length + text.length <= limits.end * 2) {
      held += text;
      return;
    }
    if (!spilled) {
      spilled = true;
      const all = held + text;
      head = all.slice(0, limits.end);
      tail.push(all);
      held = '';
      keep.add(all);
      return;
    }
    tail.push(text);
    keep.add(text);
  };

  return {
    write(chunk) {
      if (ended) return;
      bytes += chunk.length;
      add(mask.write(decoder.decode(chunk, { stream: true })));
    },
    get bytes() {
      return bytes;
    },
    text: () => (spilled ? { head, tail: tail.text().slice(-limits.end) } : { whole: held }),
    takeNew(units) {
      const skipped = unread.takeDropped();
      const text = unread.take(units);
      return { text, skipped, more: !unread.empty };
    },
    get file() {
      return spilled && keep.stored() ? file : undefined;
    },
    end() {
      if (ended) return;
      add(mask.write(decoder.decode()) + mask.end());
      ended = true;
      if (spilled) keep.end();
    },
  };
}

interface Keep {
  add(text: string): void;
  stored(): boolean;
  end(): void;
}

/** The file: its first bytes, then two segments in turn of which the older is dropped, joined at the end. */
function createKeep(file: string, limits: SpoolLimits): Keep {
  const segments = [`${file}.0.part`, `${file}.1.part`] as const;
  let headBytes = 0;
  let current: 0 | 1 = 0;
  let currentBytes = 0;
  let olderBytes = 0;
  let dropped = 0;
  let usable = true;

  const guarded = (write: () => void): void => {
    if (!usable) return;
    try {
      write();
    } catch (error) {
      // A full disk costs the kept text, not the command; the model is then told of no file.
      usable = false;
      if (!(error instanceof Error && 'code' in error)) throw error;
    }
  };

  return {
    add(text) {
      guarded(() => {
        const data = Buffer.from(text);
        if (headBytes === 0) {
          ensureFolder(dirname(file), 0o700);
          // A call that is run again after a crash has the same name.
          removeFile(file);
        }
        if (headBytes < limits.file) {
          appendText(file, data, 0o600);
          headBytes += data.length;
          return;
        }
        if (currentBytes + data.length > limits.file && currentBytes > 0) {
          current = current === 0 ? 1 : 0;
          removeFile(segments[current]);
          dropped += olderBytes;
          olderBytes = currentBytes;
          currentBytes = 0;
        }
        appendText(segments[current], data, 0o600);
        currentBytes += data.length;
      });
    },
    stored: () => usable,
    end() {
      guarded(() => {
        if (currentBytes === 0) return;
        const fromOlder = Math.min(olderBytes, Math.max(0, limits.file - currentBytes));
        const left = dropped + olderBytes - fromOlder;
        if (left > 0) appendText(file, `\n[… ${left.toLocaleString('en-US')} bytes were not kept …]\n`);
        if (fromOlder > 0) appendEnd(segments[current === 0 ? 1 : 0], file, fromOlder);
        appendEnd(segments[current], file, currentBytes);
      });
      for (const segment of segments) removeFile(segment);
    },
  };
}

/** Appends the last `bytes` of one file to another. */
function appendEnd(from: string, to: string, bytes: number): void {
  const fd = openSync(from, 'r');
  try {
    let at = Math.max(0, statSync(from).size - bytes);
    for (;;) {
      const chunk = readAt(fd, at, 1_000_000);
      if (chunk.length === 0) return;
      appendText(to, chunk);
      at += chunk.length;
    }
  } finally {
    closeSync(fd);
  }
}
