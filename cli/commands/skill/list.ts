// `xz skill list`: every skill found, in order of precedence, with what keeps it from being used; a command of xz
// goes before a skill of its name.
import type { SkillEntry } from '../../../workers/agent/skills/skill.ts';
import { columnLines } from '../../print/columns.ts';
import { pageOf, printPageLines, wholeNumber } from '../../print/page.ts';
import { isSlashCommand } from '../../slash/registry.ts';
import type { RunCommand } from '../../table/command.ts';
import type { Text } from '../../text/text.ts';
import { skillsOf } from './open.ts';

export const runSkillList: RunCommand = async (app, call) => {
  const limit = wholeNumber(call, 'limit', 0);
  const number = wholeNumber(call, 'page', 1, 1);
  const skills = await skillsOf(app);
  const { statusNames, columns, isCommand } = app.text.skill;
  const entries = skills
    .entries()
    .map((entry) =>
      entry.status === 'ok' && isSlashCommand(entry.name)
        ? { ...entry, status: 'shadowed' as const, reason: isCommand(entry.name) }
        : entry,
    );
  const page = pageOf(entries, limit, number);
  printPageLines(app.print, app.text, page, () =>
    columnLines(
      app.print,
      columns,
      page.items.map((item) => [item.name, item.source, statusNames[item.status], about(app.text, item)].map((text) => ({ text }))),
    ),
  );
  return 0;
};

const about = ({ errors }: Text, { description, reason }: SkillEntry): string => (reason === undefined ? description : errors.told(reason));
