// The skills of a workspace: found, read, and read again when their files change. The last good version of a skill stays
// in force when an edit breaks it; each problem is told once.
import { basename, join } from 'node:path';
import { errorMessage, XzError } from '../../../store/errors.ts';
import { readBytes } from '../../../store/files.ts';
import type { Layout } from '../../../store/layout.ts';
import type { Finding } from '../../../store/quarantine.ts';
import { parseSkill } from './parse.ts';
import { skillRequest } from './request.ts';
import { type FoundSkill, scanSource } from './scan.ts';
import { skillsSection } from './section.ts';
import type { Skill, SkillEntry, SkillSource } from './skill.ts';

export interface SkillsInput {
  readonly layout: Layout;
  /** The person's home folder, for `~/.claude/skills`. */
  readonly home: string | undefined;
  /** Folder of the skills that come with xz. */
  readonly builtIn: string | undefined;
  /** Called once for each new problem. Must not throw. */
  readonly notice?: (finding: Finding) => void;
}

export interface Skills {
  /** Everything found, in order of precedence: in force, shadowed, broken. */
  entries(): readonly SkillEntry[];
  /** The skills in force. */
  list(): readonly Skill[];
  /** The skill of that name, whatever its case. */
  get(name: string): Skill | undefined;
  /** What is sent as the person's request for `/name args`. Throws `not_found`. */
  prompt(name: string, args: string): string;
  /** The part of the system prompt. */
  section(): string | undefined;
  /** Folders that belong to skills: readable although they are outside an agent's root. Real paths are the caller's to take. */
  folders(): readonly string[];
  /** Gives `notice` the problems that it was not given yet. Opening tells nothing: nobody listens by then. */
  tell(): void;
  /** Looks at the disk again, reads only what changed, and tells new problems. */
  refresh(): Promise<void>;
  check(): Finding[];
}

/** The sources in order, with their folders. */
export function skillFolders({ layout, home, builtIn }: SkillsInput): ReadonlyArray<readonly [SkillSource, string]> {
  const folders: Array<readonly [SkillSource, string]> = [
    ['.agents/skills', layout.skills],
    ['.claude/skills', join(layout.root, '.claude', 'skills')],
    ['~/.xz/skills', layout.home.skills],
  ];
  if (home !== undefined) folders.push(['~/.claude/skills', join(home, '.claude', 'skills')]);
  if (builtIn !== undefined) folders.push(['built-in', builtIn]);
  return folders;
}

interface Known {
  readonly version: string;
  /** The last version that could be read. */
  readonly good: Skill | undefined;
  readonly problem: string | undefined;
}

/** Opens the skills and reads them all. */
export async function openSkills(input: SkillsInput): Promise<Skills> {
  const known = new Map<string, Known>();
  const told = new Set<string>();
  let state: Collected = { entries: [], skills: [] };

  const tell = (): void => {
    const now = new Set<string>();
    for (const finding of findings(state.entries)) {
      const key = `${finding.where}\n${finding.what}`;
      now.add(key);
      if (!told.has(key)) input.notice?.(finding);
    }
    told.clear();
    for (const key of now) told.add(key);
  };
  const refreshNow = async (): Promise<void> => {
    state = await collect(input, known);
    tell();
  };
  let running: Promise<void> | undefined;
  const refresh = (): Promise<void> => {
    running ??= refreshNow().finally(() => {
      running = undefined;
    });
    return running;
  };
  state = await collect(input, known);
  const get = (name: string) => {
    const wanted = keyOf(name);
    return state.skills.find((skill) => keyOf(skill.name) === wanted);
  };
  return {
    entries: () => state.entries,
    list: () => state.skills,
    get,
    prompt(name, args) {
      const skill = get(name);
      if (skill === undefined)
        throw new XzError('not_found', `there is no skill "${name}"`, {
          hint: 'see `xz skill list`',
          data: { kind: 'skill', given: name },
        });
      return skillRequest(skill, args);
    },
    section: () => skillsSection(state.skills),
    folders: () => state.skills.map((skill) => skill.folder),
    refresh,
    tell,
    check: () => findings(state.entries),
  };
}

interface Collected {
  readonly entries: readonly SkillEntry[];
  readonly skills: readonly Skill[];
}

const keyOf = (name: string): string => name.trim().normalize('NFC').toLowerCase();

async function collect(input: SkillsInput, known: Map<string, Known>): Promise<Collected> {
  const entries: SkillEntry[] = [];
  const skills: Skill[] = [];
  const winners = new Map<string, Skill>();
  const files = new Set<string>();
  for (const [source, folder] of skillFolders(input)) {
    const { skills: found, misfits } = scanSource(folder);
    for (const item of found) {
      // Reached by a second link: it is the same skill, not another of its name.
      if (files.has(item.real)) continue;
      files.add(item.real);
      const { good, problem } = await readSkill(item, source, known);
      const name = good?.name ?? item.name;
      const described = { name, description: good?.description ?? '', source, path: item.file };
      const winner = good === undefined ? undefined : winners.get(keyOf(name));
      if (good !== undefined && winner === undefined) {
        winners.set(keyOf(name), good);
        skills.push(good);
      }
      if (problem !== undefined)
        entries.push({
          ...described,
          status: 'broken',
          reason: good === undefined ? problem : `${problem}; its last good version stays in use`,
        });
      else if (winner !== undefined)
        entries.push({ ...described, status: 'shadowed', reason: `${winner.source} has a skill of that name: ${winner.file}` });
      else entries.push({ ...described, status: 'ok', ...(good?.remark !== undefined && { reason: good.remark }) });
    }
    for (const { name, path, reason } of misfits) entries.push({ name, description: '', source, status: 'broken', reason, path });
  }
  for (const file of known.keys()) if (!files.has(file)) known.delete(file);
  return { entries, skills };
}

async function readSkill(found: FoundSkill, source: SkillSource, known: Map<string, Known>): Promise<Known> {
  const before = known.get(found.real);
  if (before?.version === found.version) return before;
  let now: Known;
  try {
    const text = utf8(readBytes(found.file) ?? Buffer.alloc(0));
    const parsed = await parseSkill(text, basename(found.folder));
    now = { version: found.version, good: { ...parsed, source, folder: found.folder, file: found.file }, problem: undefined };
  } catch (error) {
    now = { version: found.version, good: before?.good, problem: errorMessage(error) };
  }
  known.set(found.real, now);
  return now;
}

function utf8(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    throw new XzError('bad_file', 'it is not UTF-8 text', { cause: error });
  }
}

function findings(entries: readonly SkillEntry[]): Finding[] {
  return entries
    .filter(({ status }) => status === 'broken')
    .map(({ path, reason }) => ({
      level: 'warning',
      where: path,
      what: `skill: ${reason ?? 'it cannot be used'}`,
      fix: 'mend it, then run `xz skill check`',
    }));
}
