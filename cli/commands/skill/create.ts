// `xz skill create NAME`: a SKILL.md to fill in, in the workspace. Never over something that is there.
import { join } from 'node:path';
import { XzError } from '../../../store/errors.ts';
import { createFileExclusive, ensureFolder, pathExists } from '../../../store/files.ts';
import { ensureStore } from '../../../store/layout.ts';
import { isSkillName } from '../../../workers/agent/skills/skill.ts';
import type { RunCommand } from '../../table/command.ts';
import { skillsOf } from './open.ts';

export const runSkillCreate: RunCommand = async (app, call) => {
  const name = (call.args.name ?? '').normalize('NFC');
  const words = app.text.skill;
  if (!isSkillName(name)) throw new XzError('bad_input', words.badName(name), { hint: words.nameHint });
  const layout = app.layout();
  const folder = join(layout.skills, name);
  const file = join(folder, 'SKILL.md');
  const hidden = (await skillsOf(app)).get(name);
  if (pathExists(folder)) throw new XzError('conflict', words.exists(folder), { hint: words.existsHint });
  app.processName();
  ensureStore(layout, 'agents');
  ensureFolder(folder);
  const text = call.options.fromTemplate === true ? words.template(name) : words.skeleton(name);
  if (!createFileExclusive(file, text)) throw new XzError('conflict', words.exists(file), { hint: words.existsHint });
  if (app.print.json) app.print.value({ name, path: file });
  else app.print.line(words.created(file));
  if (hidden !== undefined) app.print.warn(words.hides(hidden.source));
  return 0;
};
