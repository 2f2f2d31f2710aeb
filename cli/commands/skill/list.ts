// `xz skill list`: every skill found, in order of precedence, with what keeps it from being used.
import type { SkillEntry } from '../../../workers/agent/skills/skill.ts';
import { columnLines } from '../../print/columns.ts';
import { pageOf, printPageLines, wholeNumber } from '../../print/page.ts';
import type { RunCommand } from '../../table/command.ts';
import { skillsOf } from './open.ts';

export const runSkillList: RunCommand = async (app, call) => {
  const limit = wholeNumber(call, 'limit', 0);
  const number = wholeNumber(call, 'page', 1, 1);
  const skills = await skillsOf(app);
  const page = pageOf(skills.entries(), limit, number);
  const { statusNames, columns } = app.text.skill;
  printPageLines(app.print, app.text, page, () =>
    columnLines(
      app.print,
      columns,
      page.items.map((item) => [item.name, item.source, statusNames[item.status], about(item)].map((text) => ({ text }))),
    ),
  );
  return 0;
};

const about = ({ description, reason }: SkillEntry): string => reason ?? description;
