// Who else may read the settings: a key in them is worth protecting.
import { lstatSync, statSync } from 'node:fs';
import { errnoOf } from '../../../store/errors.ts';
import type { Home } from '../../../store/layout.ts';
import type { Finding } from '../../../store/quarantine.ts';

/** Warnings about config.toml and its folder when others may read or enter them. */
export function looseModes(home: Home): Finding[] {
  return [home.config, home.root].flatMap((path): Finding[] => {
    const mode = modeOf(path);
    if (mode === undefined || (mode & 0o077) === 0) return [];
    const right = lstatSync(path).isDirectory() ? '700' : '600';
    return [{ level: 'warning', where: path, what: `others may read it (mode ${mode.toString(8)})`, fix: `chmod ${right} ${path}` }];
  });
}

function modeOf(path: string): number | undefined {
  try {
    return statSync(path).mode & 0o777;
  } catch (error) {
    if (['ENOENT', 'ENOTDIR', 'EACCES'].includes(errnoOf(error) ?? '')) return undefined;
    throw error;
  }
}
