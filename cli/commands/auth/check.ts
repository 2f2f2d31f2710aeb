// `xz auth check`: which key or login is in use, from where, and how long it lasts. Sends nothing.
import { isoWithOffset } from '../../../store/clock.ts';
import { kimiLoginPaths, providerInForce, resolveModel } from '../../../store/config/resolve.ts';
import { KIMI_LOGIN_COMMAND } from '../../../store/credentials/kimi.ts';
import { isExpired, readKimiLogins } from '../../../store/credentials/kimi-file.ts';
import { XzError } from '../../../store/errors.ts';
import type { App } from '../../compose.ts';
import { masked } from '../../print/mask.ts';
import type { RunCommand } from '../../table/command.ts';

export const runAuthCheck: RunCommand = async (app) => {
  const config = await app.config();
  const { auth, provider } = resolveModel(config, 'main');
  if (auth.kind === 'kimi-login') return checkLogin(app, auth.paths);
  const from = 'from' in auth ? auth.from : null;
  const secret = auth.kind === 'key' ? masked(auth.key) : auth.kind === 'bearer' ? masked(auth.token) : null;
  if (app.print.json) app.print.value({ ok: true, provider, kind: auth.kind, from, secret });
  else app.print.line(secret === null || from === null ? app.text.auth.noneNeeded(provider) : app.text.auth.key(provider, secret, from));
  if (!app.print.json && providerInForce(config).name === 'kimi' && readKimiLogins(kimiLoginPaths(config)).logins.length > 0)
    app.print.line(app.text.auth.loginUnused);
  return 0;
};

function checkLogin(app: App, paths: readonly string[]): number {
  const { print, text } = app;
  const now = app.clock.now();
  const { logins, bad } = readKimiLogins(paths);
  const [login] = logins;
  if (login === undefined)
    throw new XzError(
      'not_configured',
      bad.map(({ path, why }) => `${path}: ${why}`).join('; ') || `no Kimi login in ${paths.join(' or ')}`,
      {
        hint: `log in with \`${KIMI_LOGIN_COMMAND}\``,
      },
    );
  const expired = isExpired(login, now);
  const renewable = login.refreshToken !== undefined;
  const expiresAt = login.expiresAt === undefined ? null : isoWithOffset(login.expiresAt);
  const leftSeconds = login.expiresAt === undefined ? null : Math.round((login.expiresAt - now) / 1000);
  const ok = !expired || renewable;
  if (print.json) {
    print.value({
      ok,
      provider: 'kimi',
      kind: 'login',
      path: login.path,
      expiresAt,
      leftSeconds,
      renewable,
      ...(ok ? {} : { login: KIMI_LOGIN_COMMAND }),
    });
    return ok ? 0 : 1;
  }
  print.line(text.auth.login(login.path));
  if (expiresAt === null || leftSeconds === null) print.line(text.auth.expiryUnknown);
  else print.line(expired ? text.auth.expired(expiresAt) : text.auth.expires(expiresAt, text.auth.duration(leftSeconds)));
  print.line(renewable ? text.auth.renewable : text.auth.notRenewable);
  for (const { path, why } of bad) print.warn(`${path}: ${why}`);
  if (!ok) print.line(text.auth.logIn(KIMI_LOGIN_COMMAND));
  return ok ? 0 : 1;
}
