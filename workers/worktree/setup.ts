// `.worktrees/setup.toml`: what a new worktree gets from the main folder, what is run in it, the gate every merge must
// pass, and the prefix of branch names. Commands of it run only in a trusted workspace. A key it does not know is refused:
// a gate that was mistyped would otherwise be no gate, and nobody would see it.
import { isAbsolute, normalize } from 'node:path';
import { parse } from 'smol-toml';
import { Type } from 'typebox';
import { errorMessage, XzError } from '../../store/errors.ts';
import { readText } from '../../store/files.ts';
import type { Layout } from '../../store/layout.ts';
import { nearestOf } from '../../store/near.ts';
import { parserOf } from '../../store/schema.ts';

export interface WorktreeSetup {
  /** Files or folders copied from the main folder, relative to it. */
  readonly copy: readonly string[];
  /** Files or folders linked to the main folder's. */
  readonly link: readonly string[];
  /** Commands run once in a new worktree, in order. */
  readonly run: readonly string[];
  /** The command that must succeed on the merged tree; undefined: no gate. */
  readonly gate: string | undefined;
  /** Before `xz/<name>/<n>`. */
  readonly branchPrefix: string;
  /** Time limits in seconds. */
  readonly runTimeoutS: number;
  readonly gateTimeoutS: number;
}

export const NO_SETUP: WorktreeSetup = {
  copy: [],
  link: [],
  run: [],
  gate: undefined,
  branchPrefix: '',
  runTimeoutS: 600,
  gateTimeoutS: 600,
};

const Texts = Type.Union([Type.String(), Type.Array(Type.String())]);
const SetupSchema = Type.Object({
  copy: Type.Optional(Texts),
  link: Type.Optional(Texts),
  run: Type.Optional(Texts),
  gate: Type.Optional(Texts),
  branch_prefix: Type.Optional(Type.String()),
  run_timeout_s: Type.Optional(Type.Number({ exclusiveMinimum: 0 })),
  gate_timeout_s: Type.Optional(Type.Number({ exclusiveMinimum: 0 })),
});
const setupParser = parserOf(SetupSchema, 'setup.toml');
const KNOWN = Object.keys(SetupSchema.properties);

/** Reads the set-up file; an absent one is no set-up. Throws `bad_config` naming the file and what is wrong in it. */
export function readSetup(layout: Layout): WorktreeSetup {
  const text = readText(layout.worktreeSetup);
  return text === undefined ? NO_SETUP : parseSetup(text, layout.worktreeSetup);
}

/** The set-up that a text states; `where` names it in errors. */
export function parseSetup(text: string, where: string): WorktreeSetup {
  try {
    const tree = parse(text);
    for (const [key, value] of Object.entries(tree)) if (!KNOWN.includes(key)) throw unknownKey(key, value, where);
    const given = setupParser.parse(tree);
    const gate = listOf(given.gate).filter((line) => line.trim() !== '');
    return {
      copy: listOf(given.copy).map(insidePath),
      link: listOf(given.link).map(insidePath),
      run: listOf(given.run),
      gate: gate.length === 0 ? undefined : gate.join(' && '),
      branchPrefix: checkPrefix(given.branch_prefix ?? ''),
      runTimeoutS: given.run_timeout_s ?? NO_SETUP.runTimeoutS,
      gateTimeoutS: given.gate_timeout_s ?? NO_SETUP.gateTimeoutS,
    };
  } catch (error) {
    if (error instanceof XzError && error.data.kind === 'setup_key') throw error;
    throw new XzError('bad_config', `${where}: ${errorMessage(error).split('\n')[0]}`, {
      cause: error,
      hint: 'mend the file, or remove it',
    });
  }
}

/** What a key is told that the file does not have. A section may hold keys that belong above all sections. */
function unknownKey(key: string, value: unknown, where: string): XzError {
  const isSection = typeof value === 'object' && value !== null && !Array.isArray(value);
  const inside = isSection
    ? Object.keys(value)
        .filter((name) => KNOWN.includes(name))
        .join(', ')
    : '';
  const given = isSection ? `[${key}]` : key;
  const near = nearestOf(key, KNOWN);
  const known = KNOWN.join(', ');
  const advice =
    inside !== '' ? `write ${inside} at the top of the file, in no section; ` : near === undefined ? '' : `did you mean ${near}? `;
  return new XzError('bad_config', `${where}: ${given} is unknown, and the file is not used in part`, {
    hint: `${advice}known keys, in no section: ${known}`,
    data: { kind: 'setup_key', where, given, ...(inside === '' ? { near } : { inside }), known },
  });
}

function listOf(value: string | readonly string[] | undefined): readonly string[] {
  if (value === undefined) return [];
  return typeof value === 'string' ? [value] : value;
}

/** A path that stays below the folder it is relative to. */
function insidePath(path: string): string {
  const plain = normalize(path).replace(/\/+$/, '');
  if (plain === '' || plain === '.' || isAbsolute(plain) || plain === '..' || plain.startsWith('../') || plain.split('/').includes('.git'))
    throw new XzError('bad_config', `"${path}" is not a path below the main folder`);
  return plain;
}

function checkPrefix(prefix: string): string {
  if (prefix !== '' && !/^[A-Za-z0-9][A-Za-z0-9._/-]*$/.test(prefix))
    throw new XzError('bad_config', `branch_prefix "${prefix}" cannot start a branch name`);
  return prefix;
}
