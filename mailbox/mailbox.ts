// All boxes of a workspace: sending, looking, putting a dead letter back. Lock-free: publishing is a link, and nobody
// but a box's owner (see box.ts) takes anything out of it.
import { join } from 'node:path';
import { type Clock, isoWithOffset } from '../store/clock.ts';
import { diskError, errnoOf, XzError } from '../store/errors.ts';
import { createFileExclusive, listNames, moveFile, pathExists, writeFileAtomic } from '../store/files.ts';
import { resolvePrefix, sortableId } from '../store/ids.ts';
import type { Layout } from '../store/layout.ts';
import type { Finding } from '../store/quarantine.ts';
import { type Box, openBox } from './box.ts';
import { checkMailbox, unreadable } from './check.ts';
import { isMailId, type Mail, type MailDraft, mailFileName, textOf } from './message.ts';
import { type BoxName, type BoxPaths, boxPaths, makeBox } from './paths.ts';
import { countWaiting, isMailName, MAX_MAIL_BYTES, readMail } from './read.ts';
import { boxNames, epochOf, hasEnded } from './roster.ts';
import { LEAD, refusalOf, USER } from './senders.ts';

/** A message and where it lies. */
export type ListedMail = Mail & { readonly box: BoxName };

export interface Sent {
  readonly mail: Mail;
  /** Its file name: what `nudge` and `arrived` want, so that no folder must be listed. */
  readonly file: string;
  /** False when a mail of that id was in the box already: nothing was written. */
  readonly fresh: boolean;
}

export interface Mailbox {
  /**
   * Publishes a mail durably. `id` given: sending it again is a no-op. `epoch` absent: the recipient's present one.
   * Throws `refused` (sender rules), `not_found` (unknown recipient, naming the known ones), `unwritable`, `disk_full`.
   */
  send(draft: MailDraft): Sent;
  /** Names mail can be sent to: `Lead`, and every box whose agent has not ended. */
  known(): string[];
  /** Throws `not_found`, naming the known ones, for a name that mail cannot be sent to. */
  checkRecipient(name: string): void;
  /** Names whose box can be looked at: the known ones, and those of agents that have ended. */
  boxes(): string[];
  ensureBox(name: string): BoxPaths;
  /** Opens a box as its owner. One owner at a time, which the team lease sees to. */
  openBox(name: string): Box;
  /** Messages of a box: in hand first, then waiting in queue order, then dead. Broken files are left out, and `report` told of each. */
  list(name: string): ListedMail[];
  /** The one message whose id is `id` or starts with it, in any box. Throws `not_found` or `ambiguous`. */
  find(id: string): ListedMail;
  /** Puts a dead letter back into its queue, for whoever has that name now. Throws `conflict` when it is not dead. */
  requeue(id: string): ListedMail;
  /** Work and notices in a box, and how many are in hand, from file names alone. */
  pending(name: string): { readonly work: number; readonly notices: number; readonly held: number };
  check(): Finding[];
}

/** The mailbox of a workspace. `report` is told of files that are no mail, once each. */
export function openMailbox(input: {
  readonly layout: Layout;
  readonly clock: Clock;
  readonly report?: (finding: Finding) => void;
}): Mailbox {
  const { layout, clock } = input;
  const report = input.report ?? (() => {});
  const made = new Map<string, BoxPaths>();
  const opened = new Map<string, Box>();

  const ensureBox = (name: string): BoxPaths => {
    const known = made.get(name);
    if (known !== undefined && pathExists(known.new)) return known;
    try {
      const paths = makeBox(layout, name);
      made.set(name, paths);
      return paths;
    } catch (error) {
      throw diskError(error, join(layout.mailbox, name));
    }
  };

  const known = (): string[] => [LEAD, ...boxNames(layout).filter((name) => name !== LEAD && !hasEnded(layout, name))];

  const checkRecipient = (to: string): void => {
    if (to === LEAD) return;
    const names = known();
    if (names.includes(to)) return;
    throw new XzError('not_found', `there is no agent "${to.slice(0, 60)}" to send to`, {
      hint: `known: ${names.join(', ')}`,
      data: { kind: 'agent', given: to.slice(0, 60), known: names.join(', ') },
    });
  };

  const publishMail = (mail: Mail, file: string): boolean => {
    const text = textOf(mail);
    if (Buffer.byteLength(text) > MAX_MAIL_BYTES) throw new XzError('bad_input', 'the message is too long to be sent');
    for (let again = false; ; again = true) {
      const paths = ensureBox(mail.to);
      if (BOXES.some((box) => pathExists(join(paths[box], file)))) return false;
      try {
        return createFileExclusive(join(paths.new, file), text, { tempFolder: paths.tmp });
      } catch (error) {
        // Somebody removed the folders since they were made: once more, from scratch.
        made.delete(mail.to);
        if (again || errnoOf(error) !== 'ENOENT') throw error;
      }
    }
  };

  const listed = (name: string, tell: (finding: Finding) => void): ListedMail[] => {
    const paths = boxPaths(layout, name);
    return ORDER.flatMap((box) =>
      listNames(paths[box])
        .filter(isMailName)
        .flatMap((file) => readable(join(paths[box], file), name, tell) ?? [])
        .sort((a, b) => (mailFileName(a) < mailFileName(b) ? -1 : 1))
        .map((mail) => ({ ...mail, box })),
    );
  };

  const find = (id: string): ListedMail => {
    const all = boxNames(layout).flatMap((name) => listed(name, () => {}));
    const full = resolvePrefix(id, [...new Set(all.map((mail) => mail.id))], 'mail');
    const hit = all.find((mail) => mail.id === full);
    if (hit === undefined) throw new XzError('not_found', `no mail "${id}"`, { data: { kind: 'mail', given: id } });
    return hit;
  };

  return {
    send(draft) {
      const now = clock.now();
      const refusal = refusalOf(draft);
      if (refusal !== undefined) throw new XzError('refused', refusal);
      checkRecipient(draft.to);
      const id = draft.id ?? sortableId(now);
      if (!isMailId(id)) throw new XzError('bad_input', `"${id.slice(0, 60)}" cannot be the id of a mail`);
      // What a person writes to the lead is for whoever leads next, not for a session that has ended.
      const epoch = draft.epoch ?? (draft.from === USER && draft.to === LEAD ? undefined : epochOf(layout, draft.to));
      const mail: Mail = { ...draft, id, at: draft.at ?? isoWithOffset(now), ...(epoch === undefined ? {} : { epoch }) };
      const file = mailFileName(mail);
      try {
        const fresh = publishMail(mail, file);
        if (fresh) opened.get(mail.to)?.arrived(file);
        return { mail, file, fresh };
      } catch (error) {
        throw diskError(error, join(layout.mailbox, mail.to));
      }
    },
    known,
    checkRecipient,
    boxes: () => [...new Set([LEAD, ...boxNames(layout)])],
    ensureBox,
    openBox(name) {
      const box = openBox({ agent: name, paths: ensureBox(name), clock, report });
      opened.set(name, box);
      return box;
    },
    list: (name) => listed(name, report),
    find,
    requeue(id) {
      const mail = find(id);
      if (mail.box !== 'dead')
        throw new XzError('conflict', `mail ${mail.id} is not dead: it ${mail.box === 'new' ? 'waits in the queue' : 'is in hand'}`);
      checkRecipient(mail.to);
      const paths = ensureBox(mail.to);
      const { box: _box, dead: _dead, deliveries: _deliveries, epoch: _epoch, ...clean } = mail;
      const file = mailFileName(mail);
      const from = listNames(paths.dead).find(
        (name) => isMailName(name) && readable(join(paths.dead, name), mail.to, () => {})?.id === mail.id,
      );
      if (from === undefined) throw new XzError('not_found', `mail ${mail.id} is gone`);
      writeFileAtomic(join(paths.dead, from), textOf(clean));
      moveFile(join(paths.dead, from), join(paths.new, file));
      opened.get(mail.to)?.arrived(file);
      return { ...clean, box: 'new' };
    },
    pending(name) {
      const paths = boxPaths(layout, name);
      return { ...countWaiting(listNames(paths.new)), held: listNames(paths.cur).filter(isMailName).length };
    },
    check: () => checkMailbox(layout),
  };
}

const BOXES: readonly BoxName[] = ['new', 'cur', 'dead'];
const ORDER: readonly BoxName[] = ['cur', 'new', 'dead'];

/** A message for a listing; a file that is none (or not yet) is left to the owner, who moves it aside. */
function readable(path: string, agent: string, tell: (finding: Finding) => void): Mail | undefined {
  try {
    return readMail(path, agent);
  } catch (error) {
    if (error instanceof XzError ? error.code !== 'bad_file' : errnoOf(error) === undefined) throw error;
    tell(unreadable(path, error));
    return undefined;
  }
}
