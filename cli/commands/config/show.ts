// `xz config`: every setting with its value and origin. It works when the file is bad, since that is when it is needed.
import { inspectConfig, type Origin } from '../../../store/config/config.ts';
import { badConfig, type Problem, problemText } from '../../../store/config/problem.ts';
import { type ResolvedModel, resolveModel } from '../../../store/config/resolve.ts';
import { errorFacts, XzError } from '../../../store/errors.ts';
import { pathExists } from '../../../store/files.ts';
import type { Finding } from '../../../store/quarantine.ts';
import type { App } from '../../compose.ts';
import { padded, width } from '../../print/columns.ts';
import type { RunCommand } from '../../table/command.ts';
import type { SayError } from '../../text/errors.ts';
import { looseModes } from './modes.ts';
import { type ShownSetting, shownSettings } from './settings.ts';

export const runConfigShow: RunCommand = async (app) => {
  const { config, problems, unknown } = await inspectConfig(await app.configInput());
  const settings = shownSettings(config);
  const model = resolved(app.text.errors.say, () => resolveModel(config, 'main'));
  const loose = looseModes(app.home());
  if (app.print.json) {
    app.print.value({
      path: config.path,
      exists: pathExists(config.path),
      problems,
      warnings: [...loose, ...unknown.map(asFinding)],
      settings,
      model: 'error' in model ? { error: model.error } : { ...summary(model) },
    });
    return 0;
  }
  const { print, text } = app;
  print.line(`${config.path}${pathExists(config.path) ? '' : ` (${text.config.noFile})`}`);
  for (const line of settingLines(app, settings)) print.styled(line);
  print.line();
  print.line('error' in model ? model.error : text.config.inForce(model.model, model.provider, model.baseUrl, authText(app, model)));
  for (const finding of loose)
    print.warn(`${finding.where}: ${text.errors.told(finding.what)}${finding.fix === undefined ? '' : `; ${finding.fix}`}`);
  if (config.ignored.length > 0) print.warn(text.config.envIgnored(config.ignored.join(', ')));
  for (const problem of unknown) print.warn(text.errors.told(problemText(problem)));
  for (const problem of problems) print.warn(text.errors.say(errorFacts(badConfig([problem]))).text);
  return 0;
};

function asFinding(problem: Problem): Finding {
  return { level: 'warning', where: problem.where, what: problemText(problem).slice(problem.where.length + 1) };
}

function resolved(say: SayError, resolve: () => ResolvedModel): ResolvedModel | { readonly error: string } {
  try {
    return resolve();
  } catch (error) {
    if (!(error instanceof XzError)) throw error;
    const { text, hint } = say(errorFacts(error));
    return { error: `${text}${hint === undefined ? '' : ` — ${hint}`}` };
  }
}

function summary({ provider, model, baseUrl, api, auth }: ResolvedModel) {
  return { provider, model, baseUrl, api, auth: auth.kind, ...('from' in auth ? { from: auth.from } : {}) };
}

function authText(app: App, { auth }: ResolvedModel): string {
  const words = app.text.config.authKinds;
  if (auth.kind === 'key' || auth.kind === 'bearer') return words.key(auth.from);
  return auth.kind === 'none' ? words.none : words.login;
}

function settingLines(app: App, settings: readonly ShownSetting[]): string[] {
  const rows = settings.map(({ key, value, origin }) => [key, valueText(value), originText(app, origin)] as const);
  const first = Math.max(...rows.map(([key]) => width(key)));
  const second = Math.min(48, Math.max(...rows.map(([, value]) => width(value))));
  return rows.map(([key, value, origin]) => {
    const line = `  ${padded(key, first)}  ${padded(value, second)}  ${origin}`;
    return app.print.colour && origin === app.text.config.origins.default ? `\u001b[2m${line}\u001b[0m` : line;
  });
}

function valueText(value: unknown): string {
  if (value === undefined) return '–';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function originText(app: App, { kind, name, line }: Origin): string {
  const words = app.text.config.origins;
  if (kind === 'default') return words.default;
  if (kind === 'dotenv') return words.dotenv(name);
  return kind === 'file' && line !== undefined ? `config.toml:${line}` : name;
}
