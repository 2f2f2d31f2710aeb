// Which language this run speaks: `--lang`, `XZ_LANG`, `[ui] language` of config.toml, the locale. The file is parsed
// only when the word is in it, since every command starts here.
import { readText } from '../store/files.ts';
import { type Home, homeLayout } from '../store/layout.ts';
import { type Language, languageOf } from './text/text.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** The language in force; a file that cannot be read has no say in it, and is reported by what needs it. */
export async function languageFor(flag: string | undefined, env: Environment): Promise<Language> {
  const home = flag || env.XZ_LANG ? undefined : homeWithLanguage(env);
  if (home === undefined) return languageOf(flag, env);
  const { inspectConfig } = await import('../store/config/config.ts');
  const { config } = await inspectConfig({ home, env, flags: {} });
  return config.ui.language ?? languageOf(flag, env);
}

function homeWithLanguage(env: Environment): Home | undefined {
  try {
    const home = homeLayout(env);
    return readText(home.config)?.includes('language') === true ? home : undefined;
  } catch (error) {
    if (error instanceof Error) return undefined;
    throw error;
  }
}
