// The shape of all words a person sees, taken from the English ones; Chinese must have the same keys.
import type { en } from './en.ts';

export type Text = typeof en;
export type Language = 'en' | 'zh';

type Environment = Readonly<Record<string, string | undefined>>;

/** The language asked for by `--lang`, else `XZ_LANG`, else the locale. */
export function languageOf(flag: string | undefined, env: Environment): Language {
  const asked = flag || env.XZ_LANG || env.LC_ALL || env.LC_MESSAGES || env.LANG || '';
  return asked.toLowerCase().startsWith('zh') ? 'zh' : 'en';
}

/** Loads the words of one language; the other is never read. */
export async function loadText(language: Language): Promise<Text> {
  return language === 'zh' ? (await import('./zh.ts')).zh : (await import('./en.ts')).en;
}
