// A SKILL.md as a skill. Lenient where the meaning is plain, with a remark; what cannot be used is said, never dropped.
import { XzError } from '../../../store/errors.ts';
import { type Fields, splitFrontMatter } from './front-matter.ts';
import { isSkillName, type SkillText } from './skill.ts';

/** Parses the text of `<folder>/SKILL.md`. Throws `bad_file` with the reason. */
export async function parseSkill(text: string, folder: string): Promise<SkillText> {
  const { fields, body } = await splitFrontMatter(text);
  const { name, remark } = nameOf(fields, folder);
  const description = textOf(fields.description) ?? firstParagraph(body);
  if (description === undefined) throw new XzError('bad_file', 'it has neither a description nor a body');
  return {
    name,
    description: description.replace(/\s+/g, ' ').trim(),
    argumentHint: hintOf(fields['argument-hint']),
    personOnly: isTrue(fields['disable-model-invocation']),
    allowedTools: listOf(fields['allowed-tools']),
    body: body.trim(),
    ...(remark !== undefined && { remark }),
  };
}

function nameOf(fields: Fields, folder: string): { readonly name: string; readonly remark?: string } {
  const given = textOf(fields.name)?.normalize('NFC');
  if (given !== undefined && /[/\\]|\.\.|[\u0000-\u001f]/.test(given))
    throw new XzError('bad_file', `${JSON.stringify(given.slice(0, 80))} is not a name for a skill`);
  if (given !== undefined && isSkillName(given)) return { name: given };
  if (!isSkillName(folder)) throw new XzError('bad_file', `${JSON.stringify(folder.slice(0, 80))} is not a name for a skill`);
  return given === undefined
    ? { name: folder }
    : { name: folder, remark: `its name "${given.slice(0, 80)}" is no word, so it goes by its folder's` };
}

function textOf(value: unknown): string | undefined {
  const text = typeof value === 'string' ? value.trim() : typeof value === 'number' || typeof value === 'boolean' ? String(value) : '';
  return text === '' ? undefined : text;
}

/** `[file]` is a list to YAML and a hint to people. */
function hintOf(value: unknown): string | undefined {
  return Array.isArray(value) ? value.map((item) => `[${String(item)}]`).join(' ') : textOf(value);
}

function listOf(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap((item) => textOf(item) ?? []);
  // Commas and spaces separate, except inside the brackets of `Bash(git add:*)`.
  return textOf(value)?.match(/(?:[^\s,(]|\([^)]*\))+/g) ?? [];
}

function isTrue(value: unknown): boolean {
  return value === true || (typeof value === 'string' && /^(true|yes|on)$/i.test(value.trim()));
}

function firstParagraph(body: string): string | undefined {
  const lines = body.split('\n').map((line) => line.trim());
  const start = lines.findIndex((line) => line !== '' && !/^(#|---|```|<!--)/.test(line));
  if (start < 0) return undefined;
  const end = lines.findIndex((line, at) => at > start && line === '');
  return lines.slice(start, end < 0 ? undefined : end).join(' ');
}
