// The text of a downloaded body. Its encoding is looked for in this order: header, byte order mark, the document's own
// declaration, UTF-8. A label nobody knows is passed over with a note.
import { isUtf8 } from 'node:buffer';
import { decodeText } from '../files/charset.ts';

export interface DecodedBody {
  readonly text: string;
  readonly encoding: string;
  readonly notes: readonly string[];
}

/** As far as a declaration is looked for. */
const HEAD = 4_096;

/** Decodes with the charset of the content type, else the body's own. */
export async function decodeBody(bytes: Buffer, label: string | undefined): Promise<DecodedBody> {
  const notes: string[] = [];
  const known = (name: string | undefined, where: string): string | undefined => {
    if (name === undefined) return undefined;
    const canonical = canonicalName(name);
    if (canonical === undefined) notes.push(`${where} names an unknown encoding "${name.slice(0, 40)}"; it was passed over`);
    return canonical;
  };
  const mark = markOf(bytes);
  const header = known(label, 'the header');
  // Bytes that cannot be UTF-8 and begin with the mark of another encoding disprove a header that says UTF-8.
  if (header !== undefined && !(header === 'utf-8' && mark !== undefined && mark !== 'utf-8'))
    return { text: await decode(bytes, header), encoding: header, notes };
  if (mark !== undefined) return { text: await decode(bytes, mark), encoding: mark, notes };
  const declared = known(declaredIn(bytes), 'the page');
  // A declaration that could be read byte by byte is not UTF-16, whatever it says.
  const own = declared?.startsWith('utf-16') ? 'utf-8' : declared;
  if (own !== undefined) return { text: await decode(bytes, own), encoding: own, notes };
  if (isUtf8(bytes)) return { text: bytes.toString('utf8'), encoding: 'utf-8', notes };
  const guessed = await decodeText(bytes);
  notes.push(`no encoding is named and it is not UTF-8; read as ${guessed.encoding}, which is a guess`);
  return { text: guessed.text, encoding: guessed.encoding, notes };
}

/** The web's own name of a label (`gb2312` is `gbk`), or undefined for none. */
function canonicalName(label: string): string | undefined {
  try {
    return new TextDecoder(label).encoding;
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

async function decode(bytes: Buffer, encoding: string): Promise<string> {
  if (encoding === 'utf-8') return withoutMark(bytes.toString('utf8'));
  // GB18030 reads all that GBK and GB2312 can say, and what pages labelled so really hold.
  const name = encoding === 'gbk' ? 'gb18030' : encoding;
  const { default: iconv } = await import('iconv-lite');
  if (iconv.encodingExists(name)) return withoutMark(iconv.decode(bytes, name));
  return new TextDecoder(name).decode(bytes);
}

const withoutMark = (text: string): string => (text.charCodeAt(0) === 0xfeff ? text.slice(1) : text);

function markOf(bytes: Buffer): string | undefined {
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) return 'utf-8';
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le';
  return bytes[0] === 0xfe && bytes[1] === 0xff ? 'utf-16be' : undefined;
}

function declaredIn(bytes: Buffer): string | undefined {
  const head = bytes.toString('latin1', 0, HEAD);
  return (
    /^\s*<\?xml[^>]{0,200}?encoding\s*=\s*["']([\w.:-]{1,40})/i.exec(head)?.[1] ??
    /<meta[^>]{0,300}?charset\s*=\s*["']?\s*([\w.:-]{1,40})/i.exec(head)?.[1]
  );
}
