// Changes one value in a TOML text by cutting out and putting in as few characters as possible. The parser gives the
// places; whether the result means what it should is proved by the caller with another parser.
import type { AST } from 'toml-eslint-parser';
import { keyText } from './key.ts';
import type { TomlValue } from './save.ts';

interface Entry {
  /** Every part of the key, from the top. */
  readonly path: readonly string[];
  readonly node: AST.TOMLKeyValue;
  readonly inline: boolean;
}

interface Table {
  readonly path: readonly string[];
  readonly node: AST.TOMLTable;
}

interface Layout {
  readonly entries: readonly Entry[];
  readonly tables: readonly Table[];
}

type ParseToml = (text: string) => AST.TOMLProgram;

/** The text with `path` set to the value (undefined removes it). The text must parse. */
export function editToml(text: string, path: readonly string[], value: TomlValue | undefined, parse: ParseToml): string {
  const layout = layoutOf(parse(text));
  const present = layout.entries.find((entry) => sameParts(entry.path, path));
  if (value === undefined) return present === undefined ? text : removed(text, present);
  if (present !== undefined) {
    const [from, to] = present.node.value.range;
    return text.slice(0, from) + tomlText(value) + text.slice(to);
  }
  return added(text, layout, path, tomlText(value));
}

/** A value as TOML writes it. */
function tomlText(value: TomlValue): string {
  // JSON's escapes are TOML's, except that TOML wants DEL escaped too.
  if (typeof value === 'string') return JSON.stringify(value).replaceAll('\u007f', '\\u007F');
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (isList(value)) return `[${value.map(tomlText).join(', ')}]`;
  return `{ ${Object.entries(value)
    .map(([name, inner]) => `${keyText([name])} = ${tomlText(inner)}`)
    .join(', ')} }`;
}

function isList(value: TomlValue): value is readonly string[] {
  return Array.isArray(value);
}

function layoutOf(program: AST.TOMLProgram): Layout {
  const entries: Entry[] = [];
  const tables: Table[] = [];
  const take = (node: AST.TOMLKeyValue, prefix: readonly string[], inline: boolean): void => {
    const path = [...prefix, ...partsOf(node.key)];
    entries.push({ path, node, inline });
    if (node.value.type === 'TOMLInlineTable') for (const inner of node.value.body) take(inner, path, true);
  };
  for (const node of program.body[0].body) {
    if (node.type === 'TOMLKeyValue') take(node, [], false);
    else if (node.kind === 'standard' && node.resolvedKey.every((part) => typeof part === 'string')) {
      const path = partsOf(node.key);
      tables.push({ path, node });
      for (const inner of node.body) take(inner, path, false);
    }
  }
  return { entries, tables };
}

function partsOf(key: AST.TOMLKey): string[] {
  return key.keys.map((part) => (part.type === 'TOMLBare' ? part.name : part.value));
}

/** Puts a new key where its table is: inline, under its header, beside its dotted sisters, or in a new table at the end. */
function added(text: string, { entries, tables }: Layout, path: readonly string[], value: string): string {
  const home = path.slice(0, -1);
  const holder = entries.findLast((entry) => entry.path.length < path.length && startsWith(path, entry.path));
  if (holder !== undefined && holder.node.value.type === 'TOMLInlineTable') {
    const inner = `${keyText(path.slice(holder.path.length))} = ${value}`;
    const last = holder.node.value.body.at(-1);
    if (last !== undefined) return insert(text, last.range[1], `, ${inner}`);
    return insert(text, holder.node.value.range[0] + 1, ` ${inner} `);
  }
  const table = tables.find((other) => sameParts(other.path, home));
  if (table !== undefined) {
    const last = table.node.body.at(-1);
    return afterLine(text, last === undefined ? table.node.key.range[1] : last.range[1], `${keyText(path.slice(-1))} = ${value}`);
  }
  const sister = entries.findLast((entry) => !entry.inline && startsWith(entry.path, home) && partsOf(entry.node.key).length > 1);
  if (sister !== undefined) {
    const prefix = sister.path.length - partsOf(sister.node.key).length;
    if (prefix <= home.length) return afterLine(text, sister.node.range[1], `${keyText(path.slice(prefix))} = ${value}`);
  }
  const end = lineEnd(text);
  const gap = text.trim() === '' ? '' : text.endsWith('\n') ? end : end + end;
  return `${text}${gap}[${keyText(home)}]${end}${keyText(path.slice(-1))} = ${value}${end}`;
}

function removed(text: string, { node, inline }: Entry): string {
  let [from, to] = node.range;
  if (inline) {
    const after = /^\s*,[ \t]*/.exec(text.slice(to));
    const before = /,\s*$/.exec(text.slice(0, from));
    if (after !== null) to += after[0].length;
    else if (before !== null) from -= before[0].length;
    return text.slice(0, from) + text.slice(to);
  }
  const start = text.lastIndexOf('\n', from - 1) + 1;
  const end = text.indexOf('\n', to);
  return text.slice(0, start) + (end < 0 ? '' : text.slice(end + 1));
}

function afterLine(text: string, at: number, line: string): string {
  const next = text.indexOf('\n', at);
  return next < 0 ? `${text}${lineEnd(text)}${line}${lineEnd(text)}` : insert(text, next + 1, line + lineEnd(text));
}

function insert(text: string, at: number, what: string): string {
  return text.slice(0, at) + what + text.slice(at);
}

function lineEnd(text: string): string {
  return text.includes('\r\n') ? '\r\n' : '\n';
}

function startsWith(path: readonly string[], prefix: readonly string[]): boolean {
  return prefix.length <= path.length && prefix.every((part, index) => path[index] === part);
}

function sameParts(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && startsWith(a, b);
}
