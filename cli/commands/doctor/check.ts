// What a check reports: one line a thing. Only `broken` makes doctor fail.
import { errorFacts } from '../../../store/errors.ts';
import { refuseNoFolder } from '../../../store/links.ts';
import type { Finding } from '../../../store/quarantine.ts';
import type { App } from '../../compose.ts';

export interface Check {
  readonly name: string;
  readonly status: 'ok' | 'warning' | 'broken';
  readonly detail: string;
  readonly fix?: string;
}

export const ok = (name: string, detail: string): Check => ({ name, status: 'ok', detail });

export function bad(name: string, status: 'warning' | 'broken', detail: string, fix?: string): Check {
  return { name, status, detail, ...(fix === undefined ? {} : { fix }) };
}

/** The findings of a store as checks, or `fine` when it found nothing. */
export function fromFindings(name: string, findings: readonly Finding[], fine: string): Check[] {
  if (findings.length === 0) return [ok(name, fine)];
  return findings.map(({ level, where, what, fix }) => bad(name, level, `${where}: ${what}`, fix));
}

/** An error as a line of the report, in the person's words. */
export function thrown(app: App, name: string, error: unknown, status: 'warning' | 'broken' = 'broken'): Check {
  const said = app.text.errors.say(errorFacts(error));
  return bad(name, status, said.text, said.hint);
}

/** Runs a check; what it throws is what is broken. */
export async function guarded(app: App, name: string, run: () => Promise<readonly Check[]> | readonly Check[]): Promise<readonly Check[]> {
  try {
    return await run();
  } catch (error) {
    return [thrown(app, name, error)];
  }
}

/** A file that has the place of a store's folder: nothing can be stored there, and what was there is hidden. */
export function fileAt(app: App, name: string, folder: string): Check[] {
  try {
    refuseNoFolder(folder);
    return [];
  } catch (error) {
    return [thrown(app, name, error)];
  }
}
