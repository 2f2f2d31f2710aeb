// Which proxy the environment names for an address: http_proxy, https_proxy, all_proxy and no_proxy in small letters or
// capitals, as curl reads them. Pure.
import ipaddr from 'ipaddr.js';
import { XzError } from './errors.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** The proxy for an address; undefined: connect directly. Throws `bad_config` for a value that names none xz can use. */
export function proxyFor(url: URL, env: Environment): URL | undefined {
  const name = url.protocol === 'https:' ? 'https_proxy' : 'http_proxy';
  const given = ([name, 'all_proxy'] as const)
    .flatMap((lower) => [lower, lower.toUpperCase()])
    .map((variable) => ({ variable, value: env[variable]?.trim() ?? '' }))
    .find(({ value }) => value !== '');
  if (given === undefined || isDirect(url, env.no_proxy ?? env.NO_PROXY ?? '')) return undefined;
  const { variable, value } = given;
  const full = value.includes('://') ? value : `http://${value}`;
  const proxy = URL.canParse(full) ? new URL(full) : undefined;
  if (proxy !== undefined && /^https?:$/.test(proxy.protocol)) return proxy;
  // Set for other programs beside the others, which xz has gone without.
  if (/^all_proxy$/i.test(variable)) return undefined;
  throw new XzError('bad_config', `${variable} names no HTTP proxy (${proxy?.protocol.slice(0, -1) ?? 'not an address'})`, {
    hint: `set it to one such as http://127.0.0.1:7890, or unset it, or add ${url.hostname} to NO_PROXY`,
  });
}

/** True for this machine itself, and for what no_proxy lists. */
function isDirect(url: URL, list: string): boolean {
  const host = bare(url.hostname);
  if (host === 'localhost' || host.endsWith('.localhost') || rangeOf(host) === 'loopback') return true;
  const port = url.port || (url.protocol === 'https:' ? '443' : '80');
  return list
    .toLowerCase()
    .split(/[\s,]+/)
    .some((entry) => entry !== '' && isListed(entry, host, port));
}

/** `*`, a host and all below it, an address, a range of addresses as `10.0.0.0/8`; with a port only for that. */
function isListed(entry: string, host: string, port: string): boolean {
  if (entry === '*') return true;
  const [, name = '', only] = /^(\[[^\]]*\]|[^:]*|.*:.*:.*?)(?::(\d+))?$/.exec(entry) ?? [];
  if (only !== undefined && only !== port) return false;
  if (name.includes('/')) return isInRange(host, name);
  const listed = bare(name).replace(/^\*?\./, '');
  return listed !== '' && (host === listed || host.endsWith(`.${listed}`));
}

function isInRange(host: string, range: string): boolean {
  if (!ipaddr.isValid(host) || !ipaddr.isValidCIDR(range)) return false;
  const address = ipaddr.process(host);
  const [network, bits] = ipaddr.parseCIDR(range);
  return address.kind() === network.kind() && address.match(network, bits);
}

const bare = (host: string): string =>
  host
    .toLowerCase()
    .replace(/^\[(.*)\]$/, '$1')
    .replace(/\.$/, '');
const rangeOf = (host: string): string | undefined => (ipaddr.isValid(host) ? ipaddr.process(host).range() : undefined);
