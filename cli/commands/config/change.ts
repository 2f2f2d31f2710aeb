// `xz config set`, `provider` and `model`: one change of config.toml, and what it brings with it.
import { type Config, inspectConfig, mergeConfig } from '../../../store/config/config.ts';
import { keyText } from '../../../store/config/key.ts';
import { keyAt } from '../../../store/config/keys.ts';
import { badConfig } from '../../../store/config/problem.ts';
import { providerNames } from '../../../store/config/providers.ts';
import { type Change, saveSettings } from '../../../store/config/save.ts';
import { changeOf, consequences } from '../../../store/config/set.ts';
import { errorFacts, XzError } from '../../../store/errors.ts';
import type { App } from '../../compose.ts';
import { masked } from '../../print/mask.ts';
import type { RunCommand } from '../../table/command.ts';
import { refuseAgent } from './by-agent.ts';

export const runConfigSet: RunCommand = async (app, call) => {
  const { key, value } = call.args;
  if (key !== undefined && value !== undefined) return change(app, changeOf(key, value));
  if (!app.print.terminal || process.stdin.isTTY !== true)
    throw new XzError('bad_input', 'config set needs a key and a value', {
      hint: 'such as `xz config set ui.theme amber`; `xz config` lists the keys',
      data: { kind: 'no_key' },
    });
  const { askSetting } = await import('../../setup/ask-setting.ts');
  const asked = await askSetting(app, key);
  return asked === undefined ? 130 : change(app, asked);
};

export const runConfigProvider: RunCommand = (app, call) => change(app, changeOf('model.provider', call.args.provider ?? ''));

export const runConfigModel: RunCommand = (app, call) => change(app, changeOf('model.model', call.args.model ?? ''));

async function change(app: App, wanted: Change): Promise<number> {
  if (wanted.path.join('.') === 'model.provider') checkProvider(app, String(wanted.value));
  if (wanted.path[0] === 'permissions' || wanted.path.join('.') === 'team.enabled') refuseAgent(app, keyText(wanted.path));
  const input = await app.configInput();
  const before = await inspectConfig(input);
  const further = consequences(before.config, wanted);
  const changed = await saveSettings(app.home(), app.homeLocks(), [wanted, ...further], (file) => {
    // One bad value of several can be mended; any other change waits until the next command would take the file.
    const { problems } = mergeConfig(input, file);
    if (problems.length > 0 && problems.length >= before.problems.length) throw badConfig(problems);
  });
  const after = await inspectConfig(input);
  report(app, after.config, wanted, further, changed);
  for (const problem of after.problems) app.print.warn(app.text.errors.say(errorFacts(badConfig([problem]))).text);
  return 0;
}

/** A typing error would take the model and the address of the right one along. Throws `bad_input`. */
function checkProvider(app: App, provider: string): void {
  const { unknownProvider, unknownProviderHint } = app.text.config;
  if (!providerNames.includes(provider))
    throw new XzError('bad_input', unknownProvider(provider), { hint: unknownProviderHint(providerNames.join(', ')) });
}

function report(app: App, config: Config, wanted: Change, further: readonly Change[], changed: boolean): void {
  const { print, text } = app;
  const key = keyText(wanted.path);
  const secret = keyAt(wanted.path.join('.'))?.secret === true;
  const value = secret ? masked(String(wanted.value)) : wanted.value;
  const origin = config.origin(wanted.path.join('.'));
  if (print.json) {
    print.value({
      key,
      value,
      changed,
      path: config.path,
      removed: further.filter((other) => other.value === undefined).map(({ path }) => keyText(path)),
      origin,
    });
    return;
  }
  const shown = typeof value === 'string' ? value : JSON.stringify(value);
  print.line(changed ? text.config.saved(key, shown, config.path) : text.config.unchanged(key, shown, config.path));
  for (const other of further)
    print.line(
      other.value === undefined
        ? text.config.alsoRemoved(keyText(other.path))
        : text.config.alsoSet(keyText(other.path), String(other.value)),
    );
  if (['flag', 'env', 'dotenv'].includes(origin.kind)) print.warn(text.config.overridden(key, origin.name));
}
