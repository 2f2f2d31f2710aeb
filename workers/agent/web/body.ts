// Reads a response body as a stream: decompressed piece by piece, never more than the limit in memory. Whatever ends it
// early is told beside what did arrive.
import type { Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate, createInflateRaw } from 'node:zlib';
import { errnoOf } from '../../../store/errors.ts';

export interface ReadBody {
  /** At most `limit` bytes, decompressed. */
  readonly bytes: Buffer;
  /** Why these are not all bytes. */
  readonly cut?: 'size' | 'time' | 'closed' | 'damaged';
  /** A content encoding that cannot be undone; the bytes are then as they came. */
  readonly unknownEncoding?: string;
}

/** More layers than anybody sends in earnest are not undone. */
const MOST_LAYERS = 4;

export interface BodyLimits {
  /** Most decompressed bytes. */
  readonly bytes: number;
  /** Why the connection was closed from our side, if it was. */
  stopped(): 'late' | 'interrupted' | undefined;
}

/** Reads to the end, to the limit, or until the source is destroyed. Rejects only when that was an interrupt. */
export async function readBody(source: Readable, encodings: string | undefined, limits: BodyLimits): Promise<ReadBody> {
  const names = (encodings ?? '')
    .toLowerCase()
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '' && name !== 'identity');
  const unknown = names.length > MOST_LAYERS ? names.join(', ') : names.find((name) => !KNOWN.has(name));
  const stream = unknown === undefined ? await decoded(source, names.toReversed()) : source;
  const chunks: Buffer[] = [];
  let size = 0;
  const done = (cut?: ReadBody['cut']): ReadBody => ({
    bytes: Buffer.concat(chunks, Math.min(size, limits.bytes)),
    ...(cut !== undefined && { cut }),
    ...(unknown !== undefined && { unknownEncoding: unknown }),
  });
  try {
    for await (const chunk of stream) {
      if (!Buffer.isBuffer(chunk)) continue;
      chunks.push(chunk);
      size += chunk.length;
      if (size > limits.bytes) return done('size');
    }
    return done();
  } catch (error) {
    const stopped = limits.stopped();
    if (stopped === 'interrupted') throw error;
    if (stopped === 'late') return done('time');
    return done(isZlibError(error) ? 'damaged' : 'closed');
  } finally {
    source.destroy();
  }
}

const KNOWN = new Set(['gzip', 'x-gzip', 'deflate', 'deflate-raw', 'br']);

/** A chain of decoders behind the source; the ends of a cut stream are flushed, so nothing that arrived is lost. */
async function decoded(source: Readable, names: readonly string[]): Promise<Readable> {
  let at: Readable = source;
  for (const name of names) {
    const decoder = name === 'deflate' ? await inflaterFor(at) : decoderFor(name);
    // The error also comes out of the last stream, which the reader listens to.
    at = pipeline(at, decoder, () => undefined);
  }
  return at;
}

function decoderFor(name: string): Transform {
  switch (name) {
    case 'br':
      return createBrotliDecompress();
    case 'deflate-raw':
      return createInflateRaw();
    default:
      return createGunzip();
  }
}

/** "deflate" is sent with the zlib header that the standard asks for, and without: the first byte tells. */
function inflaterFor(source: Readable): Promise<Transform> {
  return new Promise((resolve) => {
    const decide = () => {
      const head: unknown = source.read(1);
      if (head === null && !source.readableEnded && !source.destroyed) return void source.once('readable', decide);
      if (Buffer.isBuffer(head)) source.unshift(head);
      resolve(Buffer.isBuffer(head) && ((head[0] ?? 0) & 0x0f) === 8 ? createInflate() : createInflateRaw());
    };
    source.once('error', () => resolve(createInflate()));
    source.once('end', () => resolve(createInflate()));
    decide();
  });
}

function isZlibError(error: unknown): boolean {
  return /^(Z_|ERR__ERROR|ERR_BROTLI)/.test(errnoOf(error) ?? '');
}
