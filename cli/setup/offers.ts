// The wizard's first question: which providers, what each needs, and what was found of it on this machine. Pure.
import type { Config } from '../../store/config/config.ts';
import { kimiLoginPaths } from '../../store/config/resolve.ts';
import { isExpired, readKimiLogins } from '../../store/credentials/kimi-file.ts';
import type { Text } from '../text/text.ts';
import type { Choice } from './prompts.ts';

export type SetupProvider = 'kimi' | 'openai' | 'anthropic' | 'custom';

export interface Found {
  /** File of a Kimi login that is good or can be renewed. */
  readonly kimiLogin: string | undefined;
  /** Per provider: the environment variable that holds its key or token. */
  readonly variables: Readonly<Record<SetupProvider, string | undefined>>;
  /** An address for `custom` that the environment names. */
  readonly customUrl: string | undefined;
}

/** Looks at the environment and the login files; sends nothing. */
export function findOnMachine(config: Config, now: number): Found {
  const { logins } = readKimiLogins(kimiLoginPaths(config));
  const login = logins.find((each) => !isExpired(each, now) || each.refreshToken !== undefined);
  const first = (...names: readonly string[]) => names.find((name) => config.variables[name] !== undefined);
  return {
    kimiLogin: login?.path,
    variables: {
      kimi: first('KIMI_API_KEY'),
      openai: first('OPENAI_API_KEY'),
      anthropic: first('ANTHROPIC_AUTH_TOKEN', 'ANTHROPIC_API_KEY'),
      custom: undefined,
    },
    customUrl: config.named.env.baseUrl,
  };
}

/** The four choices in their order, with a mark on what was found. */
export function providerChoices(text: Text, found: Found): ReadonlyArray<Choice<SetupProvider>> {
  const words = text.setup.providers;
  const mark = (name: SetupProvider): string | undefined => {
    if (name === 'kimi' && found.kimiLogin !== undefined) return text.setup.foundLogin;
    const variable = name === 'custom' ? (found.customUrl === undefined ? undefined : 'XZ_BASE_URL') : found.variables[name];
    return variable === undefined ? undefined : text.setup.foundVariable(variable);
  };
  return (['kimi', 'openai', 'anthropic', 'custom'] as const).map((name) => {
    const found = mark(name);
    // The label carries what it needs: a hint is shown only beside the choice under the cursor.
    const label = `${words[name].label}${found === undefined ? '' : ' ✓'} · ${words[name].needs}`;
    return found === undefined ? { value: name, label } : { value: name, label, hint: found };
  });
}
