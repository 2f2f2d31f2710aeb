// The front matter of a SKILL.md. It is YAML, but many of those files were never read by a YAML parser: a plain value
// with a colon in it is taken for the text that was meant.
import { errorMessage, XzError } from '../../../store/errors.ts';

export type Fields = Readonly<Record<string, unknown>>;

export interface FrontMatter {
  readonly fields: Fields;
  /** What stands below it. */
  readonly body: string;
}

/** Splits a text; one without front matter is all body. Throws `bad_file` for front matter that cannot be read. */
export async function splitFrontMatter(text: string): Promise<FrontMatter> {
  const lines = text
    .replace(/^\ufeff/, '')
    .replace(/\r\n?/g, '\n')
    .split('\n');
  if (lines[0]?.trimEnd() !== '---') return { fields: {}, body: lines.join('\n') };
  const end = lines.findIndex((line, at) => at > 0 && /^(---|\.\.\.)\s*$/.test(line));
  if (end < 0) throw new XzError('bad_file', 'its front matter has no closing ---');
  return { fields: await parseFields(lines.slice(1, end)), body: lines.slice(end + 1).join('\n') };
}

/** `key: some words` and nothing that means more to YAML: read without loading the parser. */
const PLAIN = /^([A-Za-z][\w-]*):(?:[ \t]+([A-Za-z(<][^:#]*))?$/;

async function parseFields(lines: readonly string[]): Promise<Fields> {
  const plain = lines.filter((line) => line.trim() !== '').map((line) => PLAIN.exec(line));
  if (plain.every((found) => found?.[2] !== undefined)) {
    const pairs = plain.map((found): [string, unknown] => [found?.[1] ?? '', scalar(found?.[2]?.trim() ?? '')]);
    if (new Set(pairs.map(([key]) => key)).size === pairs.length) return Object.fromEntries(pairs);
  }
  const { default: yaml } = await import('yaml');
  const first = read(yaml.parseDocument, lines.join('\n'));
  if (first.fields !== undefined) return first.fields;
  const second = read(yaml.parseDocument, quoted(lines).join('\n'));
  if (second.fields !== undefined) return second.fields;
  throw new XzError('bad_file', `its front matter is not YAML (${first.why})`);
}

function scalar(text: string): unknown {
  return /^(true|false)$/i.test(text) ? text.toLowerCase() === 'true' : text === 'null' ? undefined : text;
}

interface Parsed {
  readonly errors: ReadonlyArray<{ readonly message: string }>;
  toJS(options: { readonly maxAliasCount: number }): unknown;
}

function read(parse: (text: string) => Parsed, text: string): { readonly fields?: Fields; readonly why: string } {
  try {
    const document = parse(text);
    const [error] = document.errors;
    if (error !== undefined) return { why: error.message.split('\n')[0] ?? '' };
    const value = document.toJS({ maxAliasCount: 100 });
    if (value === null || value === undefined) return { fields: {}, why: '' };
    return isFields(value) ? { fields: value, why: '' } : { why: 'it is not a list of keys and values' };
  } catch (error) {
    return { why: errorMessage(error) };
  }
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The lines with every top-level plain value put into quotes, the indented lines that go on with it included. */
function quoted(lines: readonly string[]): string[] {
  const out: string[] = [];
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] ?? '';
    const found = /^([A-Za-z][\w-]*):[ \t]+(.+)$/.exec(line);
    const value = found?.[2]?.trim();
    if (found?.[1] === undefined || value === undefined || /^([|>]|(["']).*\2$)/.test(value)) {
      out.push(line);
      continue;
    }
    const parts = [value];
    while (/^[ \t]+\S/.test(lines[at + 1] ?? '')) parts.push((lines[++at] ?? '').trim());
    out.push(`${found[1]}: ${JSON.stringify(parts.join(' '))}`);
  }
  return out;
}
