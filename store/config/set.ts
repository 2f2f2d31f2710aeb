// `config set KEY VALUE`: from two texts to changes of config.toml. A change of provider takes along what belonged to
// the old one, because an address and a key that stay behind would be sent to the wrong place.
import { XzError } from '../errors.ts';
import type { Config } from './config.ts';
import { isTable, type Kind } from './key.ts';
import { allKeys, keyAt } from './keys.ts';
import { modelKinds } from './models.ts';
import type { Change, TomlValue } from './save.ts';

/** The change that sets a key from text. Throws `bad_input` for an unknown key or a value that does not fit. */
export function changeOf(path: string, text: string): Change {
  const target = targetOf(path);
  if (target === undefined) {
    const near = allKeys.find((key) => key.path.endsWith(`.${path}`))?.path;
    throw new XzError('bad_input', `there is no setting "${path}"`, {
      data: { kind: 'no_setting', key: path, near },
      hint: near === undefined ? '`xz config` lists every setting' : `did you mean ${near}?`,
    });
  }
  const value = target.kind.fromText(text.trim());
  if (!isTomlValue(value))
    throw new XzError('bad_input', `${path} must be ${target.kind.expects}`, {
      data: { kind: 'setting', key: path, expects: target.kind.expects },
    });
  return { path: target.parts, value };
}

/** The further changes that a change brings with it, so that no key or address is used for another provider. */
export function consequences(config: Config, change: Change): readonly Change[] {
  const { file } = config.named;
  const path = change.path.join('.');
  if (path === 'model.provider' && change.value !== (file.provider ?? 'kimi')) {
    const belonging = {
      'model.model': file.model,
      'model.base_url': file.baseUrl,
      'auth.api_key': file.apiKey,
      'auth.type': file.authType,
    };
    return Object.entries(belonging)
      .filter(([, value]) => value !== undefined)
      .map(([key]) => ({ path: key.split('.'), value: undefined }));
  }
  if (path === 'auth.api_key' && file.authType === 'oauth') return [{ path: ['auth', 'type'], value: 'api_key' }];
  return [];
}

function targetOf(path: string): { readonly parts: readonly string[]; readonly kind: Kind<unknown> } | undefined {
  const key = keyAt(path);
  if (key !== undefined) return { parts: path.split('.'), kind: key.kind };
  // Ids may hold dots: the field is what stands after the last one.
  const model = /^models\.(?:"(?<quoted>[^"]+)"|(?<bare>.+))\.(?<field>[a-z_]+)$/.exec(path)?.groups;
  const id = model?.quoted ?? model?.bare;
  const kind = Object.entries(modelKinds).find(([field]) => field === model?.field)?.[1];
  return id === undefined || model?.field === undefined || kind === undefined ? undefined : { parts: ['models', id, model.field], kind };
}

function isTomlValue(value: unknown): value is TomlValue {
  if (Array.isArray(value)) return value.every((part) => typeof part === 'string');
  return ['string', 'number', 'boolean'].includes(typeof value) || isTable(value);
}
