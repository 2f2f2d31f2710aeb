// Which encoding a text file has, and back: what is edited is written in the encoding and with the byte order mark it
// had. Detection order: byte order mark, valid UTF-8, then chardet's guess; iconv-lite converts.
import { isUtf8 } from 'node:buffer';
import { XzError } from '../../../store/errors.ts';

export interface Decoded {
  /** The text without a byte order mark. */
  readonly text: string;
  /** Name for a person and for `encodeText`; `utf-8` for almost every file. */
  readonly encoding: string;
  readonly bom: boolean;
}

const MARKS: ReadonlyArray<readonly [encoding: string, bytes: readonly number[]]> = [
  ['utf-8', [0xef, 0xbb, 0xbf]],
  ['utf-16le', [0xff, 0xfe]],
  ['utf-16be', [0xfe, 0xff]],
];

/** Looked at to tell binary from text, as git does. */
const SNIFFED = 8_000;

/** The encoding that a byte order mark names. */
function markOf(bytes: Uint8Array): (typeof MARKS)[number] | undefined {
  return MARKS.find(([, mark]) => mark.every((byte, at) => bytes[at] === byte));
}

/** True for bytes that are no text: a NUL near the beginning, without a mark of UTF-16. */
export function isBinary(bytes: Uint8Array): boolean {
  return markOf(bytes) === undefined && bytes.subarray(0, SNIFFED).includes(0);
}

/** Decodes a text file. Loads the conversion tables only for what is not UTF-8. */
export async function decodeText(bytes: Buffer): Promise<Decoded> {
  const mark = markOf(bytes);
  const body = mark === undefined ? bytes : bytes.subarray(mark[1].length);
  if (mark?.[0] !== undefined && mark[0] !== 'utf-8') {
    const { default: iconv } = await import('iconv-lite');
    return { text: iconv.decode(body, mark[0], { stripBOM: false }), encoding: mark[0], bom: true };
  }
  if (isUtf8(body)) return { text: body.toString('utf8'), encoding: 'utf-8', bom: mark !== undefined };
  const [{ default: iconv }, { default: chardet }] = await Promise.all([import('iconv-lite'), import('chardet')]);
  const guess = likeliest(chardet.analyse(body.subarray(0, 200_000)), iconv.encodingExists);
  return { text: iconv.decode(body, guess, { stripBOM: false }), encoding: guess, bom: false };
}

/** GB18030 reads every GB2312 and GBK file; a guess of a single-byte set is taken only when no East Asian one is as likely. */
function likeliest(
  guesses: ReadonlyArray<{ readonly name: string; readonly confidence: number }>,
  known: (name: string) => boolean,
): string {
  const usable = guesses.filter((guess) => guess.name !== 'UTF-8' && known(guess.name));
  const first = usable[0];
  if (first === undefined) return 'latin1';
  const eastAsian = usable.find((guess) => /^(GB|Big5|Shift_JIS|EUC-)/i.test(guess.name) && guess.confidence >= first.confidence - 20);
  return (eastAsian ?? first).name.toLowerCase();
}

/**
 * The bytes of an edited text in the encoding of `original`. Throws `refused` when a character does not exist there, or
 * when the file did not decode without loss in the first place.
 */
export async function encodeText(text: string, original: Decoded, bytes: Buffer | undefined): Promise<Buffer> {
  const mark = original.bom ? Buffer.from(MARKS.find(([name]) => name === original.encoding)?.[1] ?? []) : Buffer.alloc(0);
  if (original.encoding === 'utf-8') return Buffer.concat([mark, Buffer.from(text, 'utf8')]);
  const { default: iconv } = await import('iconv-lite');
  const encode = (value: string) => Buffer.concat([mark, iconv.encode(value, original.encoding)]);
  if (bytes !== undefined && !encode(original.text).equals(bytes))
    throw new XzError('refused', `the file is not quite ${original.encoding}, so rewriting it would change bytes you did not touch`, {
      hint: 'change it with a command in bash',
    });
  const out = encode(text);
  if (iconv.decode(out.subarray(mark.length), original.encoding, { stripBOM: false }) !== text)
    throw new XzError('refused', `the new text has characters that ${original.encoding} does not have`, {
      hint: 'use other characters, or convert the file to UTF-8 first',
    });
  return out;
}
