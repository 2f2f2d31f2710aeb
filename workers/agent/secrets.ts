// What an agent must not see, and where it must not look: keys of the settings, of the environment and of logins.
import { kimiLoginPaths } from '../../store/config/resolve.ts';
import { readKimiLogins } from '../../store/credentials/kimi-file.ts';
import { proxySecrets } from '../../store/proxies.ts';
import type { AgentParts } from './build.ts';
import { secretsOf } from './shell/environment.ts';

/** Files that file tools do not open and searches leave out, also when the home folder is the workspace. */
export function closedPlaces(parts: AgentParts): string[] {
  const { home } = parts.layout;
  return [home.config, home.trust, ...kimiLoginPaths(parts.config)];
}

/** Every value that is masked in results and errors. Read at each call, since a login is renewed while xz runs. */
export function hiddenValues(parts: Pick<AgentParts, 'config' | 'env'>, configured: () => readonly string[]): () => readonly string[] {
  const inherited = [...secretsOf(parts.env), ...proxySecrets(parts.env)];
  return () => {
    const { logins } = readKimiLogins(kimiLoginPaths(parts.config));
    const tokens = logins.flatMap((login) => [login.accessToken, ...(login.refreshToken === undefined ? [] : [login.refreshToken])]);
    return [...configured(), ...inherited, ...tokens];
  };
}
