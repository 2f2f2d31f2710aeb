// The headers that Kimi's servers expect from a program, with xz's own name and version: it pretends to be no other. A
// person may replace or add any of them in `[auth.headers]`.
import { randomBytes } from 'node:crypto';
import { arch, hostname, release, type } from 'node:os';
import { join } from 'node:path';
import { ensureFolder, readText, writeFileAtomic } from '../files.ts';
import type { Home } from '../layout.ts';

/** The headers of every request to Kimi, also of completions. */
export function kimiHeaders(version: string, deviceId: string, configured: Readonly<Record<string, string>> = {}): Record<string, string> {
  const own: Record<string, string> = {
    'User-Agent': `xz/${version}`,
    'X-Msh-Platform': 'xz',
    'X-Msh-Version': version,
    'X-Msh-Device-Name': ascii(hostname()),
    'X-Msh-Device-Model': ascii(`${type()} ${arch()}`),
    'X-Msh-Os-Version': ascii(release()),
    'X-Msh-Device-Id': deviceId,
  };
  for (const [name, value] of Object.entries(configured)) {
    const present = Object.keys(own).find((other) => other.toLowerCase() === name.toLowerCase());
    own[present ?? name] = value;
  }
  return own;
}

/** This machine's id: the one the official program made, since a login may be bound to it, else one of our own. */
export function kimiDeviceId(userHome: string | undefined, home: Home): string {
  const theirs = userHome === undefined ? undefined : readText(join(userHome, '.kimi', 'device_id'))?.trim();
  if (theirs && /^[\x21-\x7e]+$/.test(theirs)) return theirs;
  const file = join(home.root, 'device_id');
  const ours = readText(file)?.trim();
  if (ours && /^[0-9a-f]{32}$/.test(ours)) return ours;
  const made = randomBytes(16).toString('hex');
  ensureFolder(home.root, 0o700);
  writeFileAtomic(file, `${made}\n`, { private: true });
  return made;
}

function ascii(text: string): string {
  return text.replaceAll(/[^\x20-\x7e]/g, '').trim() || 'unknown';
}
