// Requests through an HTTP proxy: a tunnel for https, the whole address in the request line for http. Loaded only where
// the environment names a proxy.
import { type Agent, request as plainRequest } from 'node:http';
import { request as tlsRequest } from 'node:https';
import { HttpProxyAgent } from 'http-proxy-agent';
import { HttpsProxyAgent } from 'https-proxy-agent';
import { byWayOf, type ProxyWay, type TextRequest } from './proxies.ts';
import { proxyFor } from './proxy-rules.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** Those with kept connections, by protocol and proxy. */
const kept = new Map<string, ProxyWay>();

/** The proxy for an address, or undefined where it is reached directly. */
export function agentFor(url: URL, env: Environment, fresh: boolean): ProxyWay | undefined {
  const proxy = proxyFor(url, env);
  if (proxy === undefined) return undefined;
  const make = (): ProxyWay => ({ agent: makeAgent(url, proxy, !fresh), host: proxy.host });
  if (fresh) return make();
  const key = `${url.protocol} ${proxy.href}`;
  const there = kept.get(key) ?? make();
  kept.set(key, there);
  return there;
}

const makeAgent = (url: URL, proxy: URL, keepAlive: boolean): Agent =>
  url.protocol === 'https:' ? new HttpsProxyAgent(proxy, { keepAlive }) : new HttpProxyAgent(proxy, { keepAlive });

/** One request and its whole answer. Rejects as node:http does, and when the signal fires. */
export function fetchThrough(proxy: ProxyWay, url: string, init: TextRequest): Promise<Response> {
  const request = url.startsWith('https:') ? tlsRequest : plainRequest;
  return new Promise((resolve, reject) => {
    const outgoing = request(url, {
      agent: proxy.agent,
      method: init.method ?? 'GET',
      headers: { ...init.headers, 'accept-encoding': 'identity' },
      signal: init.signal,
    });
    const failed = (error: Error) => reject(init.signal.aborted ? error : byWayOf(proxy, error));
    outgoing.on('error', failed);
    outgoing.once('response', (incoming) => {
      const chunks: Buffer[] = [];
      incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
      incoming.once('error', failed);
      incoming.once('end', () => {
        const status = incoming.statusCode ?? 0;
        const headers = Object.entries(incoming.headers).flatMap(([name, value]) =>
          typeof value === 'string' ? [[name, value] satisfies [string, string]] : [],
        );
        resolve(new Response([101, 204, 205, 304].includes(status) ? null : Buffer.concat(chunks), { status, headers }));
      });
    });
    outgoing.end(init.body);
  });
}
