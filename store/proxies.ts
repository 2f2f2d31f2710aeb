// Whether requests of this thread go through an HTTP proxy, as the environment says. Nothing of it is loaded, and no
// address is looked at, while no variable names one.
import type { Agent } from 'node:http';
import { unescape as decoded } from 'node:querystring';
import { errorMessage } from './errors.ts';

type Environment = Readonly<Record<string, string | undefined>>;

const NAMES = ['https_proxy', 'HTTPS_PROXY', 'http_proxy', 'HTTP_PROXY', 'all_proxy', 'ALL_PROXY'];

let environment: Environment = {};

/** Says whose variables count, for this thread; until then every request is direct. */
export function takeProxiesFrom(env: Environment): void {
  environment = env;
}

/** The way to a server through a proxy. */
export interface ProxyWay {
  /** Makes the connections of a request. */
  readonly agent: Agent;
  /** Name and port of the proxy. */
  readonly host: string;
}

/**
 * The proxy for a request to this address; undefined: connect directly. `fresh` is for one that must not use a kept
 * connection. Throws `bad_config` for a proxy that xz cannot use.
 */
export async function proxyOf(url: URL | string, fresh = false): Promise<ProxyWay | undefined> {
  if (!NAMES.some((name) => environment[name])) return undefined;
  const { agentFor } = await import('./proxy-agent.ts');
  return agentFor(new URL(url), environment, fresh);
}

/** An error of a request that went through a proxy: it may be the proxy's, so it is named. */
export function byWayOf(proxy: ProxyWay, error: unknown): Error {
  return new Error(`by way of the proxy ${proxy.host}: ${errorMessage(error)}`);
}

export interface TextRequest {
  readonly method?: string;
  readonly headers: Record<string, string>;
  readonly body?: string;
  readonly redirect?: 'manual' | 'error';
  readonly signal: AbortSignal;
}

/** `fetch` for a text, through a proxy where there is one. There a redirect is an answer like any other. */
export async function fetchByProxy(url: string, init: TextRequest): Promise<Response> {
  const proxy = await proxyOf(url);
  if (proxy === undefined) return fetch(url, init);
  const { fetchThrough } = await import('./proxy-agent.ts');
  return fetchThrough(proxy, url, init);
}

/** What proves to a proxy who asks: to be masked wherever it is printed. */
export function proxySecrets(env: Environment): string[] {
  return NAMES.flatMap((name) => {
    const value = env[name] ?? '';
    const full = value.includes('://') ? value : `http://${value}`;
    const password = URL.canParse(full) ? new URL(full).password : '';
    return password === '' ? [] : [password, decoded(password)];
  });
}
