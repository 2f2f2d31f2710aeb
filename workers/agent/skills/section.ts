// The skills part of the system prompt: names and descriptions within a budget. What does not fit is named, and what
// cannot even be named is counted.
import { estimateTokens } from '../model/estimate.ts';
import type { Skill } from './skill.ts';

const BUDGET_TOKENS = 2_000;
const LONGEST_DESCRIPTION = 400;

/** The section's text, or undefined when a model may call no skill. */
export function skillsSection(skills: readonly Skill[], budget = BUDGET_TOKENS): string | undefined {
  const callable = skills.filter((skill) => !skill.personOnly);
  if (callable.length === 0) return undefined;
  const lines = ['When a description fits what is to be done, read the skill with the tool `skill` before you start; its text says how.'];
  let left = budget - estimateTokens(lines[0] ?? '');
  const unnamed: string[] = [];
  for (const skill of callable) {
    const line = `- ${skill.name}: ${shortened(skill.description)}`;
    const cost = estimateTokens(line) + 1;
    if (unnamed.length > 0 || cost > left) unnamed.push(skill.name);
    else {
      lines.push(line);
      left -= cost;
    }
  }
  if (unnamed.length > 0) {
    const named = unnamed.slice(0, 60);
    const rest = unnamed.length - named.length;
    lines.push(`Further skills, whose descriptions did not fit here: ${named.join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`);
  }
  return lines.join('\n');
}

/**
 * Lines of the section that a prompt written earlier does not have, as background for a request: the prompt itself is
 * kept for the life of a session. Undefined when there is no news.
 */
export function skillsNews(skills: readonly Skill[], systemPrompt: string): string | undefined {
  const lines = (skillsSection(skills) ?? '').split('\n').filter((line) => line.startsWith('- ') && !systemPrompt.includes(line));
  return lines.length === 0 ? undefined : `Skills added or changed since this conversation began:\n${lines.join('\n')}`;
}

function shortened(text: string): string {
  return text.length <= LONGEST_DESCRIPTION ? text : `${text.slice(0, LONGEST_DESCRIPTION).replace(/\s+\S*$/, '')} …`;
}
