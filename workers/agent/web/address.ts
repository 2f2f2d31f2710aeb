// Which addresses the web tools may not dial: everything that is not plainly public. Judged on the numeric address, so
// that no way of writing a host name (decimal, mapped, a name that resolves inwards) makes a difference. Pure.
import ipaddr from 'ipaddr.js';

/** Public by range, and yet a cloud's own service that hands out credentials to the machine. */
const METADATA = new Set(['168.63.129.16']);

/** Says why an address may not be dialled, such as "loopback"; undefined when it may. */
export type Judge = (address: string) => string | undefined;

/** The judge of a person who allows private addresses. */
export const allowAll: Judge = () => undefined;

/** Why an address may not be dialled; undefined when it is public. */
export function whyRefused(address: string): string | undefined {
  const plain = address.replace(/%.*$/, '');
  if (!ipaddr.isValid(plain)) return 'no address';
  const parsed = ipaddr.parse(plain);
  if (METADATA.has(parsed.toString())) return 'metadata';
  const range = parsed.range();
  // A network without IPv4 reaches the public part of it through this prefix; the address inside is judged.
  if (range === 'rfc6052' && parsed instanceof ipaddr.IPv6 && parsed.parts[2] === 0) return whyRefused(lastFour(parsed));
  return range === 'unicast' ? undefined : range;
}

function lastFour(address: ipaddr.IPv6): string {
  return address.toByteArray().slice(-4).join('.');
}
