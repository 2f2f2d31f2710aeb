// Each setting as `xz config` shows it: its value in force, where that comes from, secrets masked.
import type { Config, Origin } from '../../../store/config/config.ts';
import { allKeys } from '../../../store/config/keys.ts';
import { fromClaudeCode, providerInForce } from '../../../store/config/resolve.ts';
import { masked } from '../../print/mask.ts';

export interface ShownSetting {
  readonly key: string;
  /** Undefined: not set, and there is no default. */
  readonly value: unknown;
  readonly origin: Origin;
}

/** Every setting in the order of the table; then those of single models. */
export function shownSettings(config: Config): ShownSetting[] {
  const provider = providerInForce(config);
  const derived: Readonly<Record<string, unknown>> = {
    'model.provider': provider.name,
    'model.model': provider.model,
    'model.base_url': provider.baseUrl,
  };
  const settings = allKeys.map((key): ShownSetting => {
    const borrowed = fromClaudeCode(config, key.path);
    if (borrowed !== undefined) return { key: key.path, value: borrowed.value, origin: { kind: 'env', name: borrowed.name } };
    const value = config.valueOf(key.path) ?? derived[key.path];
    return { key: key.path, value: key.secret === true ? maskedValue(value) : value, origin: config.origin(key.path) };
  });
  const models = Object.entries(config.models).map(([id, value]) => {
    return { key: `models.${JSON.stringify(id)}`, value, origin: { kind: 'file' as const, name: config.path } };
  });
  return [...settings, ...models];
}

function maskedValue(value: unknown): unknown {
  if (typeof value === 'string') return masked(value);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, typeof inner === 'string' ? masked(inner) : inner]));
}
