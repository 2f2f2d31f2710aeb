// The skills of this workspace: where they are, and what is there now.
import { builtInSkills } from '../../../workers/agent/skills/built-in.ts';
import { openSkills, type Skills, type SkillsInput } from '../../../workers/agent/skills/skills.ts';
import type { App } from '../../compose.ts';

export function skillsInput(app: App): SkillsInput {
  return { layout: app.layout(), home: app.env.HOME || undefined, builtIn: builtInSkills() };
}

/** Reads them all. */
export function skillsOf(app: App): Promise<Skills> {
  return openSkills(skillsInput(app));
}
