// What the workspace keeps. A store that is not there yet is fine, and looking at it makes nothing.
import { checkMailbox } from '../../../mailbox/check.ts';
import { pathExists } from '../../../store/files.ts';
import { openMemory } from '../../../store/memory/memory.ts';
import { someoneRuns } from '../../../store/schedule/presence.ts';
import { openSchedule } from '../../../store/schedule/schedule.ts';
import { checkWorkspaces } from '../../../store/schedule/workspaces.ts';
import { checkHistory } from '../../../store/search/history.ts';
import { checkKnowledge } from '../../../store/search/knowledge.ts';
import { checkVectors } from '../../../store/search/vector-check.ts';
import type { App } from '../../compose.ts';
import { openedDatabase } from '../history/open.ts';
import { skillsOf } from '../skill/open.ts';
import { bad, type Check, fileAt, fromFindings, ok } from './check.ts';

export async function checkDatabase(app: App): Promise<Check[]> {
  const blocked = fileAt(app, 'database', app.layout().data);
  if (blocked.length > 0) return blocked;
  const db = await openedDatabase(app);
  if (db === undefined) return [ok('database', app.text.doctor.notThereYet)];
  const rows = db.connection.pragma('quick_check(5)', { simple: false });
  const said = Array.isArray(rows)
    ? rows.map((row: unknown) => (typeof row === 'object' && row !== null ? Object.values(row).join() : String(row)))
    : [];
  return said.join() === 'ok' ? [ok('database', db.path)] : [bad('database', 'broken', said.join('; '), 'xz doctor --repair')];
}

export async function checkIndexes(app: App): Promise<Check[]> {
  const db = await openedDatabase(app);
  if (db === undefined) return [ok('indexes', app.text.doctor.notThereYet)];
  return fromFindings('indexes', [...checkHistory(db), ...checkKnowledge(db, app.layout()), ...checkVectors(db)], app.text.doctor.match);
}

export function checkMail(app: App): Check[] {
  const { layout, text } = { layout: app.layout(), text: app.text };
  const blocked = fileAt(app, 'mailboxes', layout.mailbox);
  if (blocked.length > 0) return blocked;
  if (!pathExists(layout.mailbox)) return [ok('mailboxes', text.doctor.notThereYet)];
  return fromFindings('mailboxes', checkMailbox(layout), text.doctor.fine);
}

export async function checkTaskFiles(app: App): Promise<Check[]> {
  const blocked = fileAt(app, 'tasks', app.layout().tasks);
  if (blocked.length > 0) return blocked;
  if (!pathExists(app.layout().tasks)) return [ok('tasks', app.text.doctor.notThereYet)];
  return fromFindings('tasks', (await app.tasks()).check(), app.text.doctor.fine);
}

export function checkMemoryFiles(app: App): Check[] {
  const blocked = fileAt(app, 'memory', app.layout().memory);
  if (blocked.length > 0) return blocked;
  if (!pathExists(app.layout().memory)) return [ok('memory', app.text.doctor.notThereYet)];
  const memory = openMemory({ layout: app.layout(), locks: app.locks, clock: app.clock });
  return fromFindings('memory', memory.check(), app.text.doctor.fine);
}

/** A skill that cannot be used is a warning: everything else works without it. */
export async function checkSkills(app: App): Promise<Check[]> {
  const skills = await skillsOf(app);
  return fromFindings('skills', skills.check(), String(skills.list().length));
}

export function checkDaemon(app: App): Check[] {
  const layout = app.layout();
  // Asking for a lease that nobody ever took makes its folder; a workspace without a store has no daemon of its own.
  const running = (pathExists(layout.locks) || pathExists(app.home().locks)) && someoneRuns(app.locks(), app.homeLocks(), layout);
  return [running ? ok('daemon', app.text.doctor.running) : bad('daemon', 'warning', app.text.doctor.noDaemon, 'xz --daemon')];
}

export async function checkScheduleRows(app: App): Promise<Check[]> {
  const db = await openedDatabase(app);
  const findings = [...checkWorkspaces(app.home()), ...(db === undefined ? [] : openSchedule(db, app.clock).check())];
  return fromFindings('schedule', findings, app.text.doctor.fine);
}
