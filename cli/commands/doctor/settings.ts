// The settings: config.toml, the key or login, and whether the model's address answers. The address is asked for its
// list of models, which costs nothing.
import { isoWithOffset } from '../../../store/clock.ts';
import { type Config, inspectConfig } from '../../../store/config/config.ts';
import { badConfig, problemText } from '../../../store/config/problem.ts';
import { type ResolvedModel, resolveEmbedding, resolveModel } from '../../../store/config/resolve.ts';
import { KIMI_LOGIN_COMMAND } from '../../../store/credentials/kimi.ts';
import { isExpired, readKimiLogins } from '../../../store/credentials/kimi-file.ts';
import { errorFacts, XzError } from '../../../store/errors.ts';
import { pathExists } from '../../../store/files.ts';
import { checkTrust } from '../../../store/trust.ts';
import { modelSettings } from '../../../workers/agent/model/from-config.ts';
import { listModels } from '../../../workers/agent/model/probe.ts';
import type { App } from '../../compose.ts';
import { looseModes } from '../config/modes.ts';
import { bad, type Check, fileAt, fromFindings, ok, thrown } from './check.ts';

const LIMIT_MS = 10_000;

export async function checkSettings(app: App): Promise<Check[]> {
  const { config, problems, unknown } = await inspectConfig(await app.configInput());
  const home = app.home();
  const checks: Check[] = problems.map((problem) =>
    bad('config', 'broken', app.text.errors.say(errorFacts(badConfig([problem]))).text, app.text.doctor.mendConfig),
  );
  const blocked = fileAt(app, 'config', home.root);
  checks.push(...blocked);
  if (problems.length === 0 && blocked.length === 0)
    checks.push(
      pathExists(home.config)
        ? ok('config', home.config)
        : bad('config', 'warning', app.text.doctor.noConfig(home.config), 'xz config setup'),
    );
  checks.push(...unknown.map((problem) => bad('config', 'warning', problemText(problem), app.text.doctor.unknownSetting)));
  checks.push(...looseModes(home).map(({ where, what, fix }) => bad('config', 'warning', `${where}: ${what}`, fix)));
  checks.push(...checkTrust(home).flatMap((finding) => fromFindings('trust', [finding], '')));
  return [...checks, ...(await checkModel(app, config))];
}

async function checkModel(app: App, config: Config): Promise<Check[]> {
  let main: ResolvedModel;
  try {
    main = resolveModel(config, 'main');
  } catch (error) {
    if (!(error instanceof XzError)) throw error;
    return [thrown(app, 'credentials', error, error.code === 'not_configured' ? 'warning' : 'broken')];
  }
  const credentials = checkCredentials(app, main);
  const others = checkOthers(app, config);
  if (credentials.some(({ status }) => status === 'broken')) return [...credentials, ...others];
  return [...credentials, await reach(app, main), ...others];
}

function checkCredentials(app: App, { auth, provider }: ResolvedModel): Check[] {
  if (auth.kind === 'none') return [ok('credentials', app.text.auth.noneNeeded(provider))];
  if (auth.kind !== 'kimi-login') return [ok('credentials', `${provider}: ${auth.from}`)];
  const { logins, bad: unreadable } = readKimiLogins(auth.paths);
  const [login] = logins;
  const problems = unreadable.map(({ path, why }) => bad('credentials', 'warning', `${path}: ${why}`));
  if (login === undefined) return [...problems, bad('credentials', 'broken', auth.paths.join(', '), KIMI_LOGIN_COMMAND)];
  const until = login.expiresAt === undefined ? '' : ` (${isoWithOffset(login.expiresAt)})`;
  const over = isExpired(login, app.clock.now()) && login.refreshToken === undefined;
  return [
    ...problems,
    over ? bad('credentials', 'broken', `${login.path}${until}`, KIMI_LOGIN_COMMAND) : ok('credentials', `${login.path}${until}`),
  ];
}

/** A key that would go astray is found before the team or the memory needs it. */
function checkOthers(app: App, config: Config): Check[] {
  return (['team', 'memory', 'embedding'] as const).flatMap((role): Check[] => {
    try {
      if (role === 'embedding') resolveEmbedding(config);
      else resolveModel(config, role);
      return [];
    } catch (error) {
      if (error instanceof XzError) return [thrown(app, role, error)];
      throw error;
    }
  });
}

async function reach(app: App, main: ResolvedModel): Promise<Check> {
  const { text } = app;
  const said = (error: unknown) => text.errors.say(errorFacts(error)).text;
  const settings = modelSettings(main, app.identity());
  const auth = { ...(await settings.auth()) };
  const where = `${main.model} @ ${main.baseUrl}`;
  try {
    const ids = await listModels(main.api, main.baseUrl, auth, AbortSignal.timeout(LIMIT_MS));
    return ids.includes(main.model) ? ok('model', where) : ok('model', text.doctor.modelNotListed(where));
  } catch (error) {
    const status = error instanceof XzError ? error.data.status : undefined;
    if (status === 401 || status === 403) return bad('model', 'broken', said(error), 'xz auth check');
    // It answered, only not with a list: many servers have none.
    if (typeof status === 'number' && status < 500) return ok('model', where);
    return bad('model', 'broken', said(error), text.doctor.checkNetwork);
  }
}
