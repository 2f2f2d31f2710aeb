// Searching without ripgrep. Files are read in batches with pauses between them, so that the screen stays alive; matching
// runs inside a script with a time limit, so that a pattern that backtracks for ever is stopped and named.
import { isUtf8 } from 'node:buffer';
import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { createContext, Script } from 'node:vm';
import { errnoOf, throwIfAborted, XzError } from '../../../store/errors.ts';
import { decodeText, eastAsianBytes, isBinary } from '../files/charset.ts';
import { readAt } from '../files/open.ts';
import { type Found, globTest, type Hit, LARGEST_FILE, type Query, shownLine } from './query.ts';
import { type FoundFile, walkFiles } from './scope.ts';

/** Characters of text and number of files matched in one go. */
const BATCH_CHARS = 2_000_000;
const BATCH_FILES = 200;
/** Longest time the thread is held by matching one batch. */
const BATCH_MS = 500;

/** Larger files of another encoding are searched as they are: telling which it is looks at every character. */
const LARGEST_DECODED = 5_000_000;

interface Batch {
  readonly files: FoundFile[];
  readonly texts: string[];
  chars: number;
}

/** Runs in its own context under a time limit: for each text the places of lines that match, as [line, start, end, match]. */
const MATCH = new Script(`
(function (texts, one, anywhere, looksAround, limit, state) {
  const out = [];
  for (let t = 0; t < texts.length; t++) {
    state.at = t;
    const text = texts[t];
    // A text in which the pattern is nowhere has no matching line, unless it looks around itself, over line borders.
    if (!looksAround && !anywhere.test(text)) continue;
    let line = 0;
    for (let start = 0; start <= text.length && out.length < limit; ) {
      let end = text.indexOf('\\n', start);
      if (end < 0) end = text.length;
      line++;
      if (end > start || end < text.length) {
        const hit = one.exec(text.slice(start, end > start && text[end - 1] === '\\r' ? end - 1 : end));
        if (hit !== null) out.push([t, line, start, end, hit.index]);
      }
      start = end + 1;
    }
  }
  return out;
})(texts, one, anywhere, looksAround, limit, state)`);

/** Searches a folder, or a single file. Throws as `searchFiles` does. */
export function searchWithNode(start: string, single: FoundFile | undefined, query: Query, signal: AbortSignal): Promise<Found> {
  return searchFiles(single === undefined ? walkFiles(start) : [single], query, signal);
}

/** Searches these files. Throws `bad_input` for a pattern that is no regular expression or takes too long. */
export async function searchFiles(files: Iterable<FoundFile>, query: Query, signal: AbortSignal): Promise<Found> {
  const match = matcher(query);
  const fits = query.include === undefined ? () => true : globTest(query.include);
  const needle = needleOf(query);
  const decode = decoder(needle);
  const hits: Hit[] = [];
  const notes: string[] = [];
  let batch: Batch = { files: [], texts: [], chars: 0 };
  const flush = async (): Promise<boolean> => {
    if (batch.files.length > 0) match(batch, query.limit + 1 - hits.length, hits);
    batch = { files: [], texts: [], chars: 0 };
    await new Promise((resolve) => setImmediate(resolve));
    throwIfAborted(signal);
    return hits.length > query.limit;
  };
  for (const file of files) {
    if (!fits(file.name)) continue;
    const read = textOf(file, needle, notes);
    const text = typeof read === 'object' ? await decode(read.undecoded) : read;
    if (text === undefined) continue;
    batch.files.push(file);
    batch.texts.push(text);
    batch.chars += text.length;
    if ((batch.chars > BATCH_CHARS || batch.files.length >= BATCH_FILES) && (await flush())) break;
  }
  await flush();
  return { hits: hits.slice(0, query.limit), cut: hits.length > query.limit, notes };
}

function matcher(query: Query): (batch: Batch, limit: number, hits: Hit[]) => void {
  // JavaScript has no `(?i)`; ripgrep and everybody's habits do.
  const folds = !query.literal && query.pattern.startsWith('(?i)');
  const source = query.literal ? query.pattern.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&') : query.pattern.slice(folds ? 4 : 0);
  const one = compile(source, folds ? 'i' : '');
  const anywhere = compile(source, folds ? 'im' : 'm');
  const looksAround = /\(\?(<?[=!])|\\B/.test(source);
  const job = { texts: [''], one, anywhere, looksAround, limit: 0, state: { at: 0 } };
  const context = createContext(job);
  return (batch, limit, hits) => {
    Object.assign(job, { texts: batch.texts, limit });
    const { state } = job;
    for (const [index, line, start, end, at] of runLimited(context, state, batch)) {
      const text = batch.texts[index]?.slice(start, end) ?? '';
      hits.push({ name: batch.files[index]?.name ?? '', line, text: shownLine(text, at) });
    }
  };
}

type Place = readonly [index: number, line: number, start: number, end: number, at: number];

function runLimited(context: object, state: { at: number }, batch: Batch): Place[] {
  try {
    // A larger batch than usual is one large file, which takes longer for a good reason.
    return MATCH.runInContext(context, { timeout: BATCH_MS + Math.floor(batch.chars / 20_000) });
  } catch (error) {
    if (errnoOf(error) !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error;
    throw new XzError(
      'bad_input',
      `the pattern takes too long on ${batch.files[state.at]?.name ?? 'a file'}; nested repetition such as (a+)+ does that`,
      {
        hint: 'write a simpler pattern, or set literal',
      },
    );
  }
}

/** The `u` flag reads Chinese and emoji as whole characters; a pattern that is only valid without it is taken so. */
function compile(source: string, flags: string): RegExp {
  try {
    return new RegExp(source, `${flags}u`);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  try {
    return new RegExp(source, flags);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new XzError('bad_input', `the pattern is not a regular expression: ${error.message}`, {
      hint: 'set literal to search for it as plain text',
    });
  }
}

/** Files are read into one buffer: most are small, and three system calls each are all it takes. */
const SHARED = Buffer.allocUnsafe(1_000_000);

/** The text of a file that may have a match, or its bytes when they are not UTF-8; undefined for binary, unreadable and very large files. */
function textOf(file: FoundFile, needle: Needle | undefined, notes: string[]): string | { readonly undecoded: Buffer } | undefined {
  try {
    const bytes = bytesOf(file, notes);
    if (bytes === undefined) return undefined;
    if (bytes[0] === 0xff && bytes[1] === 0xfe) return bytes.toString('utf16le', 2);
    const lacks = needle !== undefined && !bytes.includes(needle.bytes);
    // ASCII stands in other encodings as it does in UTF-8; other characters are looked for once the text is decoded.
    if ((lacks && needle.ascii) || isBinary(bytes)) return undefined;
    if (isUtf8(bytes)) return lacks ? undefined : bytes.toString('utf8');
    const text = bytes.toString('utf8');
    // The buffer is shared, and decoding may wait.
    return bytes.length > LARGEST_DECODED || isMostlyUtf8(text) ? text : { undecoded: Buffer.from(bytes) };
  } catch (error) {
    // Files come and go while a search runs, and some may not be read.
    if (['ENOENT', 'ENOTDIR', 'EACCES', 'EPERM', 'EISDIR', 'ELOOP', 'ENXIO'].includes(errnoOf(error) ?? '')) return undefined;
    throw error;
  }
}

function bytesOf(file: FoundFile, notes: string[]): Buffer | undefined {
  const fd = openSync(file.path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const got = readSync(fd, SHARED, 0, SHARED.length, 0);
    if (got < SHARED.length) return SHARED.subarray(0, got);
    const { size } = fstatSync(fd);
    if (size <= LARGEST_FILE) return readAt(fd, 0, size);
    notes.push(`${file.name} was not searched: ${size.toLocaleString('en-US')} bytes`);
    return undefined;
  } finally {
    closeSync(fd);
  }
}

/** Decodes what is not UTF-8; undefined for what holds a plain text in no encoding that has it: telling which one it is takes time. */
function decoder(needle: Needle | undefined): (bytes: Buffer) => Promise<string | undefined> {
  let elsewhere: ReturnType<typeof eastAsianBytes> | undefined;
  return async (bytes) => {
    const wanted = needle === undefined || needle.ascii ? undefined : await (elsewhere ??= eastAsianBytes(needle.bytes.toString('utf8')));
    if (wanted?.some((one) => bytes.includes(one)) === false) return undefined;
    return (await decodeText(bytes)).text;
  };
}

/** Few broken bytes in a text of UTF-8 make it no other encoding. */
function isMostlyUtf8(text: string): boolean {
  const broken = text.match(/\ufffd/g)?.length ?? 0;
  return broken * 10 < (text.match(/[^\0-\x7f]/g)?.length ?? 0);
}

/** What every match must hold, in UTF-8: a plain text, or a pattern that is one. */
interface Needle {
  readonly bytes: Buffer;
  readonly ascii: boolean;
}

function needleOf({ literal, pattern }: Query): Needle | undefined {
  if (!literal && !/^[\w\p{L} <>"'#%&@!~`:;,=/-]+$/u.test(pattern)) return undefined;
  return { bytes: Buffer.from(pattern), ascii: !/[^\0-\x7f]/.test(pattern) };
}
