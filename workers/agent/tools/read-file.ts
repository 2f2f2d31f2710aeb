// read_file: lines with numbers, images as images, binary files named and not dumped.
import { basename } from 'node:path';
import { Type } from 'typebox';
import { XzError } from '../../../store/errors.ts';
import { decodeText, isBinary } from '../files/charset.ts';
import { imageSize, imageType, nameOfBinary } from '../files/file-kind.ts';
import { linesOf, numberLines, shortLine } from '../files/lines.ts';
import { readAt, readWhole, withFile } from '../files/open.ts';
import type { Place } from '../files/paths.ts';
import { type FileToolDeps, placeToRead } from './file-access.ts';
import { defineTool, type Tool, type ToolResult } from './tool.ts';

/** Bytes: Anthropic takes 5 MiB of base64 an image, which is a third more than the file. */
const LARGEST_IMAGE = 3_900_000;
/** Pixels a side that Anthropic takes. A refused image would end the turn, and the model would not learn why. */
const LONGEST_SIDE = 8_000;
/** How far into a very large file a line is looked for. */
const SCANNED = 64_000_000;

export function readFileTool(deps: FileToolDeps): Tool {
  return defineTool({
    name: 'read_file',
    description:
      'Reads a text file and returns its lines with their numbers (number, tab, line). Give start_line and end_line (1-based, inclusive) for a part; a long file is returned in parts and says how to go on. Images are shown to you when the model takes them; other binary files are only named. Paths are relative to your root; full texts of cut results are under .agents/data/outputs/.',
    parameters: Type.Object({
      path: Type.String({ description: 'Path relative to the root' }),
      start_line: Type.Optional(Type.Integer({ description: 'First line, from 1' })),
      end_line: Type.Optional(Type.Integer({ description: 'Last line, inclusive' })),
    }),
    readOnly: true,
    keyed: false,
    async run(args, context) {
      const place = placeToRead(deps, context, args.path);
      const from = Math.max(1, args.start_line ?? 1);
      const to = args.end_line ?? Number.MAX_SAFE_INTEGER;
      if (to < from) throw new XzError('bad_input', `end_line ${to} is before start_line ${from}`);
      const bytes = readWhole(place);
      if (bytes === undefined) return readLarge(place, from, to, deps);
      const image = imageType(bytes);
      if (image !== undefined) return showImage(place, bytes, image, deps);
      deps.seen.note(place.real, bytes);
      if (isBinary(bytes)) return named(place, bytes, bytes.length);
      const decoded = await decodeText(bytes);
      const lines = linesOf(decoded.text);
      const note =
        decoded.encoding === 'utf-8'
          ? ''
          : `[encoding ${decoded.encoding}${decoded.guessed === true ? ', which is a guess' : ''}, kept when you edit]\n`;
      return excerpt(place, lines, from, to, note, deps);
    },
  });
}

function excerpt(place: Place, lines: readonly string[], from: number, to: number, note: string, deps: FileToolDeps): ToolResult {
  if (lines.length === 0) return { text: `${note}(${place.shown} is empty)` };
  if (from > lines.length) throw new XzError('bad_input', `${place.shown} has ${lines.length} lines; there is no line ${from}`);
  const part = numberLines(lines, from, to, deps.capBytes() - 500);
  const wanted = Math.min(to, lines.length);
  if (part.lastLine >= wanted) {
    const more = from > 1 || wanted < lines.length ? `\n[lines ${from}-${wanted} of ${lines.length}]` : '';
    return { text: note + part.text + more };
  }
  return {
    text: `${note}${part.text}\n[lines ${from}-${part.lastLine} of ${lines.length}; go on with start_line=${part.lastLine + 1}]`,
  };
}

function showImage(place: Place, bytes: Buffer, mediaType: string, deps: FileToolDeps): ToolResult {
  const what = `${basename(place.shown)}: ${mediaType}, ${bytes.length.toLocaleString('en-US')} bytes`;
  if (!deps.acceptsImages()) return { text: `[image ${what}; the present model takes no images]` };
  if (bytes.length > LARGEST_IMAGE) return { text: `[image ${what}; too large to be shown, make it smaller than 3.9 MB]` };
  const size = imageSize(bytes);
  if (size !== undefined && Math.max(size.width, size.height) > LONGEST_SIDE)
    return { text: `[image ${what}, ${size.width}x${size.height}; too large to be shown, make each side at most ${LONGEST_SIDE} pixels]` };
  return { text: `[image ${what}]`, images: [{ data: bytes.toString('base64'), mediaType }] };
}

function named(place: Place, head: Buffer, size: number): ToolResult {
  return { text: `[${place.shown} is binary: ${nameOfBinary(head)}, ${size.toLocaleString('en-US')} bytes; not shown]` };
}

/** A file too large to be held: its lines are counted from the start, as far as is reasonable. */
function readLarge(place: Place, from: number, to: number, deps: FileToolDeps): ToolResult {
  return withFile(place, (fd, size) => {
    const head = readAt(fd, 0, 8_000);
    if (isBinary(head)) return named(place, head, size);
    const told = `${place.shown} has ${size.toLocaleString('en-US')} bytes`;
    const budget = deps.capBytes() - 500;
    const out: string[] = [];
    let used = 0;
    let number = 0;
    for (const line of linesFrom(fd, size)) {
      number++;
      if (number < from) continue;
      if (number > to || used > budget)
        return { text: `${out.join('\n')}\n[${told}; lines ${from}-${number - 1}; go on with start_line=${number}]` };
      out.push(`${number}\t${shortLine(line)}`);
      used += Buffer.byteLength(out.at(-1) ?? '') + 1;
    }
    const whole = size <= SCANNED;
    const looked = `only its first ${SCANNED / 1e6} MB are looked at; use grep, or sed in bash`;
    if (out.length > 0) return { text: `${out.join('\n')}\n[${told}; ${whole ? `lines ${from}-${number} of ${number}` : looked}]` };
    if (whole) throw new XzError('bad_input', `${place.shown} has ${number} lines; there is no line ${from}`);
    throw new XzError('bad_input', `${told}; line ${from} is not in its first ${SCANNED / 1e6} MB`, { hint: 'use grep, or sed in bash' });
  });
}

/** The lines in the first `SCANNED` bytes, of an endless one only its beginning. A final line break ends the last line. */
function* linesFrom(fd: number, size: number): Generator<string, void, void> {
  const decoder = new TextDecoder('utf-8');
  let held = '';
  for (let at = 0; at < Math.min(size, SCANNED); ) {
    const chunk = readAt(fd, at, 1_000_000);
    if (chunk.length === 0) break;
    at += chunk.length;
    const lines = (held + decoder.decode(chunk, { stream: true })).split('\n');
    held = (lines.pop() ?? '').slice(0, 100_000);
    yield* lines;
  }
  if (held !== '') yield held;
}
