// What a downloaded body is, and how it is shown to a model: HTML as Markdown, JSON and text as they are, everything else
// by its name and size. The bytes are looked at, not only their label.
import { isUtf8 } from 'node:buffer';
import { isBinary } from '../files/charset.ts';
import { imageType, nameOfBinary } from '../files/file-kind.ts';
import { decodeBody } from './charset.ts';
import type { Fetched } from './follow.ts';
import { htmlToMarkdown } from './markdown.ts';

export interface Content {
  /** The text to show, or undefined for what is not text. */
  readonly text: string | undefined;
  /** Media type and what it was read as, such as `text/html, gbk`. */
  readonly kind: string;
  readonly title?: string | undefined;
  readonly notes: readonly string[];
}

/** Types whose content is never text, whatever its bytes look like. */
const NEVER_TEXT = /^(audio|video|font)\/|^image\/(?!svg)|^application\/(pdf|zip|gzip|x-tar|java-archive|wasm|vnd\.(ms-|openxml|oasis))/;

/** Signatures that no text begins with by chance. */
const SIGNATURE = /^(%PDF-\d|PK\x03\x04|\x1f\x8b|\xfd7zXZ|\x28\xb5\x2f\xfd|\x7fELF|SQLite format 3\0|\0asm|\xca\xfe\xba\xbe)/;

/** Reads the body of an answer. */
export async function contentOf(fetched: Fetched): Promise<Content> {
  const { bytes } = fetched;
  const { type, charset } = contentType(fetched.headers['content-type']);
  if (bytes.length === 0) return { text: '', kind: type ?? 'no content type', notes: [] };
  if (fetched.unknownEncoding !== undefined)
    return { text: undefined, kind: `compressed as ${fetched.unknownEncoding}, which is not read`, notes: [] };
  const binary = binaryKind(bytes, type, charset);
  if (binary !== undefined) return { text: undefined, kind: binary, notes: [] };
  const decoded = await decodeBody(bytes, charset);
  const kind = `${type ?? 'no content type'}, ${decoded.encoding}`;
  if (!isHtml(type, decoded.text)) return { text: decoded.text, kind, notes: decoded.notes };
  const page = await htmlToMarkdown(decoded.text, fetched.url);
  const notes = page.cut ? [...decoded.notes, 'the page is very long; only its beginning was converted'] : decoded.notes;
  return { text: page.markdown, kind, title: page.title, notes };
}

function contentType(header: string | undefined): { readonly type: string | undefined; readonly charset: string | undefined } {
  const [type = ''] = (header ?? '').split(';');
  const charset = /;\s*charset\s*=\s*"?\s*([^\s";]{1,60})/i.exec(header ?? '')?.[1];
  // Anything else than a name of a type is the server's prose.
  return { type: /^\s*([\w!#$&^.+-]{1,80}\/[\w!#$&^.+-]{1,80})\s*$/.exec(type)?.[1]?.toLowerCase(), charset };
}

function binaryKind(bytes: Buffer, type: string | undefined, charset: string | undefined): string | undefined {
  const head = bytes.toString('latin1', 0, 64);
  const image = imageType(bytes);
  if (image !== undefined) return image;
  const declared = type === undefined || type === 'application/octet-stream' || type.startsWith('text/') ? undefined : type;
  if (SIGNATURE.test(head)) return [declared, nameOfBinary(bytes)].filter(Boolean).join(', ');
  if (type !== undefined && NEVER_TEXT.test(type)) return type;
  const wide = /^utf-?(16|32)/i.test(charset ?? '');
  if (isBinary(bytes) && !wide) return `${type ?? 'no content type'}, unknown format`;
  // A type that promises nothing is taken for text only when it reads as text.
  const vague = type === undefined || type === 'application/octet-stream' || type === 'binary/octet-stream';
  return vague && charset === undefined && !isUtf8(bytes) && controls(bytes) ? `${type ?? 'no content type'}, unknown format` : undefined;
}

/** True when more than a few of the first bytes are control characters that no text has. */
function controls(bytes: Buffer): boolean {
  const head = bytes.subarray(0, 2_000);
  let count = 0;
  for (const byte of head) if (byte < 9 || (byte > 13 && byte < 27) || (byte > 27 && byte < 32)) count++;
  return count > head.length / 100;
}

function isHtml(type: string | undefined, text: string): boolean {
  if (type !== undefined && /^(text\/html|application\/xhtml\+xml)$/.test(type)) return true;
  const vague = type === undefined || type === 'application/octet-stream';
  return vague && /^\s*(<!--[\s\S]{0,500}?-->\s*)?<(!doctype html|html|head|body)\b/i.test(text.slice(0, 1_000));
}
