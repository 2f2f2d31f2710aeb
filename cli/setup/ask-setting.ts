// `xz config set` without a value: choose a setting, see what it takes, type it.
import { inspectConfig } from '../../store/config/config.ts';
import { allKeys, keyAt } from '../../store/config/keys.ts';
import type { Change } from '../../store/config/save.ts';
import { changeOf } from '../../store/config/set.ts';
import { errorFacts, XzError } from '../../store/errors.ts';
import type { App } from '../compose.ts';
import { masked } from '../print/mask.ts';
import { clackPrompts } from './clack.ts';
import type { Prompts } from './prompts.ts';

/** The change the person asks for, or undefined when they leave. */
export async function askSetting(
  app: App,
  given: string | undefined,
  prompts: Prompts = clackPrompts(app.text),
): Promise<Change | undefined> {
  const { config } = await inspectConfig(await app.configInput());
  const now = (path: string): string | undefined => {
    const value = config.valueOf(path);
    if (value === undefined) return undefined;
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    return keyAt(path)?.secret === true ? masked(text) : text;
  };
  const choices = allKeys.map(({ path }) => ({ value: path, label: path, hint: now(path) ?? '–' }));
  const path = given ?? (await prompts.select(app.text.setup.chooseSetting, choices));
  if (path === undefined) return undefined;
  const check = (value: string): string | undefined => {
    try {
      changeOf(path, value);
      return undefined;
    } catch (error) {
      if (error instanceof XzError) return app.text.errors.say(errorFacts(error)).text;
      throw error;
    }
  };
  const key = keyAt(path);
  if (key === undefined) return changeOf(path, '');
  const message = app.text.setup.newValue(path, key.kind.expects);
  const initial = now(path);
  const value =
    key.secret === true
      ? await prompts.secret(message, check)
      : await prompts.text(message, { check, ...(initial === undefined ? {} : { initial }) });
  return value === undefined ? undefined : changeOf(path, value);
}
