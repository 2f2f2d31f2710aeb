// One HTTP request over node:http. The global fetch would do, but loading it costs a new process about 20 ms before the
// first request and 80 ms at its exit (measured on Node 20), which a short `xz once` notices.
import { type IncomingMessage, request as plainRequest, type RequestOptions } from 'node:http';
import { request as tlsRequest } from 'node:https';
import { pipeline } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { errnoOf } from '../../../store/errors.ts';
import { byWayOf, proxyOf } from '../../../store/proxies.ts';

export interface Answer {
  readonly status: number;
  /** By lower-case name. */
  header(name: string): string | undefined;
  /** The body as it arrives; ends with an error when the connection breaks. */
  readonly body: AsyncIterable<Uint8Array>;
  /** Closes the connection; what is still to come is lost. */
  close(): void;
}

export interface Outgoing {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly signal: AbortSignal;
}

/** Posts and resolves with the answer's head. Redirects are answers like others. Rejects when there is no answer. */
export async function post(url: string, outgoing: Outgoing): Promise<Answer> {
  const proxy = await proxyOf(url);
  try {
    return await postOnce(url, outgoing, proxy === undefined ? {} : { agent: proxy.agent });
  } catch (error) {
    // A kept connection that the server closed just then: most likely it never saw the request, and a completion asked
    // twice does no harm.
    if (error instanceof StaleConnection) return postOnce(url, outgoing, { agent: (await proxyOf(url, true))?.agent ?? false });
    throw proxy === undefined || outgoing.signal.aborted ? error : byWayOf(proxy, error);
  }
}

class StaleConnection extends Error {}

function postOnce(url: string, { headers, body, signal }: Outgoing, options: RequestOptions): Promise<Answer> {
  const request = url.startsWith('https:') ? tlsRequest : plainRequest;
  return new Promise((resolve, reject) => {
    const outgoing = request(url, {
      ...options,
      method: 'POST',
      headers: { ...headers, 'accept-encoding': 'identity', 'content-length': String(Buffer.byteLength(body)) },
      signal,
    });
    outgoing.once('response', (incoming) => resolve(answerOf(incoming)));
    outgoing.on('error', (error) => {
      const stale = outgoing.reusedSocket && (errnoOf(error) === 'ECONNRESET' || errnoOf(error) === 'EPIPE') && !signal.aborted;
      reject(stale ? new StaleConnection('the kept connection was closed', { cause: error }) : error);
    });
    outgoing.end(body);
  });
}

function answerOf(incoming: IncomingMessage): Answer {
  return {
    status: incoming.statusCode ?? 0,
    header(name) {
      const value = incoming.headers[name];
      return Array.isArray(value) ? value.join(', ') : value;
    },
    body: decoded(incoming),
    close: () => void incoming.destroy(),
  };
}

/** Some servers compress although nobody asked. */
function decoded(incoming: IncomingMessage): AsyncIterable<Uint8Array> {
  const encoding = incoming.headers['content-encoding'];
  const decoder =
    encoding === 'gzip'
      ? createGunzip()
      : encoding === 'deflate'
        ? createInflate()
        : encoding === 'br'
          ? createBrotliDecompress()
          : undefined;
  // The error of either stream reaches the reader of the second.
  return decoder === undefined ? incoming : pipeline(incoming, decoder, () => undefined);
}
