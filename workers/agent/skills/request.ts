// The request that `/skill args` becomes: what the person typed, then what the skill says. And back: which part of a
// request the person typed, since a skill's words, which may come with a project, are not theirs.
import { renderSkill } from './render.ts';
import type { Skill } from './skill.ts';

const says = (name: string): string => `\n\nDo what the skill "${name}" says:\n\n`;

export function skillRequest(skill: Skill, args: string): string {
  return `${`/${skill.name} ${args}`.trimEnd()}${says(skill.name)}${renderSkill(skill, args)}`;
}

/** The part of a request that the person typed. */
export function typedPart(request: string): string {
  const name = /^\/(\S+)/.exec(request)?.[1];
  const end = name === undefined ? -1 : request.indexOf(says(name));
  return end < 0 ? request : request.slice(0, end);
}
