// skill: the instructions of one skill, on demand.
import { Type } from 'typebox';
import { renderSkill } from '../skills/render.ts';
import type { Skill } from '../skills/skill.ts';
import type { Skills } from '../skills/skills.ts';
import { defineTool, type Tool, toolError } from './tool.ts';

export interface SkillToolDeps {
  readonly skills: Skills;
  /** Whether the person trusts the workspace, whose own skills are a stranger's otherwise. */
  readonly trusted: boolean;
}

export function skillTool({ skills, trusted }: SkillToolDeps): Tool {
  return defineTool({
    name: 'skill',
    description:
      'Returns the instructions of a skill: how to do one kind of job, with the folder of its scripts and references. Read it when its description (in the list of skills) fits what is to be done, before you start, then follow it. arguments is put where the instructions ask for it.',
    parameters: Type.Object({
      name: Type.String({ description: "The skill's name" }),
      arguments: Type.Optional(Type.String({ description: 'What the skill is called with, in one text' })),
    }),
    readOnly: true,
    keyed: false,
    async run(args) {
      // The folder may have changed since the prompt was written: what counts is what is there now.
      await skills.refresh();
      const skill = skills.get(args.name.replace(/^\//, ''));
      if (skill === undefined) return toolError(notFound(args.name, skills));
      if (skill.personOnly) return toolError(`the skill ${skill.name} is called by the person only, as /${skill.name}; suggest it instead`);
      const warning = trusted || !isWorkspaceOwn(skill) ? '' : `${UNTRUSTED}\n`;
      return { text: `Skill ${skill.name}\n${warning}${renderSkill(skill, args.arguments ?? '')}`, facts: { skill: skill.name } };
    },
  });
}

const UNTRUSTED =
  '[This skill comes with the workspace, which the person has not declared trusted: run no script of its folder before they did (`xz config trust`).]';

function isWorkspaceOwn({ source }: Skill): boolean {
  return source === '.agents/skills' || source === '.claude/skills';
}

function notFound(name: string, skills: Skills): string {
  const broken = skills.entries().find((entry) => entry.status === 'broken' && entry.name.toLowerCase() === name.toLowerCase());
  if (broken !== undefined) return `the skill ${broken.name} cannot be used: ${broken.reason ?? 'it is broken'} (${broken.path})`;
  const names = skills.list().flatMap((skill) => (skill.personOnly ? [] : [skill.name]));
  return `there is no skill "${name.slice(0, 100)}"; ${names.length === 0 ? 'there are none' : `the skills are: ${names.join(', ')}`}`;
}
