// The settings in force: flags over environment over the workspace's `.env` over config.toml over defaults, each value
// with its origin. Merging is pure; only config.toml is read from disk, and its parser only when it is there.
import type { Home } from '../layout.ts';
import type { WorkspaceEnv } from './dotenv.ts';
import { type ConfigFile, readConfigFile } from './file.ts';
import { type FlagName, isTable, type Key } from './key.ts';
import { allKeys, assemble, keyAt, keys, type Settings } from './keys.ts';
import { lineOfKey } from './locate.ts';
import { type ModelOverrides, readModels } from './models.ts';
import { badConfig, type Problem } from './problem.ts';
import { isProviderVariable } from './providers.ts';
import { unknownKeys } from './unknown.ts';

export type OriginKind = 'flag' | 'env' | 'dotenv' | 'file' | 'default';

export interface Origin {
  readonly kind: OriginKind;
  /** `--model`, `XZ_MODEL`, or the file's path; empty for a default. */
  readonly name: string;
  /** For a file: the 1-based line. */
  readonly line?: number;
}

/** What one layer itself says about which model to use, before layers are merged: a key belongs to the provider named beside it. */
export interface Named {
  readonly provider: string | undefined;
  readonly model: string | undefined;
  readonly baseUrl: string | undefined;
  readonly authType: 'oauth' | 'api_key' | undefined;
  readonly apiKey: string | undefined;
}

export interface Config extends Settings {
  readonly models: Readonly<Record<string, ModelOverrides>>;
  /** Per layer, for model resolution. */
  readonly named: Readonly<Record<'flag' | 'env' | 'dotenv' | 'file', Named>>;
  /** Environment variables that providers and Claude Code read (`OPENAI_API_KEY`, `ANTHROPIC_AUTH_TOKEN`, …), never empty. */
  readonly variables: Readonly<Record<string, string>>;
  /** The person's home folder as the environment names it, for `~/`. */
  readonly userHome: string | undefined;
  readonly path: string;
  /** The value in force of a setting, by its dotted path: for listings. */
  valueOf(path: string): unknown;
  /** Where the value of a setting comes from. */
  origin(path: string): Origin;
  /** Guarded names of the workspace's `.env` that were left out because nobody approved them. */
  readonly ignored: readonly string[];
}

export type ConfigFlags = Readonly<Partial<Record<FlagName, string | boolean | undefined>>>;
type Environment = Readonly<Record<string, string | undefined>>;

export interface ConfigInput {
  readonly home: Home;
  readonly env: Environment;
  readonly flags: ConfigFlags;
  /** The workspace's `.env`, already found to be trusted (dotenv.ts). */
  readonly workspaceEnv?: WorkspaceEnv | undefined;
}

/** The settings in force. Throws `bad_config` naming file, line and key of each value that does not fit. */
export async function loadConfig(input: ConfigInput): Promise<Config> {
  const { config, problems } = await inspectConfig(input);
  if (problems.length > 0) throw badConfig(problems);
  return config;
}

export interface InspectedConfig {
  readonly config: Config;
  readonly problems: readonly Problem[];
  /** What stands in the file and is no setting; it does no harm beyond having no effect. */
  readonly unknown: readonly Problem[];
}

/** The same for a listing or a check: each bad value counts as its default and is reported. */
export async function inspectConfig(input: ConfigInput): Promise<InspectedConfig> {
  const file = await readConfigFile(input.home.config);
  if (file === undefined) return { ...mergeConfig(input, file), unknown: [] };
  if ('tree' in file) return { ...mergeConfig(input, file), unknown: unknownKeys(file) };
  const merged = mergeConfig(input, undefined);
  return { config: merged.config, problems: [file, ...merged.problems], unknown: [] };
}

interface Layer {
  readonly kind: 'flag' | 'env' | 'dotenv' | 'file';
  /** What this layer says about a key, as yet unchecked. */
  find(key: Key<unknown, unknown>): { readonly raw: unknown; readonly name: string } | undefined;
}

/** Merges the layers; pure. */
export function mergeConfig(
  input: ConfigInput,
  file: ConfigFile | undefined,
): { readonly config: Config; readonly problems: readonly Problem[] } {
  const problems: Problem[] = [];
  const env = input.workspaceEnv;
  const layers: readonly Layer[] = [
    { kind: 'flag', find: (key) => fromFlags(input.flags, key) },
    { kind: 'env', find: (key) => fromEnvironment(input.env, key) },
    {
      kind: 'dotenv',
      find: (key) => (env === undefined || (key.guarded === true && !env.approved) ? undefined : fromEnvironment(env.values, key)),
    },
    { kind: 'file', find: (key) => fromFile(file, key) },
  ];
  const reportInFile = (path: readonly string[], what: string) => {
    if (file === undefined || problems.some((problem) => problem.key === path.join('.') && problem.where === file.path)) return;
    const line = lineOfKey(file.text, path);
    problems.push({ where: file.path, key: path.join('.'), what, ...(line === undefined ? {} : { line }) });
  };
  if (file !== undefined) for (const path of brokenTables(file)) reportInFile(path, 'must be a table');
  const readIn = <T, D>(layer: Layer, key: Key<T, D>): T | undefined => {
    const found = layer.find(key);
    if (found === undefined) return undefined;
    const value = layer.kind === 'file' || typeof found.raw !== 'string' ? key.kind.fromToml(found.raw) : key.kind.fromText(found.raw);
    if (value !== undefined) return value;
    const what = `must be ${key.kind.expects}`;
    if (layer.kind === 'file') reportInFile(key.path.split('.'), what);
    else if (!problems.some((problem) => problem.where === found.name)) problems.push({ where: found.name, key: key.path, what });
    return undefined;
  };
  const read = <T, D>(key: Key<T, D>): T | D => {
    for (const layer of layers) {
      const value = readIn(layer, key);
      if (value !== undefined) return value;
    }
    return key.fallback;
  };
  const settings = assemble(read);
  const named = (kind: Layer['kind']): Named => {
    const layer = layers.find((other) => other.kind === kind);
    const read = <T>(key: Key<T>): T | undefined => (layer === undefined ? undefined : readIn(layer, key));
    return {
      provider: read(keys.model.provider),
      model: read(keys.model.model),
      baseUrl: read(keys.model.baseUrl),
      authType: read(keys.auth.type),
      apiKey: read(keys.auth.apiKey),
    };
  };
  if (settings.memory.semanticWeight + settings.memory.keywordWeight === 0)
    reportInFile(['memory', 'semantic_weight'], 'and memory.keyword_weight must not both be 0');
  const config: Config = {
    ...settings,
    models: file === undefined ? {} : readModels(file.tree, reportInFile),
    named: { flag: named('flag'), env: named('env'), dotenv: named('dotenv'), file: named('file') },
    variables: providerVariables(input.env, env),
    userHome: input.env.HOME || undefined,
    path: input.home.config,
    ignored: env === undefined || env.approved ? [] : env.guarded,
    valueOf(path) {
      const key = keyAt(path);
      return key === undefined ? undefined : read(key);
    },
    origin: (path) => originOf(layers, file, path),
  };
  return { config, problems };
}

function originOf(layers: readonly Layer[], file: ConfigFile | undefined, path: string): Origin {
  const key = keyAt(path);
  for (const layer of key === undefined ? [] : layers) {
    const found = key && layer.find(key);
    if (found === undefined) continue;
    const line = layer.kind === 'file' && file !== undefined ? lineOfKey(file.text, path.split('.')) : undefined;
    return line === undefined ? { kind: layer.kind, name: found.name } : { kind: layer.kind, name: found.name, line };
  }
  return { kind: 'default', name: '' };
}

function fromFlags(flags: ConfigFlags, key: Key<unknown, unknown>) {
  const value = key.flag === undefined ? undefined : flags[key.flag];
  if (value === undefined || key.flag === undefined) return undefined;
  const name = `--${key.flag.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
  return { raw: key.flag === 'useOauth' ? 'oauth' : String(value), name };
}

function fromEnvironment(env: Environment, key: Key<unknown, unknown>) {
  const value = key.env === undefined ? undefined : env[key.env]?.trim();
  return value && key.env !== undefined ? { raw: value, name: key.env } : undefined;
}

function fromFile(file: ConfigFile | undefined, key: Key<unknown, unknown>) {
  if (file === undefined) return undefined;
  let at: unknown = file.tree;
  for (const part of key.path.split('.')) at = isTable(at) ? at[part] : undefined;
  return at === undefined ? undefined : { raw: at, name: file.path };
}

/** Sections that hold a plain value where a table belongs (`model = "k2"`). */
function brokenTables(file: ConfigFile): string[][] {
  const sections = new Set(allKeys.map((key) => key.path.split('.').slice(0, -1).join('.')));
  return [...sections]
    .map((section) => section.split('.'))
    .filter((path) => {
      let at: unknown = file.tree;
      for (const part of path.slice(0, -1)) at = isTable(at) ? at[part] : undefined;
      const last = isTable(at) ? at[path.at(-1) ?? ''] : undefined;
      return last !== undefined && !isTable(last);
    });
}

function providerVariables(env: Environment, workspace: WorkspaceEnv | undefined): Record<string, string> {
  const out: Record<string, string> = {};
  for (const source of [workspace?.approved ? workspace.values : {}, env])
    for (const [name, value] of Object.entries(source)) if (value?.trim() && isProviderVariable(name)) out[name] = value.trim();
  return out;
}
