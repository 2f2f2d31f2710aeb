// What is refused in every mode, however it was allowed: commands that plainly destroy a person's files, the machine, or
// xz's own stores, and in a worktree whatever reaches into other checkouts. Look-alikes must pass: `rm -rf node_modules`,
// a commit message that mentions `rm -rf /`.
import { gitDanger } from './git-danger.ts';
import { gitElsewhere, redirectsElsewhere, type Standing, writesElsewhere } from './main-checkout.ts';
import { isAtOrAbove, type Places, protectedPlace, STORES, sweepsProtected } from './places.ts';
import { fits } from './rule.ts';
import type { ShellPart, ShellScript } from './shell-parts.ts';

export interface DestructiveInput extends Places {
  readonly inWorktree: boolean;
}

/** Why the script is refused, or undefined. */
export function destructiveReason(script: ShellScript, input: DestructiveInput): string | undefined {
  if (script.forkBomb) return 'it is a fork bomb';
  for (const target of script.writes) if (isDisk(target)) return `it writes over the disk ${target}`;
  if (input.inWorktree)
    for (const target of script.writes) {
      const reason = redirectsElsewhere(target, input);
      if (reason !== undefined) return reason;
    }
  return reasonIn(script.parts, { ...input, cwd: input.root, env: '' });
}

/** The first reason in parts that are run one after the other; a change of folder holds until its subshell ends. */
function reasonIn(parts: readonly ShellPart[], at: At): string | undefined {
  const folders = new Map<string, string>();
  let { env } = at;
  for (const part of parts) {
    const cwd = folderOf(part, folders) ?? at.cwd;
    const reason = partReason(part, { ...at, cwd, env });
    if (reason !== undefined) return reason;
    const [name, ...args] = part.words;
    if (name === 'export' || name === undefined) env += ` ${part.source}`;
    if (name !== 'cd' && name !== 'pushd') continue;
    const [to, more] = operands(args);
    if (more === undefined) folders.set(part.subshells.join('/'), at.resolve(cwd, to ?? '~'));
  }
  return undefined;
}

/** The folder that was changed to last in the part's own subshell or, at its start, around it. */
function folderOf({ subshells }: ShellPart, folders: ReadonlyMap<string, string>): string | undefined {
  for (let depth = subshells.length; depth >= 0; depth--) {
    const folder = folders.get(subshells.slice(0, depth).join('/'));
    if (folder !== undefined) return folder;
  }
  return undefined;
}

interface At extends DestructiveInput, Standing {}

function partReason(part: ShellPart, at: At): string | undefined {
  const inside = reasonIn(part.inner, part.words[0] === 'env' ? { ...at, env: `${at.env} ${part.source}` } : at);
  if (inside !== undefined) return inside;
  const name = part.words[0]?.replace(/^.*\//, '') ?? '';
  const args = part.words.slice(1);
  const elsewhere = at.inWorktree ? writesElsewhere(part, at.cwd, at) : undefined;
  if (elsewhere !== undefined) return elsewhere;
  if (name === 'git') return gitDanger(args, at) ?? (at.inWorktree ? gitElsewhere(part, at, at) : undefined);
  if (name === 'rm' || name === 'rmdir' || name === 'unlink' || name === 'shred') return removal(args, at);
  if (name === 'find') return findRemoval(args, at);
  if (name === 'chmod' || name === 'chown' || name === 'chgrp') return recursiveChange(name, args, at);
  if (name === 'mv') return move(args, at);
  if (/^(mkfs(\..+)?|mke2fs|wipefs|blkdiscard|mkswap)$/.test(name)) return `${name} erases a file system`;
  if (name === 'dd' || name === 'tee' || name === 'cp') return diskWrite(name, args);
  if (/^(shutdown|reboot|poweroff|halt)$/.test(name)) return `${name} stops the machine`;
  if (name === 'kill' && args.at(-1) === '-1') return 'it kills every process of the person';
  if (name === 'crontab' && args.includes('-r')) return "it deletes the person's crontab";
  return undefined;
}

const flagsOf = (args: readonly string[]): string =>
  args
    .filter((arg) => /^-[A-Za-z]+$/.test(arg))
    .map((arg) => arg.slice(1))
    .join('');

function operands(args: readonly string[]): string[] {
  const end = args.indexOf('--');
  const before = end < 0 ? args : args.slice(0, end);
  return [...before.filter((arg) => !arg.startsWith('-')), ...(end < 0 ? [] : args.slice(end + 1))];
}

function removal(args: readonly string[], at: At): string | undefined {
  const recursive = /r/i.test(flagsOf(args)) || args.includes('--recursive');
  for (const target of operands(args).flatMap(braces)) {
    const place = recursive ? protectedPlace(target, at.cwd, at) : sweepsProtected(target, at.cwd, at);
    if (place !== undefined) return `it deletes ${place}`;
  }
  return undefined;
}

/** Tests of find that narrow what is found; without one of them everything below the start is meant. */
const NARROWING = /^-(i?name|i?path|i?regex|i?wholename|newer.*|[acm]time|[acm]min|size|empty|user|perm|maxdepth|samefile|inum)$/;

function findRemoval(args: readonly string[], at: At): string | undefined {
  const runs = args.findIndex((arg) => /^-(exec|execdir|ok|okdir)$/.test(arg));
  const removes = runs >= 0 && /^(.*\/)?(rm|shred|unlink)$/.test(args[runs + 1] ?? '');
  if (!removes && !args.includes('-delete')) return undefined;
  // What is found is then deleted with all that is in it, however near the start.
  const whole = removes && (/r/i.test(flagsOf(args.slice(runs + 2))) || args.slice(runs).includes('--recursive'));
  const narrows = (arg: string, index: number): boolean => {
    const value = args[index + 1] ?? 'x';
    if (!NARROWING.test(arg) || /^\**$/.test(value)) return false;
    return !whole || (arg !== '-maxdepth' && !(/^-i?name$/.test(arg) && STORES.some((store) => fits(value, store))));
  };
  if (args.some(narrows)) return undefined;
  const firstTest = args.findIndex((arg) => /^[-(!]/.test(arg));
  const starts = args.slice(0, firstTest < 0 ? undefined : firstTest);
  for (const start of starts.length > 0 ? starts : ['.']) {
    const place = protectedPlace(start, at.cwd, at);
    if (place !== undefined) return `it deletes everything in ${place}`;
  }
  return undefined;
}

function recursiveChange(name: string, args: readonly string[], at: At): string | undefined {
  if (!/R/.test(flagsOf(args)) && !args.includes('--recursive')) return undefined;
  for (const target of operands(args).slice(1)) {
    const place = protectedPlace(target, at.cwd, at);
    // Changing modes in the workspace is ordinary work; it is the machine's and the home's files that break.
    if (place !== undefined && !isAtOrAbove(at.root, at.resolve(at.cwd, target))) return `${name} -R changes ${place}`;
  }
  return undefined;
}

function move(args: readonly string[], at: At): string | undefined {
  for (const target of operands(args).slice(0, -1)) {
    const place = protectedPlace(target, at.cwd, at);
    if (place !== undefined && !target.endsWith('*')) return `it moves ${place} away`;
  }
  return undefined;
}

function diskWrite(name: string, args: readonly string[]): string | undefined {
  const targets = name === 'dd' ? args.filter((arg) => arg.startsWith('of=')).map((arg) => arg.slice(3)) : operands(args);
  const disk = (name === 'cp' ? targets.slice(-1) : targets).find(isDisk);
  return disk === undefined ? undefined : `it writes over the disk ${disk}`;
}

function isDisk(target: string): boolean {
  return /^\/dev\/(sd[a-z]|hd[a-z]|vd[a-z]|xvd[a-z]|nvme\d|mmcblk\d|disk\d|r?disk\d|mapper\/|md\d|loop\d)/.test(target);
}

/** `{a,b}` spelled out, so that `rm -rf /{bin,etc}` is seen. */
function braces(word: string): string[] {
  const found = /^(.*?)\{([^{}]*,[^{}]*)\}(.*)$/s.exec(word);
  if (found === null) return [word];
  const [, before = '', choices = '', after = ''] = found;
  return choices.split(',').flatMap((choice) => braces(before + choice + after));
}
