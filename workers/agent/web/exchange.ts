// One request and its answer over node:http(s): no kept connection, no cookie, and a lookup that dials only what may be
// dialled. Behind a proxy, which looks names up itself, a name that leads to a private address here is refused before.
// The body is not read here.
import { type IncomingMessage, Agent as PlainAgent, request as plainRequest } from 'node:http';
import { Agent as SecureAgent, request as secureRequest } from 'node:https';
import { isIP } from 'node:net';
import { errorMessage, XzError } from '../../../store/errors.ts';
import { byWayOf, proxyOf } from '../../../store/proxies.ts';
import type { Judge } from './address.ts';
import { allowedAddresses, guardedLookup, type ResolveHost, refusePrivateName } from './resolve.ts';

export interface ExchangeInput {
  readonly url: URL;
  readonly method: 'GET' | 'POST';
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly resolve: ResolveHost;
  readonly judge: Judge;
  /** Closes the connection, also while the body is read. */
  readonly signal: AbortSignal;
}

/** Sends the request; resolves with the head of the answer. Throws XzError in words for the model, or the abort. */
export async function exchange(input: ExchangeInput): Promise<IncomingMessage> {
  const { url, signal } = input;
  const host = hostOf(url);
  // A numeric address is dialled without any lookup, so it is judged here; a name is judged when it is dialled.
  if (isIP(host) !== 0) await allowedAddresses(host, input.resolve, input.judge);
  const proxy = await proxyOf(url, true);
  if (proxy !== undefined && isIP(host) === 0) await refusePrivateName(host, input.resolve, input.judge);
  const secure = url.protocol === 'https:';
  const options = {
    method: input.method,
    headers: { ...input.headers, ...(input.body !== undefined && { 'content-length': String(Buffer.byteLength(input.body)) }) },
    signal,
    // Of a proxy the address is the person's own choice.
    ...(proxy === undefined && { lookup: guardedLookup(input.resolve, input.judge) }),
  };
  return new Promise((resolve, reject) => {
    const req = secure
      ? secureRequest(url, { ...options, agent: proxy?.agent ?? new SecureAgent({ keepAlive: false }) })
      : plainRequest(url, { ...options, agent: proxy?.agent ?? new PlainAgent({ keepAlive: false }) });
    req.once('response', resolve);
    // An answer that switches protocols has no body to read.
    req.once('upgrade', () => req.destroy(new XzError('refused', `${url.host} wants to switch to another protocol`)));
    // Stays for life: after the answer an error of the connection is the body's to tell.
    req.on('error', (error) =>
      reject(signal.aborted ? error : explain(proxy === undefined ? error : byWayOf(proxy, error), url, proxy !== undefined)),
    );
    req.end(input.body);
  });
}

/** The host without the brackets of an IPv6 address. */
function hostOf(url: URL): string {
  return url.hostname.replace(/^\[(.*)\]$/, '$1');
}

function explain(error: unknown, url: URL, proxied: boolean): Error {
  if (error instanceof XzError) return error;
  const told = errorMessage(error);
  const code = /\b(ENOTFOUND|EAI_AGAIN|ENODATA)\b/.exec(told)?.[1];
  // Behind a proxy it is the proxy's own name that is not known here.
  return code === undefined || proxied
    ? new XzError('not_found', `${url.host} could not be reached: ${told}`, { cause: error })
    : new XzError('not_found', `there is no host ${url.hostname} (${code})`, {
        hint: 'check the spelling, or search for the page',
        cause: error,
      });
}
