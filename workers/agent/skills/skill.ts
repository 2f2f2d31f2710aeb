// What a skill is: instructions in a SKILL.md, with a name and a description by which a model decides to read them.

/** Where skills are looked for, in this order; the first that has a name wins. */
export const SKILL_SOURCES = ['.agents/skills', '.claude/skills', '~/.xz/skills', '~/.claude/skills', 'built-in'] as const;

export type SkillSource = (typeof SKILL_SOURCES)[number];

/** What a SKILL.md says. */
export interface SkillText {
  readonly name: string;
  readonly description: string;
  /** What `/name` takes, such as `<query>`. */
  readonly argumentHint: string | undefined;
  /** True when only a person may call it. */
  readonly personOnly: boolean;
  /** Tools the skill expects; they are told, not granted. */
  readonly allowedTools: readonly string[];
  readonly body: string;
  /** Something that was put right in reading, in plain English. */
  readonly remark?: string;
}

export interface Skill extends SkillText {
  readonly source: SkillSource;
  /** The skill's folder as it was found, absolute. */
  readonly folder: string;
  /** Its SKILL.md, absolute. */
  readonly file: string;
}

/** One line of the list: a skill in force, one hidden by an earlier one of that name, or one that cannot be used. */
export interface SkillEntry {
  readonly name: string;
  readonly description: string;
  readonly source: SkillSource;
  readonly status: 'ok' | 'shadowed' | 'broken';
  /** Why it is shadowed or broken, or what was put right. */
  readonly reason?: string;
  /** The file or folder it is about, absolute. */
  readonly path: string;
}

const NAME = /^[\p{L}\p{N}][\p{L}\p{N}_.-]{0,63}$/u;

/** True for a text that can be a skill's name: it becomes a folder and a slash command. */
export function isSkillName(text: string): boolean {
  return NAME.test(text) && !text.includes('..');
}
