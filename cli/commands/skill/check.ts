// `xz skill check` and `xz skill reload`: reads every SKILL.md anew and names what cannot be used, and why.
import { XzError } from '../../../store/errors.ts';
import type { SkillEntry } from '../../../workers/agent/skills/skill.ts';
import type { App } from '../../compose.ts';
import type { RunCommand } from '../../table/command.ts';
import { skillsOf } from './open.ts';

/** Exit 1 when a skill is broken. */
export const runSkillCheck: RunCommand = async (app, call) => {
  const wanted = call.args.name;
  const all = (await skillsOf(app)).entries();
  const items = wanted === undefined ? all : all.filter(({ name }) => name.toLowerCase() === wanted.toLowerCase());
  if (wanted !== undefined && items.length === 0)
    throw new XzError('not_found', app.text.skill.unknown(wanted), { hint: app.text.skill.seeList });
  const broken = items.filter(({ status }) => status === 'broken');
  if (app.print.json) app.print.value({ ok: broken.length === 0, items });
  else {
    for (const item of items) app.print.line(lineOf(app, item));
    app.print.line(app.text.skill.counted(items.length, broken.length));
  }
  return broken.length === 0 ? 0 : 1;
};

/** A running xz notices changes by itself; this shows what it will have found. */
export const runSkillReload: RunCommand = async (app) => {
  const skills = await skillsOf(app);
  const broken = skills.entries().filter(({ status }) => status === 'broken');
  const problems = broken.map(({ name, path, reason }) => ({ name, path, reason: reason ?? '' }));
  if (app.print.json) app.print.value({ skills: skills.list().length, problems });
  else {
    app.print.line(app.text.skill.loaded(skills.list().length));
    for (const item of broken) app.print.line(lineOf(app, item));
  }
  return 0;
};

function lineOf(app: App, { name, status, reason, path }: SkillEntry): string {
  const marks = { ok: '✓', shadowed: '·', broken: '✗' };
  return `${marks[status]} ${name}  ${app.text.skill.statusNames[status]}${reason === undefined ? '' : `: ${app.text.errors.told(reason)}`}  ${path}`;
}
