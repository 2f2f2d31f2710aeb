// What a shell command would run: every simple command in it, wherever it hides (lists, pipes, substitutions, subshells,
// functions, here-documents, `bash -c`, `sudo`, `xargs`, `find -exec`). The parser is unbash, a typed parser for bash;
// shell-quote only makes words, and tree-sitter's needs a native part.
import { type Command, forEachChild, parse, type Redirection, type SyntaxNode, type Word } from 'unbash';
import { type Evaluation, noteEvaluation, runsValues } from './evaluation.ts';
import { patternOf } from './shell-word.ts';
import { isTelling } from './telling.ts';
import { unwrap } from './wrappers.ts';

export interface ShellPart {
  /** The words with quotes removed and known variables put in; expansions that are not known stay as written. */
  readonly words: readonly string[];
  /** The words joined by blanks: what rules are matched against. */
  readonly text: string;
  /** As written; for a command that is carried by another, with the variables that were set in front of it. */
  readonly source: string;
  /** Variables set for this command only, also by what carries it: `A=1 timeout 5 env B=2 x` sets both for `x`. */
  readonly assigns: readonly string[];
  /** True when a word was put in for a variable: another value may be in force when the command is run. */
  readonly unsure: boolean;
  /** Commands that this one would run in turn. */
  readonly inner: readonly ShellPart[];
  /** Whether a rule must fit the command itself, the commands inside, both, or either. */
  readonly needs: 'self' | 'either' | 'both';
  /** Files that its own redirections would write, as written. */
  readonly writes: readonly string[];
  /** The subshells it is in, outermost first: a change of folder there ends with it. */
  readonly subshells: readonly number[];
  /** Text that a shell would read on its standard input, when it is known. */
  readonly input: string | undefined;
}

export interface ShellScript {
  readonly parts: readonly ShellPart[];
  /** Files that redirections would write, as written. */
  readonly writes: readonly string[];
  /** Files that redirections would read, as written. */
  readonly reads: readonly string[];
  /** Words that the shell replaces by paths or several words, with their pattern; undefined: it cannot be told by what. */
  readonly patterns: ReadonlyMap<string, string | undefined>;
  /** Files that are written by a redirection and the command parts, in order, are all there is; false when parsing failed somewhere, or what is run depends on the value of a variable. */
  readonly parsed: boolean;
  /** A function that pipes itself into itself in the background. */
  readonly forkBomb: boolean;
}

const DEEPEST = 8;

/** Splits a command. Never throws: what cannot be parsed comes back with `parsed: false` and the parts that were found. */
export function splitShell(command: string): ShellScript {
  return split(command, 0, NO_FRONT);
}

/** What stands in front of everything in a text, because it stands in front of what runs the text. */
interface Front {
  /** As written, such as `PATH=.`. */
  readonly assigns: readonly string[];
  readonly unsure: boolean;
}

const NO_FRONT: Front = { assigns: [], unsure: false };

function split(command: string, depth: number, front: Front): ShellScript {
  const tree = parse(command);
  const found: Found = {
    front,
    parts: [],
    writes: [],
    reads: [],
    patterns: new Map(),
    parsed: depth < DEEPEST,
    forkBomb: false,
    values: new Map(),
    putIn: 0,
    depth,
    subshells: 0,
    within: [],
    // What was set in front of the text may be counted with in it.
    evaluation: { counts: false, opaque: front.assigns.length > 0, always: false },
  };
  visit(tree, command, found);
  if (runsValues(found.evaluation)) found.parsed = false;
  return found;
}

interface Found {
  readonly front: Front;
  readonly parts: ShellPart[];
  readonly writes: string[];
  readonly reads: string[];
  readonly patterns: Map<string, string | undefined>;
  parsed: boolean;
  forkBomb: boolean;
  /** Literal values given to variables so far. */
  readonly values: Map<string, string>;
  /** How often a value was put in since the words of a command were begun. */
  putIn: number;
  readonly depth: number;
  /** Subshells met so far, and those that are open. */
  subshells: number;
  within: readonly number[];
  readonly evaluation: Evaluation;
}

/** What is run in a shell of its own, as far as changes of folder go. */
const SUBSHELLS = new Set(['Subshell', 'CommandExpansion', 'ProcessSubstitution', 'Coproc']);

function visit(node: SyntaxNode, source: string, found: Found): void {
  noteEvaluation(node, found.evaluation);
  if (node.type === 'Script') {
    if ((node.errors?.length ?? 0) > 0) found.parsed = false;
    source = node.source ?? source;
  }
  if (node.type === 'Function' && isForkBomb(node, node.name.value)) found.forkBomb = true;
  if (node.type === 'For' || node.type === 'Select') {
    found.values.set(node.name.value, UNKNOWN);
    if (isTelling(node.name.value)) found.parsed = false;
  }
  // `${PATH:=.}` sets it.
  if (node.type === 'ParameterExpansion' && isTelling(node.parameter) && /^\$\{\w+:?=/.test(node.text)) found.parsed = false;
  if (node.type === 'Redirect') {
    found.writes.push(...writtenBy(node, found));
    found.reads.push(...readBy(node, found));
  }
  if (node.type === 'Pipeline') notePiped(node, source, found);
  if (node.type === 'Command') addCommand(node, source, found);
  const outside = found.within;
  forEachChild(node, (child) => {
    const apart = SUBSHELLS.has(node.type) || (node.type === 'Pipeline' && node.commands.length > 1);
    if (apart) found.within = [...outside, ++found.subshells];
    visit(child, source, found);
    found.within = outside;
  });
}

/** Stands for a value that is set but not known; it cannot occur in a command line. */
export const UNKNOWN = '\u0000';

function addCommand(node: Command, source: string, found: Found, input?: string): void {
  const own: string[] = [];
  for (const item of node.prefix) {
    if (item.type !== 'Assignment') continue;
    own.push(item.text);
    if (node.name === undefined) found.values.set(item.name, item.value.type === 'Word' ? wordValue(item.value, found) : UNKNOWN);
  }
  found.putIn = 0;
  const words = (node.name === undefined ? [] : [node.name, ...node.args]).map((word) =>
    word.type === 'Word' ? wordValue(word, found) : word.text,
  );
  const front: Front = { assigns: [...found.front.assigns, ...own], unsure: found.front.unsure || found.putIn > 0 };
  const writes = node.redirects.flatMap((redirect) => (redirect.type === 'Redirect' ? writtenBy(redirect, found) : []));
  const text = source.slice(node.pos, node.end);
  found.parts.push({
    ...carried(words, front, found, input ?? hereText(node.redirects)),
    source: [...found.front.assigns, text].join(' '),
    input,
    writes,
  });
}

/** A part from plain words, such as what `sudo` or `xargs` would run. */
function partOf(words: readonly string[], found: Found, front: Front): ShellPart {
  return { ...carried(words, front, found), source: [...front.assigns, ...words].join(' '), input: undefined, writes: [] };
}

/** What words are and would run in turn. What is set in front of them is set for all of that. */
function carried(words: readonly string[], front: Front, found: Found, input?: string): Omit<ShellPart, 'source' | 'input' | 'writes'> {
  const wrapped = unwrap(words);
  const inside: Front = { ...front, assigns: [...front.assigns, ...(wrapped.assigns ?? [])] };
  const inner: ShellPart[] = [];
  for (const script of [...wrapped.scripts, ...shellInput(words, input)]) {
    const nested = split(script, found.depth + 1, inside);
    inner.push(...nested.parts);
    found.writes.push(...nested.writes);
    found.reads.push(...nested.reads);
    found.parsed &&= nested.parsed;
    found.forkBomb ||= nested.forkBomb;
  }
  for (const argv of wrapped.commands) inner.push(partOf(argv, found, inside));
  const assigns = [...front.assigns.map(nameSet), ...setByCommand(words)];
  return { words, text: words.join(' '), assigns, unsure: front.unsure, inner, needs: wrapped.needs, subshells: found.within };
}

/** `NAME` of `NAME=value`, `NAME+=value` and `NAME[0]=value`. */
const nameSet = (text: string): string => text.replace(/(\[[^=]*\])?\+?=[\s\S]*$/, '');

/** Variables that a builtin sets in the shell itself. */
function setByCommand([name = '', ...args]: readonly string[]): string[] {
  if (name === 'local') return args.map(nameSet);
  if (name !== 'printf' || !(args[0] ?? '').startsWith('-v')) return [];
  return [args[0] === '-v' ? (args[1] ?? '') : (args[0] ?? '').slice(2)];
}

/** A word without its quotes; variables with a known literal value are put in. */
function wordValue(word: Word, found: Found): string {
  const value = plainValue(word, found);
  const replaced = patternOf(word);
  if (replaced !== 'none') {
    // The same text twice, quoted in different ways: either may be meant.
    const known = !found.patterns.has(value) || found.patterns.get(value) === replaced.pattern;
    found.patterns.set(value, known ? replaced.pattern : undefined);
  }
  return value;
}

function plainValue(word: Word, found: Found): string {
  if (word.parts === undefined) return word.value;
  let out = '';
  const add = (part: SyntaxNode): void => {
    if (part.type === 'DoubleQuoted' || part.type === 'LocaleString') for (const child of part.parts) add(child);
    else if (part.type === 'SimpleExpansion') out += expand(part.text.slice(1), part.text, found);
    else if (part.type === 'ParameterExpansion' && part.operation === undefined && part.prefix === undefined && part.index === undefined)
      out += expand(part.parameter, `$${part.parameter}`, found);
    else if ('value' in part && typeof part.value === 'string') out += part.value;
    else if ('text' in part && typeof part.text === 'string') out += part.text;
  };
  for (const part of word.parts) add(part);
  return out;
}

function expand(name: string, asWritten: string, found: Found): string {
  const value = found.values.get(name);
  if (value !== undefined) found.putIn++;
  return value === undefined ? asWritten : value;
}

function hereText(redirects: readonly Redirection[]): string | undefined {
  for (const redirect of redirects) {
    if (redirect.type === 'HereDoc') return redirect.body.text;
    if (redirect.type === 'HereString') return redirect.target?.value;
  }
  return undefined;
}

const SHELLS = new Set(['bash', 'sh', 'zsh', 'dash', 'ksh', 'ash']);

/** A shell without a script file reads commands from its input. */
function shellInput(words: readonly string[], input: string | undefined): string[] {
  const name = words[0]?.replace(/^.*\//, '') ?? '';
  if (input === undefined || !SHELLS.has(name) || words.slice(1).some((word) => !word.startsWith('-') || word === '-c')) return [];
  return [input];
}

/** `echo 'text' | bash`: what echo, printf or a here-document would say becomes known input of the shell, or the last arguments of xargs. */
function notePiped(node: Extract<SyntaxNode, { type: 'Pipeline' }>, source: string, found: Found): void {
  node.commands.forEach((command, at) => {
    const before = node.commands[at - 1];
    if (command.type !== 'Command' || before?.type !== 'Command' || !/^(echo|printf|cat)$/.test(before.name?.value ?? '')) return;
    const here = hereText(before.redirects);
    if (before.name?.value === 'cat' && (here === undefined || before.args.length > 0)) return;
    const words = [command.name?.value ?? '', ...command.args.map((word) => (word.type === 'Word' ? word.value : word.text))];
    const args = before.args.map((word) => (word.type === 'Word' ? wordValue(word, found) : word.text)).join(' ');
    const said = before.name?.value === 'cat' ? (here ?? '') : args;
    if (words[0] === 'xargs') found.parts.push(partOf([...words, ...said.split(/\s+/)], found, found.front));
    if (shellInput(words, said).length > 0) addCommand(command, source, found, said.replace(/^-[neE]+ /, ''));
  });
}

/** Redirections to these write no file. */
const NO_FILE = /^(\/dev\/(null|stdout|stderr|tty|fd\/\d+)|-|\d+-?)$/;

function writtenBy(node: Extract<SyntaxNode, { type: 'Redirect' }>, found: Found): string[] {
  if (node.operator === '<' || node.operator === '<&' || node.target === undefined) return [];
  const target = wordValue(node.target, found);
  return NO_FILE.test(target) ? [] : [target];
}

/** What is read by redirection. With a variable in it that is put in, another file may be meant in the end. */
function readBy(node: Extract<SyntaxNode, { type: 'Redirect' }>, found: Found): string[] {
  if ((node.operator !== '<' && node.operator !== '<&' && node.operator !== '<>') || node.target === undefined) return [];
  found.putIn = 0;
  const target = wordValue(node.target, found);
  if (found.putIn > 0) return [UNKNOWN];
  return NO_FILE.test(target) ? [] : [target];
}

/** `:(){ :|:& };:` under any name. */
function isForkBomb(node: SyntaxNode, name: string): boolean {
  let bomb = false;
  const look = (child: SyntaxNode): void => {
    if (child.type === 'Pipeline' && child.commands.filter((item) => item.type === 'Command' && item.name?.value === name).length > 1)
      bomb = true;
    forEachChild(child, look);
  };
  forEachChild(node, look);
  return bomb;
}
