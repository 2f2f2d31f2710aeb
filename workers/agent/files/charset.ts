// Which encoding a text file has, and back: what is edited is written in the encoding and with the byte order mark it
// had. Detection order: byte order mark, valid UTF-8, what the file declares, common characters of the East Asian
// encodings (east-asian.ts), then chardet's guess; iconv-lite converts. A weak guess is marked, and takes no new letters.
import { isUtf8 } from 'node:buffer';
import { XzError } from '../../../store/errors.ts';
import { commonText } from './east-asian.ts';

export interface Decoded {
  /** The text without a byte order mark. */
  readonly text: string;
  /** Name for a person and for `encodeText`; `utf-8` for almost every file. */
  readonly encoding: string;
  readonly bom: boolean;
  /** True when the encoding is little more than a guess. */
  readonly guessed?: boolean;
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
  const { default: iconv } = await import('iconv-lite');
  const as = (encoding: string, sure: boolean): Decoded => ({
    text: iconv.decode(body, encoding, { stripBOM: false }),
    encoding,
    bom: false,
    ...(sure ? {} : { guessed: true }),
  });
  const declared = declaredIn(body);
  if (declared !== undefined && iconv.encodingExists(declared)) {
    const said = as(declared, true);
    if (!said.text.includes('\ufffd')) return said;
  }
  const sample = sampleOf(body);
  const common = commonText(sample);
  if (common !== undefined) {
    const read = as(common.encoding, common.sure);
    if (!read.text.includes('\ufffd')) return read;
  }
  const { default: chardet } = await import('chardet');
  const guess = likeliest(chardet.analyse(sample), iconv.encodingExists);
  return as(guess.name.toLowerCase(), guess.confidence >= SURE);
}

/** Bytes by which an encoding is told: looking at every character of a large file would take seconds and a gigabyte. */
const SAMPLE = 200_000;

/** Of a large file what begins with its first byte that is not ASCII; a byte below 0x30 is no part of a longer character. */
function sampleOf(bytes: Buffer): Buffer {
  if (bytes.length <= SAMPLE) return bytes;
  const from = bytes.findIndex((byte) => byte >= 0x80);
  const sample = bytes.subarray(from, from + SAMPLE);
  const end = sample.findLastIndex((byte) => byte < 0x30);
  return end > 0 ? sample.subarray(0, end) : sample;
}

const EAST_ASIAN = ['gb18030', 'big5', 'shift_jis', 'euc-jp', 'euc-kr'];

/** The bytes of a text in each East Asian encoding that has it; undefined when it holds letters that others have too. */
export async function eastAsianBytes(text: string): Promise<readonly Buffer[] | undefined> {
  if (!/^[\0-\x7f\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Hang}]*$/u.test(text)) return undefined;
  const { default: iconv } = await import('iconv-lite');
  return EAST_ASIAN.map((encoding) => [encoding, iconv.encode(text, encoding)] as const)
    .filter(([encoding, bytes]) => iconv.decode(bytes, encoding) === text)
    .map(([, bytes]) => bytes);
}

/** Confidence of chardet, in percent, from which its guess is taken for true. */
const SURE = 50;

/** As far as a declaration is looked for. */
const HEAD = 2_000;

/** What an encoding line of a script or an editor, an XML declaration, a stylesheet or a page names; never UTF-8 or UTF-16. */
function declaredIn(bytes: Buffer): string | undefined {
  const head = bytes.toString('latin1', 0, HEAD);
  const name = (
    /^(?:[^\n]*\n)?[ \t\f]*(?:#|\/\/|\/\*|--|;|%|")[^\n]{0,200}?coding[:=][ \t]*([-\w.]{1,40})/.exec(head)?.[1] ??
    /^\s*<\?xml[^>]{0,200}?encoding\s*=\s*["']([\w.:-]{1,40})/i.exec(head)?.[1] ??
    /^@charset "([\w.:-]{1,40})"/i.exec(head)?.[1] ??
    /<meta[^>]{0,300}?charset\s*=\s*["']?\s*([\w.:-]{1,40})/i.exec(head)?.[1]
  )?.toLowerCase();
  if (name === undefined || /^(utf|ucs|unicode|ascii|us-ascii|base64|hex|binary)/.test(name)) return undefined;
  // GB18030 reads all that GBK and GB2312 can say, and what files labelled so really hold.
  return /^(gbk|gb_?2312|gb2312-80|cp936|euc-cn|x-gbk)$/.test(name) ? 'gb18030' : name;
}

interface Guess {
  readonly name: string;
  readonly confidence: number;
}

/** GB18030 reads every GB2312 and GBK file; a guess of a single-byte set is taken only when no East Asian one is as likely. */
function likeliest(guesses: readonly Guess[], known: (name: string) => boolean): Guess {
  const usable = guesses.filter((guess) => !/^(UTF-8|ASCII)$/i.test(guess.name) && known(guess.name));
  const first = usable[0];
  if (first === undefined) return { name: 'latin1', confidence: 0 };
  return (
    usable.find((guess) => isEastAsian(guess.name) && guess.confidence >= Math.max(SURE, first.confidence - 20)) ??
    firstSingleByte(usable) ??
    first
  );
}

const isEastAsian = (name: string): boolean => /^(GB|Big5|Shift_JIS|EUC-)/i.test(name);

/** Without confidence an East Asian guess only says that the bytes come in pairs. */
const firstSingleByte = (usable: readonly Guess[]): Guess | undefined => usable.find((guess) => !isEastAsian(guess.name));

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
  if (original.guessed === true) refuseNewLetters(text, original);
  const out = encode(text);
  if (iconv.decode(out.subarray(mark.length), original.encoding, { stripBOM: false }) !== text)
    throw new XzError('refused', `the new text has characters that ${original.encoding} does not have`, {
      hint: 'use other characters, or convert the file to UTF-8 first',
    });
  return out;
}

/** Characters that the file already has come out as the bytes they were; others would be written in a guessed encoding. */
function refuseNewLetters(text: string, original: Decoded): void {
  const had = new Set(original.text);
  const added = [...new Set(text)].filter((char) => char > '\u007f' && !had.has(char));
  if (added.length > 0)
    throw new XzError(
      'refused',
      `the encoding of the file is not known for sure (${original.encoding} is a guess from few bytes), so "${added.slice(0, 10).join('')}" could be written wrongly`,
      { hint: 'convert the file to UTF-8 first, such as with iconv in bash, or write only ASCII' },
    );
}
