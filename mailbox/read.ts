// Reading one message file, ours or hand-written. Any name ending in .json will do, and what a person leaves out is
// filled from the file itself, always in the same way: the same file has the same id however often it is read.
import { statSync } from 'node:fs';
import { basename } from 'node:path';
import { type Static, Type } from 'typebox';
import { isoWithOffset } from '../store/clock.ts';
import { errnoOf, errorMessage, XzError } from '../store/errors.ts';
import { readText } from '../store/files.ts';
import { derivedId } from '../store/ids.ts';
import { isQuarantined } from '../store/quarantine.ts';
import { parserOf } from '../store/schema.ts';
import { idOfFileName, isMailId, type Mail, MailSchema, mailPriority } from './message.ts';
import { USER } from './senders.ts';

/** Larger files are no mail: reading one would stop everything else. */
export const MAX_MAIL_BYTES = 16 * 1024 * 1024;

const HandWrittenSchema = Type.Object({ ...Type.Partial(MailSchema).properties, body: Type.String() });
type HandWritten = Static<typeof HandWrittenSchema>;
const handWritten = parserOf(HandWrittenSchema, 'mail');

/** True for the names that are messages: ending in .json and not hidden. */
export function isMailName(name: string): boolean {
  return name.endsWith('.json') && !name.startsWith('.') && !isQuarantined(name);
}

/** Work and notices waiting in a box, from the file names alone; for those who do not own it. */
export function countWaiting(names: readonly string[]): { readonly work: number; readonly notices: number } {
  const mail = names.filter(isMailName);
  const notices = mail.filter((name) => name.startsWith(`${mailPriority('notice')}-`)).length;
  return { work: mail.length - notices, notices };
}

/**
 * The message in a file, or undefined when the file is gone. `agent` is whose box it lies in.
 * Throws `bad_file` for anything that is no message: not JSON, no body, a folder, a pipe, over 16 MB.
 */
export function readMail(path: string, agent: string): Mail | undefined {
  let mtime: number;
  try {
    const stat = statSync(path);
    if (!stat.isFile()) throw new XzError('bad_file', 'mail: not a regular file');
    if (stat.size > MAX_MAIL_BYTES) throw new XzError('bad_file', `mail: larger than ${MAX_MAIL_BYTES / 1024 / 1024} MB`);
    mtime = stat.mtimeMs;
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return undefined;
    if (errnoOf(error) === 'ELOOP') throw new XzError('bad_file', `mail: ${errorMessage(error)}`, { cause: error });
    throw error;
  }
  const text = readText(path);
  return text === undefined ? undefined : complete(handWritten.parseJson(text), basename(path), agent, text, mtime);
}

function complete(given: HandWritten, name: string, agent: string, text: string, mtime: number): Mail {
  const id = given.id !== undefined && isMailId(given.id) ? given.id : idOfFileName(name);
  return {
    ...given,
    id: id ?? derivedId(`${Math.max(0, Math.trunc(mtime)).toString(36).padStart(9, '0')}000`, name, text),
    type: given.type ?? 'notice',
    from: given.from ?? USER,
    to: agent,
    at: given.at ?? isoWithOffset(mtime),
    body: given.body,
  };
}
