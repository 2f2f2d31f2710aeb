// From a host name to the addresses that may be dialled. It is given to the socket as its own lookup, so what is checked
// is what is dialled: a name cannot answer once for the check and differently for the connection.
import { lookup } from 'node:dns/promises';
import { isIP, type LookupFunction } from 'node:net';
import { XzError } from '../../../store/errors.ts';
import type { Judge } from './address.ts';

export interface ResolvedAddress {
  readonly address: string;
  readonly family: number;
}

/** All addresses of a host name. Rejects when it has none. */
export type ResolveHost = (host: string) => Promise<readonly ResolvedAddress[]>;

/** The system's own resolver. */
export const systemResolver: ResolveHost = (host) => lookup(host, { all: true });

/** The addresses of `host` that may be dialled. Throws `refused` when it has none but private ones. */
export async function allowedAddresses(host: string, resolve: ResolveHost, judge: Judge): Promise<ResolvedAddress[]> {
  const family = isIP(host);
  const found = family === 0 ? await resolve(host) : [{ address: host, family }];
  const allowed = found.filter(({ address }) => judge(address) === undefined);
  const [first] = found;
  if (first === undefined) throw new XzError('not_found', `${host} has no address`);
  if (allowed.length > 0) return allowed;
  const where = first.address === host ? '' : ` resolves to ${first.address}, which`;
  throw new XzError('refused', `${host}${where} is not a public address (${judge(first.address)})`, {
    hint: 'only public addresses are fetched; the person may set [web] allow_private, or use curl in bash',
  });
}

/**
 * For a request that goes through a proxy, which looks the name up itself: throws `refused` for a name of a private
 * address. One that is not known here may be known there.
 */
export async function refusePrivateName(host: string, resolve: ResolveHost, judge: Judge): Promise<void> {
  try {
    await allowedAddresses(host, resolve, (address) => (isMadeUp(address) ? undefined : judge(address)));
  } catch (error) {
    if (error instanceof XzError && error.code === 'refused') throw error;
  }
}

/** Some proxies answer lookups with addresses of this range, made up for names that they then reach themselves. */
const isMadeUp = (address: string): boolean => /^198\.1[89]\./.test(address);

/** The lookup of a socket that dials only what may be dialled. */
export function guardedLookup(resolve: ResolveHost, judge: Judge): LookupFunction {
  return (host, options, callback) => {
    allowedAddresses(host, resolve, judge).then(
      (allowed) => {
        if (options.all === true) return callback(null, [...allowed]);
        const [first] = allowed;
        callback(null, first?.address ?? '', first?.family ?? 0);
      },
      (error: unknown) => callback(error instanceof Error ? error : new Error(String(error)), []),
    );
  };
}
