// What is wrong with a setting: which file or variable, which line, which key.
import { XzError } from '../errors.ts';

export interface Problem {
  /** The file, the environment variable or the flag. */
  readonly where: string;
  readonly line?: number;
  readonly key?: string;
  /** What is wrong; never contains the value of a secret. */
  readonly what: string;
}

/** `file:line: key: what` */
export function problemText({ where, line, key, what }: Problem): string {
  return `${where}${line === undefined ? '' : `:${line}`}: ${key === undefined ? '' : `${key} `}${what}`;
}

/** The error that names every problem; the first one is also its data. */
export function badConfig(problems: readonly Problem[]): XzError {
  const [first] = problems;
  return new XzError('bad_config', problems.map(problemText).join('; '), {
    hint: 'nothing was changed; `xz config` shows every value and where it comes from',
    data: { file: first?.where, line: first?.line, key: first?.key },
  });
}
