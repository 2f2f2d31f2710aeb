// The decision whether a tool call may run: pure, from the mode, the rules and the call alone. Every command inside a
// shell text must be allowed; what is plainly destructive is refused before mode and rules are asked.
import { isAbsolute, posix } from 'node:path';
import { destructiveReason } from './destructive.ts';
import { gitSubcommand } from './git-danger.ts';
import { placesOf } from './places.ts';
import { onlyReads, runsName } from './read-only.ts';
import { literal, matchesAny, namesExactly, parseRule, ruleText } from './rule.ts';
import { isSensitive } from './sensitive.ts';
import { type ShellPart, type ShellScript, splitShell, UNKNOWN } from './shell-parts.ts';
import { isTelling } from './telling.ts';
import { readsInside, whereItLeads } from './unasked.ts';

const MODES = ['plan', 'ask', 'auto-edit', 'yolo'] as const;
export type Mode = (typeof MODES)[number];

export interface DecisionInput {
  readonly mode: Mode;
  readonly allow: readonly string[];
  readonly deny: readonly string[];
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly inWorktree: boolean;
  /** As the tool declares it. */
  readonly readOnly: boolean;
  /** The agent's root, absolute. */
  readonly root: string;
  readonly home?: string | undefined;
  /** Where a path leads after all links: relative to the root, absolute when outside. Not given: nothing is a link. */
  readonly real?: (path: string) => string;
  /** Paths that a shell's pattern stands for in a folder, as it writes them; undefined: too many. Not given: none. */
  readonly matching?: (folder: string, pattern: string) => readonly string[] | undefined;
}

export type Decision =
  | { readonly verdict: 'allow' }
  | {
      readonly verdict: 'ask';
      /** The command, the path, or the arguments in one line. */
      readonly summary: string;
      /** The rules that would have allowed it, for a person to read. */
      readonly rule: string;
      readonly rules: readonly string[];
    }
  | { readonly verdict: 'refuse'; readonly reason: string };

const ALLOW: Decision = { verdict: 'allow' };

/** They change only what is xz's own, or ask for themselves what they need. */
const NEVER_ASK = new Set(
  'bash_output bash_stop memory_append skill create_todo update_todo list_todos list_tasks create_task update_task archive_tasks dispatch_task agent schedule_task create_schedule list_schedules cancel_schedule spawn_teammate assign_task collect_results review_teammate merge_teammate release_teammate broadcast_notice send_notice'.split(
    ' ',
  ),
);

/** What a planner needs besides reading; a sub-agent is itself in plan mode. */
const PLAN_ALLOWS = new Set('bash_output bash_stop skill create_todo update_todo list_todos agent collect_results send_notice'.split(' '));

const EDITS = new Set(['write_file', 'edit_file']);

/** Decides one call. */
export function decide(input: DecisionInput): Decision {
  if (input.tool === 'bash') return decideShell(input, textOf(input.args.command));
  const subjects = subjectsOf(input);
  if (matchesAny(input.deny, input.tool, subjects)) return denied(input, subjects[0] ?? '');
  if (input.readOnly) return ALLOW;
  if (input.mode === 'plan')
    return PLAN_ALLOWS.has(input.tool)
      ? ALLOW
      : refuse(`plan mode is read only, and ${input.tool} changes something; say what you would do`);
  if (NEVER_ASK.has(input.tool) || input.mode === 'yolo') return ALLOW;
  // Leave is given for the path as it really is; a refusal counts for either way of writing it.
  const path = subjects[0] ?? '';
  if (matchesAny(input.allow, input.tool, [path])) return ALLOW;
  if (EDITS.has(input.tool) && input.mode === 'auto-edit' && !isSensitive(path)) return ALLOW;
  return ask(path, [ruleText(input.tool, EDITS.has(input.tool) ? literal(path) : undefined)]);
}

function decideShell(input: DecisionInput, command: string): Decision {
  const script = splitShell(command);
  const danger = destructiveReason(script, { ...placesOf(input.root, input.home), inWorktree: input.inWorktree });
  if (danger !== undefined) return refuse(`refused in every mode: ${danger}`);
  const everyPart = flatten(script.parts);
  const subjects = [command.trim(), ...everyPart.flatMap((part) => [part.text, part.source, ...plainForms(part)])];
  if (matchesAny(input.deny, 'bash', subjects)) return denied(input, command);
  const writes = script.writes.map((path) => writtenAt(input, path));
  const deniedWrite = writes.find((path) => matchesAny(input.deny, 'write_file', [path]));
  if (deniedWrite !== undefined) return denied({ ...input, tool: 'write_file' }, deniedWrite);
  if (input.mode === 'plan' && !(script.parsed && writes.length === 0 && script.parts.every(onlyReads)))
    return refuse('plan mode is read only, and this command may change something; say what you would run');
  if (readsInside(command, script, readingPlace(input))) return ALLOW;
  if (input.mode === 'yolo' || namesExactly(input.allow, 'bash', command.trim())) return ALLOW;
  const lacking = [
    ...new Set([...script.parts.flatMap((part) => lackingRules(part, input.allow)), ...lackingWrites(writes, script, input)]),
  ];
  const worked = script.parts.some((part) => !isNeutral(part));
  if (script.parsed && worked && lacking.length === 0) return ALLOW;
  return ask(command.trim(), script.parsed && worked ? lacking : [ruleText('bash', literal(command.trim()))]);
}

/** Other ways to say the command, which a rule that forbids it means too: `/bin/rm x` is `rm x`, `git -C . push` is `git push`. */
function plainForms({ words: [first = '', ...args] }: ShellPart): string[] {
  const name = first.replace(/^.*\//, '');
  const git = gitSubcommand(args);
  const past = name === 'git' ? [[name, git.name, ...git.rest].join(' ')] : [];
  return [...(name === first ? [] : [[name, ...args].join(' ')]), ...past];
}

/** Rules that would have to be added for a part; empty when it is allowed. */
function lackingRules(part: ShellPart, allow: readonly string[]): string[] {
  if (isNeutral(part)) return [];
  if (part.unsure) {
    // What the variable holds then is not known: a rule must fit the text as it is written, and for what it carries, exactly.
    const fits = part.inner.length > 0 ? namesExactly(allow, 'bash', part.source) : matchesAny(allow, 'bash', [part.source]);
    return fits ? [] : [ruleText('bash', literal(part.source))];
  }
  const inside = part.inner.flatMap((inner) => lackingRules(inner, allow));
  if (part.needs === 'either' && part.inner.length > 0 && inside.length === 0) return [];
  const subject = part.assigns.some(isTelling) ? part.source : part.text;
  const own = matchesAny(allow, 'bash', [subject]) ? [] : [suggestion(part)];
  if (part.needs === 'both') return [...own, ...inside];
  if (part.needs === 'either' && part.inner.length > 0) return own.length === 0 ? [] : inside;
  return own;
}

function lackingWrites(writes: readonly string[], script: ShellScript, input: DecisionInput): string[] {
  // After a change of folder a path may mean any place; with an expansion in it too.
  const moves = flatten(script.parts).some((part) => /^(cd|pushd|popd|chdir)$/.test(part.words[0] ?? ''));
  const isFree = (path: string) =>
    input.mode === 'auto-edit' &&
    !moves &&
    !/[$`*?[{\u0000]/.test(path) &&
    !isSensitive(path) &&
    !isSensitive(whereItLeads(path, '.', (at) => reallyAt(input, at)));
  return writes
    .filter((path) => !isFree(path))
    .filter((path) => !matchesAny(input.allow, 'write_file', [path]))
    .map((path) => ruleText('write_file', literal(path)));
}

function readingPlace(input: DecisionInput) {
  return {
    real: (path: string) => reallyAt(input, path),
    matching: (folder: string, pattern: string) => (input.matching === undefined ? [] : input.matching(folder, pattern)),
    denied: (path: string) => matchesAny(input.deny, 'read_file', [path]),
    deniesSome: input.deny.some((rule) => parseRule(rule)?.tool === 'read_file'),
  };
}

/** A redirection's file as rules say it. What the shell replaces stays: `$X/../y` need not be `y`; nor need `link/../y`. */
function writtenAt(input: DecisionInput, path: string): string {
  if (/[$`*?[{~\u0000]/.test(path)) return path;
  return relativeTo(input.root, path.includes('/..') ? whereItLeads(path, '.', (at) => reallyAt(input, at)) : path);
}

const reallyAt = (input: DecisionInput, path: string): string => input.real?.(path) ?? relativeTo(input.root, path);

const NEUTRAL = new Set([
  'cd',
  'pwd',
  'true',
  'false',
  ':',
  'exit',
  'return',
  'set',
  'wait',
  'sleep',
  'test',
  '[',
  'echo',
  'printf',
  'break',
  'continue',
  'local',
  'shift',
]);

/** Commands that change nothing by themselves ride along with one that a rule allows. */
function isNeutral(part: ShellPart): boolean {
  const name = part.words[0];
  if (name === undefined) return !part.assigns.some(isTelling);
  return NEUTRAL.has(name) && part.inner.length === 0 && !part.assigns.some(isTelling) && !switchesKeywords(part.words);
}

/** `set -k` takes assignments from anywhere in a command. */
function switchesKeywords([name = '', ...args]: readonly string[]): boolean {
  if (name !== 'set') return runsName([name, ...args]);
  const end = args.indexOf('--');
  const options = end < 0 ? args : args.slice(0, end);
  return !options.every((arg) => /^[-+]([euxvfC]*o?)$|^(pipefail|errexit|nounset|xtrace|verbose|noglob|noclobber)$/.test(arg));
}

/** Programs whose second word names what they do. */
const WITH_SUBCOMMAND = new Set(
  'git npm pnpm yarn npx bun deno cargo go docker podman kubectl make pip pip3 uv poetry dotnet gradle mvn terraform brew apt apt-get systemctl gh node python python3 ruby'.split(
    ' ',
  ),
);
/** Programs for which a wide rule would be no rule. */
const EXACT = new Set('rm rmdir mv dd sudo su doas chmod chown kill pkill bash sh zsh eval curl wget ssh scp'.split(' '));

function suggestion(part: ShellPart): string {
  const [name = '', second] = part.words;
  const exact = EXACT.has(name) || /[*$]/.test(name) || part.assigns.some(isTelling) || part.words.some((word) => word.includes(UNKNOWN));
  if (exact) return ruleText('bash', literal(part.assigns.some(isTelling) ? part.source : part.text));
  if (WITH_SUBCOMMAND.has(name) && second !== undefined && /^[\w./:@-]+$/.test(second) && !second.startsWith('-'))
    return ruleText('bash', `${name} ${second}*`);
  return WITH_SUBCOMMAND.has(name) ? ruleText('bash', literal(part.text)) : ruleText('bash', `${name} *`);
}

function flatten(parts: readonly ShellPart[]): ShellPart[] {
  return parts.flatMap((part) => [part, ...flatten(part.inner)]);
}

function subjectsOf(input: DecisionInput): string[] {
  const { path, url, query, name } = input.args;
  if (typeof path === 'string') return [reallyAt(input, path), relativeTo(input.root, path), path];
  for (const value of [url, query, name]) if (typeof value === 'string') return [value];
  return [JSON.stringify(input.args)];
}

/** A path as the rules say it: relative to the root where it is below it. */
function relativeTo(root: string, path: string): string {
  const normal = posix.normalize(path);
  if (!isAbsolute(normal)) return normal;
  const inside = posix.relative(posix.normalize(root), normal);
  return inside === '' ? '.' : inside.startsWith('..') ? normal : inside;
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
const refuse = (reason: string): Decision => ({ verdict: 'refuse', reason });
const ask = (summary: string, rules: readonly string[]): Decision => ({ verdict: 'ask', summary, rule: rules.join(', '), rules });
const denied = (input: DecisionInput, what: string): Decision =>
  refuse(`a rule in [permissions] deny forbids ${input.tool} for ${what.slice(0, 200)}`);
