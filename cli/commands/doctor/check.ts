// What a check reports: one line a thing. Only `broken` makes doctor fail.
import { errorMessage, XzError } from '../../../store/errors.ts';
import type { Finding } from '../../../store/quarantine.ts';

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

/** Runs a check; what it throws is what is broken. */
export async function guarded(name: string, run: () => Promise<readonly Check[]> | readonly Check[]): Promise<readonly Check[]> {
  try {
    return await run();
  } catch (error) {
    return [bad(name, 'broken', errorMessage(error), error instanceof XzError ? error.hint : undefined)];
  }
}
