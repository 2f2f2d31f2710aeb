// The per-model part of config.toml: `[models."<id>"]`. What is not given here comes from the provider's facts or from
// the model library.
import { between, flag, isTable, type Kind, oneOf, whole } from './key.ts';

/** USD per million tokens; `subscription` means that a plan pays and no price is shown. */
export type Price =
  | 'subscription'
  | { readonly input: number; readonly output: number; readonly cacheRead: number; readonly cacheWrite: number };

export interface ModelOverrides {
  /** Tokens. */
  readonly contextWindow?: number;
  /** Tokens. */
  readonly maxOutput?: number;
  readonly reasoning?: boolean;
  readonly images?: boolean;
  /** Sent only if set. */
  readonly temperature?: number;
  readonly price?: Price;
  /** Switches of the wire protocol, by the model library's names. */
  readonly compat?: Readonly<Record<string, string | number | boolean>>;
}

/** Reads the `models` table of a parsed config.toml; what does not fit is reported and left out. */
export function readModels(
  tree: Readonly<Record<string, unknown>>,
  report: (path: readonly string[], what: string) => void,
): Readonly<Record<string, ModelOverrides>> {
  const table = tree.models;
  if (table === undefined) return {};
  if (!isTable(table)) {
    report(['models'], 'must be a table of tables, such as [models."kimi-for-coding"]');
    return {};
  }
  const out: Record<string, ModelOverrides> = {};
  for (const [id, fields] of Object.entries(table)) {
    if (isTable(fields)) out[id] = readModel(fields, (name, what) => report(['models', id, name], what));
    else report(['models', id], 'must be a table');
  }
  return out;
}

function readModel(fields: Readonly<Record<string, unknown>>, report: (name: string, what: string) => void): ModelOverrides {
  const read = <T>(name: string, kind: Kind<T>): T | undefined => {
    if (fields[name] === undefined) return undefined;
    const value = kind.fromToml(fields[name]);
    if (value === undefined) report(name, `must be ${kind.expects}`);
    return value;
  };
  const contextWindow = read('context_window', modelKinds.context_window);
  const maxOutput = read('max_output', modelKinds.max_output);
  const reasoning = read('reasoning', modelKinds.reasoning);
  const images = read('images', modelKinds.images);
  const temperature = read('temperature', modelKinds.temperature);
  const given = read('price', modelKinds.price);
  const compat = read('compat', modelKinds.compat);
  return {
    ...(contextWindow === undefined ? {} : { contextWindow }),
    ...(maxOutput === undefined ? {} : { maxOutput }),
    ...(reasoning === undefined ? {} : { reasoning }),
    ...(images === undefined ? {} : { images }),
    ...(temperature === undefined ? {} : { temperature }),
    ...(given === undefined ? {} : { price: given }),
    ...(compat === undefined ? {} : { compat }),
  };
}

const subscription = oneOf('subscription');

const price: Kind<Price> = {
  expects: '"subscription" or USD per million tokens, such as { input = 1.0, output = 4.0, cache_read = 0.1 }',
  fromText: subscription.fromText,
  fromToml(value) {
    if (!isTable(value)) return subscription.fromToml(value);
    const amount = (name: string, fallback?: number) => (value[name] === undefined ? fallback : between(0, 1e6).fromToml(value[name]));
    const input = amount('input');
    const output = amount('output');
    const cacheRead = amount('cache_read', input);
    const cacheWrite = amount('cache_write', input);
    if (input === undefined || output === undefined || cacheRead === undefined || cacheWrite === undefined) return undefined;
    return { input, output, cacheRead, cacheWrite };
  },
};

const switches: Kind<Readonly<Record<string, string | number | boolean>>> = {
  expects: 'a table of switches, such as { supportsDeveloperRole = false }',
  fromText: () => undefined,
  fromToml(value) {
    if (!isTable(value)) return undefined;
    const out: Record<string, string | number | boolean> = {};
    for (const [name, setting] of Object.entries(value)) {
      if (typeof setting !== 'string' && typeof setting !== 'number' && typeof setting !== 'boolean') return undefined;
      out[name] = setting;
    }
    return out;
  },
};

/** The settings of one model. */
export const modelKinds = {
  context_window: whole(1),
  max_output: whole(1),
  reasoning: flag,
  images: flag,
  temperature: between(0, 2),
  price,
  compat: switches,
};
