// From the wizard's answers to changes of config.toml, and to the settings they would give: so that the real test
// request is made with exactly what will be saved.
import { type Config, type ConfigInput, mergeConfig } from '../../store/config/config.ts';
import { parseConfigText } from '../../store/config/file.ts';
import { badConfig } from '../../store/config/problem.ts';
import { providerNamed } from '../../store/config/providers.ts';
import { type Change, editConfigText } from '../../store/config/save.ts';
import { readBytes } from '../../store/files.ts';
import type { SetupProvider } from './offers.ts';

export type Credential =
  /** The Kimi login of this machine. */
  | { readonly kind: 'login' }
  /** A key the person typed: it goes into config.toml. */
  | { readonly kind: 'key'; readonly key: string }
  /** An environment variable: nothing is stored. */
  | { readonly kind: 'variable'; readonly name: string }
  | { readonly kind: 'none' };

export interface Answers {
  readonly provider: SetupProvider;
  readonly credential: Credential;
  /** Undefined: the provider's own address. */
  readonly baseUrl: string | undefined;
  readonly model: string;
}

/** What the answers change. What is left unsaid is removed, since it may be of another provider. */
export function changesOf({ provider, credential, baseUrl, model }: Answers): Change[] {
  const own = providerNamed(provider).baseUrl;
  return [
    { path: ['model', 'provider'], value: provider },
    { path: ['model', 'model'], value: model },
    { path: ['model', 'base_url'], value: baseUrl === own ? undefined : baseUrl },
    { path: ['auth', 'type'], value: credential.kind === 'login' ? 'oauth' : credential.kind === 'key' ? 'api_key' : undefined },
    { path: ['auth', 'api_key'], value: credential.kind === 'key' ? credential.key : undefined },
  ];
}

/** The last change: set-up is complete. */
export function completion(at: string): Change[] {
  return [
    { path: ['setup', 'completed'], value: true },
    { path: ['setup', 'completed_at'], value: at },
  ];
}

/** The variables that would win over the answers in later runs. */
export const OVERRIDING = ['XZ_PROVIDER', 'XZ_MODEL', 'XZ_BASE_URL', 'XZ_API_KEY'] as const;

/** The settings as they will be once the answers are saved; no flag or XZ_ variable speaks for the model. */
export async function settingsWith(input: ConfigInput, answers: Answers): Promise<Config> {
  const path = input.home.config;
  const text = await editConfigText(path, readBytes(path)?.toString('utf8') ?? '', changesOf(answers));
  const file = await parseConfigText(path, text.replace(/^\uFEFF/, ''));
  if (!('tree' in file)) throw badConfig([file]);
  const env = Object.fromEntries(Object.entries(input.env).filter(([name]) => !OVERRIDING.some((other) => other === name)));
  const { config, problems } = mergeConfig({ home: input.home, env, flags: {} }, file);
  if (problems.length > 0) throw badConfig(problems);
  return config;
}
