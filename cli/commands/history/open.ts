// What the history commands share: the database if there is one, and a session named by a prefix of its id.
import { localDay } from '../../../store/clock.ts';
import type { Database } from '../../../store/database/database.ts';
import { XzError } from '../../../store/errors.ts';
import { pathExists } from '../../../store/files.ts';
import { resolvePrefix } from '../../../store/ids.ts';
import { openSessions } from '../../../store/sessions/sessions.ts';
import type { App } from '../../compose.ts';
import { flagOf } from '../../print/page.ts';
import type { CommandCall } from '../../table/command.ts';

/** The database, or undefined where nothing was ever stored: a query makes none. */
export async function openedDatabase(app: App): Promise<Database | undefined> {
  return pathExists(app.layout().database) ? app.database() : undefined;
}

/** The session that `given` names. Throws `not_found` or `ambiguous`. */
export function sessionNamed(db: Database | undefined, app: App, given: string): { readonly id: string; readonly title: string } {
  const sessions = db === undefined ? undefined : openSessions(db, app.clock);
  const id = resolvePrefix(given, sessions?.ids() ?? [], 'session');
  return { id, title: sessions?.get(id)?.title ?? '' };
}

/** A day of an option in the person's zone. Throws `bad_input` for anything but an existing `YYYY-MM-DD`. */
export function dayOption(call: CommandCall, option: string): { readonly start: number; readonly end: number } | undefined {
  const given = call.options[option];
  if (given === undefined) return undefined;
  const day = typeof given === 'string' ? localDay(given) : undefined;
  if (day !== undefined) return day;
  const flag = flagOf(option);
  throw new XzError('bad_input', `${flag} "${given}" is not a date`, {
    hint: 'write it as YYYY-MM-DD',
    data: { kind: 'not_a_date', option: flag, given },
  });
}
