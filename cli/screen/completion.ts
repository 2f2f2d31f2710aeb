// What the popup above the input offers: slash commands, their first words, and files after an `@`. Pure.
import type { Editor } from './editor.ts';
import type { SlashHint } from './state.ts';

export interface Completion {
  readonly kind: 'command' | 'argument' | 'file';
  readonly items: ReadonlyArray<{ readonly value: string; readonly detail: string }>;
  readonly selected: number;
  /** The part of the text that a choice replaces. */
  readonly from: number;
  readonly to: number;
  /** What the person closed with Escape; it stays closed until the text differs. */
  readonly closedFor?: string;
}

const MOST_ITEMS = 50;
const COMMAND = /^\/[\w-]*$/;
const ARGUMENT = /^\/([\w-]+) +(\S*)$/;
const FILE = /(?:^|\s)@([^\s@]*)$/;

/** The command name of a line that is a slash command, without the slash. A path such as `/usr/bin` is none. */
export function slashName(text: string): string | undefined {
  return /^\/([A-Za-z][\w-]*)(?:\s|$)/.exec(text)?.[1]?.toLowerCase();
}

/** True when the first word is a command or an alias in full. */
export function isExactCommand(text: string, commands: readonly SlashHint[]): boolean {
  const name = slashName(text);
  return name !== undefined && commands.some((command) => command.name === name || command.aliases.includes(name));
}

/** What can be offered for the text before the caret, keeping the earlier selection where it still exists. */
export function completionFor(
  editor: Editor,
  sources: { readonly slash: readonly SlashHint[]; readonly files: readonly string[] },
  before: Completion | undefined,
): Completion | undefined {
  const text = editor.text.slice(0, editor.caret);
  if (before?.closedFor === text) return before;
  const made = commandItems(text, editor, sources.slash) ?? argumentItems(text, sources.slash) ?? fileItems(text, sources.files);
  if (made === undefined || made.items.length === 0) return undefined;
  const chosen = before?.items[before.selected]?.value;
  const kept = made.items.findIndex((item) => item.value === chosen);
  return { ...made, selected: kept > 0 && before?.kind === made.kind ? kept : 0 };
}

function commandItems(text: string, editor: Editor, slash: readonly SlashHint[]): Completion | undefined {
  if (!COMMAND.test(text) || editor.pasted) return undefined;
  const wanted = text.slice(1).toLowerCase();
  const items = slash
    .filter((command) => command.name.startsWith(wanted) || command.aliases.some((alias) => wanted !== '' && alias.startsWith(wanted)))
    .map((command) => ({ value: `/${command.name}`, detail: command.help }));
  return { kind: 'command', items: items.slice(0, MOST_ITEMS), selected: 0, from: 0, to: text.length };
}

function argumentItems(text: string, slash: readonly SlashHint[]): Completion | undefined {
  const match = ARGUMENT.exec(text);
  if (match === null) return undefined;
  const [, name = '', word = ''] = match;
  const command = slash.find((one) => one.name === name.toLowerCase() || one.aliases.includes(name.toLowerCase()));
  const items = (command?.choices ?? [])
    .filter((choice) => choice.startsWith(word) && choice !== word)
    .map((value) => ({ value, detail: '' }));
  return { kind: 'argument', items, selected: 0, from: text.length - word.length, to: text.length };
}

function fileItems(text: string, files: readonly string[]): Completion | undefined {
  const word = FILE.exec(text)?.[1];
  if (word === undefined) return undefined;
  const ranked: Array<{ readonly value: string; readonly rank: number }> = [];
  const wanted = word.toLowerCase();
  for (const value of files) {
    const rank = matchRank(value.toLowerCase(), wanted);
    if (rank !== undefined) ranked.push({ value, rank });
  }
  ranked.sort((a, b) => a.rank - b.rank || a.value.length - b.value.length || (a.value < b.value ? -1 : 1));
  const items = ranked.slice(0, MOST_ITEMS).map(({ value }) => ({ value, detail: '' }));
  return { kind: 'file', items, selected: 0, from: text.length - word.length, to: text.length };
}

/** Lower is better: the name begins with it, the path holds it, its letters come in order. */
function matchRank(path: string, wanted: string): number | undefined {
  const name = path.slice(path.lastIndexOf('/') + 1);
  if (name.startsWith(wanted)) return 0;
  if (path.startsWith(wanted)) return 1;
  if (path.includes(wanted)) return 2;
  let at = 0;
  for (const letter of wanted) {
    at = path.indexOf(letter, at) + 1;
    if (at === 0) return undefined;
  }
  return 3;
}

/** True when the text before the caret asks for files. */
export function wantsFiles(editor: Editor): boolean {
  return FILE.test(editor.text.slice(0, editor.caret));
}
