// An agent's own box, opened by its owner: only the owner claims. A claim is a rename into cur/, an acknowledgement an
// unlink; neither is fsynced, because a lost one only shows the mail again and `alreadySeen` then drops it silently.
import { join } from 'node:path';
import { type Clock, isoWithOffset } from '../store/clock.ts';
import { errnoOf, errorMessage, XzError } from '../store/errors.ts';
import { listNames, moveFile, pathExists, removeFile, writeFileAtomic } from '../store/files.ts';
import { type Finding, quarantine } from '../store/quarantine.ts';
import { idOfFileName, type Mail, mailFileName, textOf } from './message.ts';
import type { BoxPaths } from './paths.ts';
import { createQueue, type Waiting } from './queue.ts';
import { isMailName, readMail } from './read.ts';

/** Deliveries without any new stored row after which a mail is set aside. */
const MAX_DELIVERIES = 3;

/** Notices that go along with one claim; more wait for the next. */
const MAX_NOTICES = 100;

export interface ClaimRequest {
  /**
   * `all`: what an idle agent takes (end, review, result, task; notices only along with one of them).
   * `boundary`: what a working one takes between tools (end, review, result, and notices also alone).
   * `results`: results, with notices along.
   * `notices`: notices alone, for a turn that begins with something else.
   */
  readonly take: 'all' | 'boundary' | 'results' | 'notices';
  /** The owner's epoch: mail for an earlier one goes to dead/. Absent: no mail is refused for its epoch. */
  readonly epoch?: string;
  /** True when a stored message row has shown this mail: it is then acknowledged without a word. */
  alreadySeen(mailId: string): boolean;
  /** How many besides notices; default 1. */
  readonly max?: number;
}

export interface Box {
  readonly agent: string;
  /** The next mail in queue order (left in cur/ first, notices last), or none. Throws when the disk refuses the very first. */
  claim(request: ClaimRequest): Mail[];
  /**
   * At start: takes hold of what cur/ still has for the turn that was open, so that this turn can acknowledge or
   * return it at its end. `isHeld` says which ids that turn has shown.
   */
  takeHeld(isHeld: (mailId: string) => boolean): Mail[];
  /** The turn that took it has ended. */
  acknowledge(mail: Mail): void;
  /**
   * Back to its place in the queue. `counted`: this delivery ended without any new stored row; the third such one
   * moves the mail to dead/ instead. A process that is killed counts nothing. Says where the mail is now.
   */
  returnToNew(mail: Mail, counted?: boolean): 'new' | 'dead';
  /** After a thread of ours died: every mail it left unseen in cur/ had a failed delivery. Returns those now in dead/. */
  countFailedDeliveries(alreadySeen: (mailId: string) => boolean): Mail[];
  /** Sets a mail aside, with the reason in the file. */
  dead(mail: Mail, reason: string): void;
  /** Sets aside all that waits or is in hand: what an ended agent leaves. */
  buryAll(reason: string): Mail[];
  /** What waits, counted from memory; `held` is in hand or left in cur/. */
  waiting(): { readonly work: number; readonly notices: number; readonly held: number };
  /** True when the folder holds something that was no mail when it was looked at, and is to be looked at again. */
  unsettled(): boolean;
  /**
   * Something arrived: with its file name it is put in its place, without one the folder is listed at the next claim.
   * False when a file of that name is not there (any more).
   */
  arrived(file?: string): boolean;
}

const LANES: Readonly<Record<ClaimRequest['take'], readonly number[]>> = { all: [0, 1, 2], boundary: [0, 1], results: [1], notices: [] };

/** Opens a box whose folders exist. `report` is told once of each file that is no mail, and of each mail that goes dead by itself. */
export function openBox(input: {
  readonly agent: string;
  readonly paths: BoxPaths;
  readonly clock: Clock;
  readonly report: (finding: Finding) => void;
}): Box {
  const { agent, paths, clock, report } = input;
  const waiting = createQueue();
  const left = createQueue();
  const held = new Map<string, Mail>();
  const keys = new Map<string, string>();
  const reported = new Set<string>();
  let listed = false;

  const read = (path: string, file: string): Mail | undefined => {
    try {
      return readMail(path, agent);
    } catch (error) {
      // Only what is no mail is moved aside: a read that fails (too many open files) says nothing of the file.
      if (!(error instanceof XzError) && errnoOf(error) === undefined) throw error;
      const finding: Finding =
        error instanceof XzError
          ? quarantine(path, error.message, clock.now())
          : { level: 'warning', where: path, what: errorMessage(error), fix: 'it is looked at again' };
      if (finding.level === 'broken' || !reported.has(file)) report(finding);
      reported.add(file);
      if (finding.level === 'warning') listed = false;
      return undefined;
    }
  };

  /** The place of a file: its own name when that is one of ours and never led to a bad file, else what its content says, read once. */
  const keyOf = (folder: string, file: string): string | undefined => {
    if (idOfFileName(file) !== undefined && !reported.has(file)) return file;
    let key = keys.get(file);
    if (key === undefined) {
      const mail = read(join(folder, file), file);
      if (mail === undefined) return undefined;
      keys.set(file, (key = mailFileName(mail)));
    }
    return key;
  };

  const list = (): void => {
    listed = true;
    waiting.clear();
    for (const file of listNames(paths.new)) {
      if (!isMailName(file)) continue;
      const key = keyOf(paths.new, file);
      if (key !== undefined) waiting.add({ key, file });
    }
  };

  const bury = (mail: Mail, path: string, reason: string): void => {
    // The reason is written where the file is, then one rename: a kill between leaves it there, marked, and `admit` finishes.
    if (mail.dead?.reason !== reason) writeFileAtomic(path, textOf({ ...mail, dead: { reason, at: isoWithOffset(clock.now()) } }));
    moveFile(path, join(paths.dead, mailFileName(mail)));
  };

  /** Nobody will read it unless the person sees to it. */
  const tellDead = (mail: Mail, reason: string): void =>
    report({
      level: 'warning',
      where: join(paths.dead, mailFileName(mail)),
      what: `a ${mail.type} from ${mail.from} to ${agent} was set aside: ${reason}`,
      fix: `\`xz mail requeue ${mail.id}\` puts it back`,
    });

  /** Takes one file in hand, or undefined when it is not to be delivered after all. */
  const admit = (entry: Waiting, from: 'new' | 'cur', request: Pick<ClaimRequest, 'epoch' | 'alreadySeen'>): Mail | undefined => {
    const path = join(paths[from], entry.file);
    keys.delete(entry.file);
    const mail = read(path, entry.file);
    if (mail === undefined) return undefined;
    const name = mailFileName(mail);
    if (name[0] !== entry.key[0]) {
      // The name promised another priority than the content has: queue it where it belongs.
      (from === 'new' ? waiting : left).add({ key: name, file: entry.file });
      keys.set(entry.file, name);
      return undefined;
    }
    if (request.alreadySeen(mail.id)) return void removeFile(path);
    if (mail.dead !== undefined) return void bury(mail, path, mail.dead.reason);
    if (request.epoch !== undefined && mail.epoch !== undefined && mail.epoch !== request.epoch) {
      const reason = `for an earlier ${agent} (epoch ${mail.epoch})`;
      tellDead(mail, reason);
      return void bury(mail, path, reason);
    }
    const target = join(paths.cur, name);
    if (path !== target) {
      // A second copy of what is in hand (a sender that repeated itself while we claimed) is dropped.
      if (pathExists(target)) return void removeFile(path);
      if (!moveFile(path, target)) return undefined;
    }
    held.set(mail.id, mail);
    return mail;
  };

  const next = (lanes: readonly number[], request: ClaimRequest): Mail | undefined => {
    for (;;) {
      const old = left.take(lanes);
      const entry = old ?? waiting.take(lanes);
      if (entry === undefined) return undefined;
      try {
        const mail = admit(entry, old === undefined ? 'new' : 'cur', request);
        if (mail !== undefined) return mail;
      } catch (error) {
        // A disk that refuses: the mail lies where it lay.
        (old === undefined ? waiting : left).add(entry);
        throw error;
      }
    }
  };

  /** The same for one who has something in hand already: that is not kept back by what cannot be taken beside it. */
  const nextBeside = (taken: readonly Mail[], lanes: readonly number[], request: ClaimRequest): Mail | undefined => {
    try {
      return next(lanes, request);
    } catch (error) {
      if (taken.length === 0) throw error;
      return undefined;
    }
  };

  const fileOf = (mail: Mail): string => join(paths.cur, mailFileName(mail));

  const dead = (mail: Mail, reason: string): void => {
    bury(mail, fileOf(mail), reason);
    held.delete(mail.id);
  };

  const returnToNew = (mail: Mail, counted = false): 'new' | 'dead' => {
    let back = mail;
    if (counted) {
      back = { ...mail, deliveries: (mail.deliveries ?? 0) + 1 };
      if ((back.deliveries ?? 0) >= MAX_DELIVERIES) {
        const reason = `${MAX_DELIVERIES} deliveries ended without anything stored`;
        tellDead(mail, reason);
        dead(back, reason);
        return 'dead';
      }
      writeFileAtomic(fileOf(mail), textOf(back));
    }
    const file = mailFileName(mail);
    moveFile(fileOf(mail), join(paths.new, file));
    held.delete(mail.id);
    waiting.add({ key: file, file });
    return 'new';
  };

  /** Takes every left-over of cur/ that `pick` wants in hand; the others stay left over. */
  const takeLeft = (pick: (mail: Mail) => boolean): Mail[] => {
    const picked: Mail[] = [];
    const kept: Waiting[] = [];
    for (let entry = left.take([0, 1, 2, 3]); entry !== undefined; entry = left.take([0, 1, 2, 3])) {
      const mail = read(join(paths.cur, entry.file), entry.file);
      if (mail === undefined) continue;
      if (!pick(mail)) kept.push(entry);
      else {
        moveFile(join(paths.cur, entry.file), fileOf(mail));
        held.set(mail.id, mail);
        picked.push(mail);
      }
    }
    for (const entry of kept) left.add(entry);
    return picked;
  };

  for (const file of listNames(paths.cur)) {
    if (!isMailName(file)) continue;
    const key = keyOf(paths.cur, file);
    if (key !== undefined) left.add({ key, file });
  }

  return {
    agent,
    claim(request) {
      if (!listed) list();
      const taken: Mail[] = [];
      while (taken.length < (request.max ?? 1)) {
        const mail = nextBeside(taken, LANES[request.take], request);
        if (mail === undefined) break;
        taken.push(mail);
      }
      if (taken.length === 0 && (request.take === 'all' || request.take === 'results')) return taken;
      for (let count = 0; count < MAX_NOTICES; count++) {
        const notice = nextBeside(taken, [3], request);
        if (notice === undefined) break;
        taken.push(notice);
      }
      return taken;
    },
    takeHeld: (isHeld) => takeLeft((mail) => isHeld(mail.id)),
    acknowledge(mail) {
      removeFile(fileOf(mail));
      held.delete(mail.id);
    },
    returnToNew,
    countFailedDeliveries: (alreadySeen) =>
      takeLeft((mail) => mail.dead === undefined && !alreadySeen(mail.id)).filter((mail) => returnToNew(mail, true) === 'dead'),
    dead,
    buryAll(reason) {
      list();
      const everything = { alreadySeen: () => false };
      const buried = [...held.values(), ...takeLeft(() => true)];
      for (let entry = waiting.take([0, 1, 2, 3]); entry !== undefined; entry = waiting.take([0, 1, 2, 3])) {
        const mail = admit(entry, 'new', everything);
        if (mail !== undefined) buried.push(mail);
      }
      for (const mail of buried) dead(mail, reason);
      return buried;
    },
    waiting() {
      if (!listed) list();
      const work = (queue: typeof waiting) => queue.count(0) + queue.count(1) + queue.count(2);
      return { work: work(waiting), notices: waiting.count(3), held: held.size + work(left) + left.count(3) };
    },
    unsettled: () => !listed,
    arrived(file) {
      if (file === undefined) {
        listed = false;
        return true;
      }
      if (!isMailName(file) || !pathExists(join(paths.new, file))) return false;
      const key = listed && !waiting.has(file) ? keyOf(paths.new, file) : undefined;
      if (key !== undefined) waiting.add({ key, file });
      return true;
    },
  };
}
