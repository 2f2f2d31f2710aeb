// Which language this run speaks: `--lang`, `XZ_LANG`, `[ui] language` of config.toml, the locale. The file is parsed
// only when the word is in it, since every command starts here.
import { readText } from '../store/files.ts';
import { type Home, homeLayout } from '../store/layout.ts';
import { type Language, languageOf } from './text/text.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** The language in force for this command line; a file that cannot be read has no say in it, and is reported by what needs it. */
export async function languageFor(args: readonly string[], env: Environment): Promise<Language> {
  const flag = flagValue(args, '--lang');
  const home = flag || env.XZ_LANG ? undefined : homeWithLanguage(env);
  if (home === undefined) return languageOf(flag, env);
  const { inspectConfig } = await import('../store/config/config.ts');
  const { config } = await inspectConfig({ home, env, flags: {} });
  return config.ui.language ?? languageOf(flag, env);
}

function flagValue(args: readonly string[], name: string): string | undefined {
  const at = args.findIndex((arg) => arg === name || arg.startsWith(`${name}=`));
  if (at < 0) return undefined;
  return args[at]?.includes('=') ? args[at]?.slice(name.length + 1) : args[at + 1];
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
