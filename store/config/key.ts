// What a setting is: its place in config.toml, the values it takes, its default, and what else may set it. One table of
// these (keys.ts) feeds reading, `xz config`, `xz config set` and the error messages; it is plain data, so that start-up
// compiles no schema.

/** The values a setting takes. Both readers give undefined for a value that does not fit. */
export interface Kind<T> {
  /** Ends the sentence "KEY must be …". */
  readonly expects: string;
  fromToml(value: unknown): T | undefined;
  /** From an environment variable, a flag or the command line. */
  fromText(text: string): T | undefined;
}

export type FlagName = 'provider' | 'model' | 'baseUrl' | 'apiKey' | 'mode' | 'lang' | 'team' | 'useOauth';

export interface KeyOptions {
  /** The environment variable that sets it. */
  readonly env?: string;
  readonly flag?: FlagName;
  /** Shown masked. */
  readonly secret?: true;
  /** A project's `.env` may set it only when the person has approved that file: it says where talk goes, who pays, or what runs unasked. */
  readonly guarded?: true;
}

export interface Key<T, D = undefined> extends KeyOptions {
  /** Dotted, as in config.toml. */
  readonly path: string;
  readonly kind: Kind<T>;
  readonly fallback: D;
}

export function key<T>(path: string, kind: Kind<T>, options?: KeyOptions): Key<T>;
export function key<T>(path: string, kind: Kind<T>, options: KeyOptions, fallback: T): Key<T, T>;
export function key<T>(path: string, kind: Kind<T>, options: KeyOptions = {}, fallback?: T): Key<T, T | undefined> {
  return { path, kind, fallback, ...options };
}

/** Text that passes `test`. */
function textKind(expects: string, test: (text: string) => boolean): Kind<string> {
  const fromText = (text: string) => (test(text) ? text : undefined);
  return { expects, fromText, fromToml: (value) => (typeof value === 'string' ? fromText(value) : undefined) };
}

export const text = textKind('text that is not empty', (value) => value.trim() !== '');

/** An HTTP header value: anything else would fail only when the first request is made, far from its cause. */
export const secret = textKind('printable ASCII without blanks', (value) => /^[\x21-\x7e]+$/.test(value));

export const name = textKind('a name of letters, digits, ".", "_" and "-"', (value) => /^[A-Za-z0-9][A-Za-z0-9._-]*$/.test(value));

export const filePath = textKind(
  'an absolute path of a file, or one that begins with "~/"',
  (value) => (value.startsWith('/') && value !== '/') || /^~\/./.test(value),
);

export const language: Kind<'en' | 'zh'> = {
  expects: '"en" or "zh"',
  fromText: (value) => (/^zh\b/i.test(value.replace('_', '-')) ? 'zh' : /^en\b/i.test(value.replace('_', '-')) ? 'en' : undefined),
  fromToml: (value) => (typeof value === 'string' ? language.fromText(value) : undefined),
};

/** An http or https address; a trailing slash is dropped. */
export const address: Kind<string> = {
  expects: 'an http:// or https:// address',
  fromText: (value) => (/^https?:\/\/[^\s/]/i.test(value) && URL.canParse(value) ? value.replace(/\/+$/, '') : undefined),
  fromToml: (value) => (typeof value === 'string' ? address.fromText(value) : undefined),
};

export const flag: Kind<boolean> = {
  expects: 'true or false',
  fromText: (value) => (/^(1|true|yes|on)$/i.test(value.trim()) ? true : /^(0|false|no|off)$/i.test(value.trim()) ? false : undefined),
  fromToml: (value) => (typeof value === 'boolean' ? value : undefined),
};

export function oneOf<const T extends string>(...choices: readonly T[]): Kind<T> {
  const fromText = (value: string) => choices.find((choice) => choice === value);
  return {
    expects: choices
      .map((choice) => `"${choice}"`)
      .join(', ')
      .replace(/, ([^,]*)$/, ' or $1'),
    fromText,
    fromToml: (value) => (typeof value === 'string' ? fromText(value) : undefined),
  };
}

const numeric = (expects: string, test: (value: number) => boolean): Kind<number> => {
  const checked = (value: number) => (Number.isFinite(value) && test(value) ? value : undefined);
  return {
    expects,
    fromText: (value) => (/^[+-]?\d+(\.\d+)?(e[+-]?\d+)?$/i.test(value.trim()) ? checked(Number(value)) : undefined),
    fromToml: (value) => (typeof value === 'number' ? checked(value) : undefined),
  };
};

/** A whole number between the two, inclusive. */
export function whole(least: number, most = 2 ** 31 - 1): Kind<number> {
  const expects = most === 2 ** 31 - 1 ? `a whole number of at least ${least}` : `a whole number from ${least} to ${most}`;
  return numeric(expects, (value) => Number.isInteger(value) && value >= least && value <= most);
}

/** A number between the two, inclusive. */
export function between(least: number, most: number): Kind<number> {
  return numeric(`a number from ${least} to ${most}`, (value) => value >= least && value <= most);
}

export const positive = numeric('a number above 0', (value) => value > 0);

/** A list of texts; on the command line as TOML or JSON writes it, or separated by commas. */
export const texts: Kind<readonly string[]> = {
  expects: 'a list of texts, such as ["bash(git status*)"]',
  fromText(value) {
    const whole = value.trim();
    if (whole === '') return [];
    if (whole.startsWith('[')) return listOfTexts(whole);
    // Half of a list, or something else that only looks like data, would be stored as a text that nothing ever fits.
    return /^["'{]|\]$/.test(whole) ? undefined : whole.split(',').map((part) => part.trim());
  },
  fromToml: (value) => (Array.isArray(value) && value.every((part) => typeof part === 'string') ? value : undefined),
};

/** The texts of `["a", 'b']`; undefined for anything else. */
function listOfTexts(list: string): string[] | undefined {
  const item = /\s*(?:("(?:[^"\\]|\\.)*")|'([^']*)')\s*(,|\]$)/y;
  const out: string[] = [];
  for (item.lastIndex = 1; ; ) {
    if (/^\s*\]$/.test(list.slice(item.lastIndex))) return out;
    const found = item.exec(list);
    if (found === null) return undefined;
    const [, quoted, literal = '', end] = found;
    try {
      out.push(quoted === undefined ? literal : String(JSON.parse(quoted)));
    } catch (error) {
      if (error instanceof SyntaxError) return undefined;
      throw error;
    }
    if (end !== ',') return out;
  }
}

/** A moment, as ISO text or as TOML's own date-time. */
export const moment: Kind<string> = {
  expects: 'a date and time such as "2026-03-03T09:00:00+08:00"',
  fromText: (value) => (Number.isNaN(Date.parse(value)) ? undefined : value),
  fromToml: (value) => moment.fromText(value instanceof Date ? value.toISOString() : typeof value === 'string' ? value : ''),
};

/** A table of texts, such as HTTP headers. Not settable as one text. */
export const textTable: Kind<Readonly<Record<string, string>>> = {
  expects: 'a table of texts',
  fromText: () => undefined,
  fromToml(value) {
    if (!isTable(value)) return undefined;
    const out: Record<string, string> = {};
    for (const [field, content] of Object.entries(value)) {
      if (typeof content !== 'string' || !/^[\x20-\x7e]*$/.test(content)) return undefined;
      out[field] = content;
    }
    return out;
  },
};

/** The parts of a key as TOML writes them: `models."k2.6".reasoning`. */
export function keyText(parts: readonly string[]): string {
  return parts.map((part) => (/^[A-Za-z0-9_-]+$/.test(part) ? part : JSON.stringify(part))).join('.');
}

/** True for a TOML table (not a list and not a date). */
export function isTable(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date);
}
