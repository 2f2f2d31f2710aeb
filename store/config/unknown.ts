// What stands in config.toml and is no setting: most often a typing error, whose writer believes it to be in force. It is
// told, and kept: another version may know it.
import type { ConfigFile } from './file.ts';
import { isTable, keyText } from './key.ts';
import { allKeys } from './keys.ts';
import { lineOfKey } from './locate.ts';
import { modelKinds } from './models.ts';
import type { Problem } from './problem.ts';

/** One problem a key or section; of an unknown section only itself. */
export function unknownKeys(file: ConfigFile): Problem[] {
  return pathsIn(file.tree, []).map((path) => {
    const line = lineOfKey(file.text, path);
    return { where: file.path, key: keyText(path), what: 'is no setting of xz: it has no effect', ...(line === undefined ? {} : { line }) };
  });
}

function pathsIn(table: Readonly<Record<string, unknown>>, above: readonly string[]): Array<readonly string[]> {
  return Object.entries(table).flatMap(([name, value]) => {
    const path = [...above, name];
    if (above.length === 0 && name === 'models') return isTable(value) ? unknownOfModels(value) : [];
    const dotted = path.join('.');
    if (allKeys.some((key) => key.path === dotted)) return [];
    if (!allKeys.some((key) => key.path.startsWith(`${dotted}.`))) return [path];
    return isTable(value) ? pathsIn(value, path) : [];
  });
}

function unknownOfModels(models: Readonly<Record<string, unknown>>): Array<readonly string[]> {
  return Object.entries(models).flatMap(([id, fields]) => {
    const names = isTable(fields) ? Object.keys(fields) : [];
    return names.filter((name) => !Object.hasOwn(modelKinds, name)).map((name) => ['models', id, name]);
  });
}
