// What `doctor` is told about the mail: unreadable files, dead letters, boxes nobody can own. Nothing is moved here.
import { join } from 'node:path';
import { errorMessage } from '../store/errors.ts';
import { listNames } from '../store/files.ts';
import { isMailboxName } from '../store/ids.ts';
import type { Layout } from '../store/layout.ts';
import { type Finding, isQuarantined } from '../store/quarantine.ts';
import { boxPaths } from './paths.ts';
import { isMailName, readMail } from './read.ts';
import { boxNames, entryFault } from './roster.ts';

/** Everything that is wrong with the mail of a workspace. */
export function checkMailbox(layout: Layout): Finding[] {
  return listNames(layout.mailbox)
    .filter((name) => name !== '.gitignore')
    .flatMap((name) => (isMailboxName(name) ? checkBox(layout, name) : [strangeBox(join(layout.mailbox, name))]));
}

/** The roster entries that cannot be read. */
export function entryFindings(layout: Layout): Finding[] {
  return boxNames(layout).flatMap((name) => entryFinding(layout, name));
}

function entryFinding(layout: Layout, agent: string): Finding[] {
  const what = entryFault(layout, agent);
  const where = boxPaths(layout, agent).entry;
  return what === undefined ? [] : [{ level: 'broken', where, what, fix: 'mend it before the next start of the team, or remove it' }];
}

function strangeBox(where: string): Finding {
  return { level: 'warning', where, what: 'this is not the box of an agent: nobody reads it', fix: 'remove it when you do not need it' };
}

function checkBox(layout: Layout, agent: string): Finding[] {
  const paths = boxPaths(layout, agent);
  const findings: Finding[] = entryFinding(layout, agent);
  for (const box of ['new', 'cur', 'dead'] as const) {
    for (const file of listNames(paths[box])) {
      const where = join(paths[box], file);
      if (isQuarantined(file))
        findings.push({ level: 'warning', where, what: 'was moved aside as unreadable', fix: 'mend it and rename it back, or remove it' });
      else if (isMailName(file)) findings.push(...faultOf(where, agent));
    }
  }
  const dead = listNames(paths.dead).filter(isMailName).length;
  if (dead > 0)
    findings.push({
      level: 'warning',
      where: paths.dead,
      what: `${dead} dead letter(s) of ${agent}`,
      fix: `see \`xz mail list ${agent}\`, then \`xz mail requeue ID\` or remove the file`,
    });
  return findings;
}

/** What is told of a file that is no mail. */
export function unreadable(where: string, error: unknown): Finding {
  return { level: 'broken', where, what: errorMessage(error), fix: 'mend the file; its owner moves it aside when it meets it' };
}

function faultOf(where: string, agent: string): Finding[] {
  try {
    readMail(where, agent);
    return [];
  } catch (error) {
    return [unreadable(where, error)];
  }
}
