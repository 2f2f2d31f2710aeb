// A skill's text as it is sent: arguments put in literally, the folder and its files named.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { errnoOf } from '../../../store/errors.ts';
import type { Skill } from './skill.ts';

const MOST_FILES = 40;

/** The instructions of a skill called with `args`, the words after its name. */
export function renderSkill(skill: Skill, args: string): string {
  const files = filesIn(skill.folder);
  const told = [
    `Folder of this skill: ${skill.folder}`,
    ...(files.length > 0 ? [`Its files, read when the instructions call for them: ${files.join(', ')}`] : []),
    ...(skill.allowedTools.length > 0 ? [`Made for these tools: ${skill.allowedTools.join(', ')}`] : []),
  ];
  return `${told.join('\n')}\n\n${substitute(skill, args)}`;
}

/**
 * The body with `$ARGUMENTS` (all words), `$ARGUMENTS[N]` (from 0) and `$1` (from 1) replaced, literally: nothing in the
 * arguments is looked at again. Arguments that no place in the body asks for follow at the end.
 */
export function substitute(skill: Pick<Skill, 'body' | 'folder' | 'argumentHint'>, args: string): string {
  const whole = args.trim();
  const words = wordsOf(whole);
  // `$1` in a body that takes no arguments is a shell's or awk's own.
  const numbered = whole !== '' || skill.argumentHint !== undefined;
  let used = false;
  const body = skill.body.replace(
    /\$ARGUMENTS(?:\[(\d{1,2})\])?|\$([1-9])(?!\d)|\$\{CLAUDE_SKILL_DIR\}/g,
    (found, at: string | undefined, number: string | undefined) => {
      if (found.startsWith('$ARGUMENTS')) {
        used = true;
        return at === undefined ? whole : (words[Number(at)] ?? '');
      }
      if (number === undefined) return skill.folder;
      if (!numbered) return found;
      used = true;
      return words[Number(number) - 1] ?? '';
    },
  );
  return used || whole === '' ? body : `${body}\n\nARGUMENTS: ${whole}`;
}

/** Words as a shell would split them, quotes removed. */
function wordsOf(text: string): string[] {
  return [...text.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(([, double, single, bare]) => double ?? single ?? bare ?? '');
}

/** Files of the folder and its direct sub-folders, without SKILL.md. */
function filesIn(folder: string): string[] {
  const names: string[] = [];
  for (const entry of entriesOf(folder)) {
    if (entry.name.startsWith('.') || entry.name.toLowerCase() === 'skill.md') continue;
    if (entry.isDirectory())
      names.push(...entriesOf(join(folder, entry.name)).map((inner) => `${entry.name}/${inner.name}${inner.isDirectory() ? '/' : ''}`));
    else names.push(entry.name);
  }
  return names.length > MOST_FILES ? [...names.slice(0, MOST_FILES), `and ${names.length - MOST_FILES} more`] : names;
}

function entriesOf(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1));
  } catch (error) {
    if (['ENOENT', 'ENOTDIR', 'EACCES', 'EPERM'].includes(errnoOf(error) ?? '')) return [];
    throw error;
  }
}
