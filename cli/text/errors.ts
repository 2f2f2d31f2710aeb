// How an error is said in a language. Errors are English below cli/; a language that has words for one of its kind says it
// with the values the error carries, and otherwise names the class and lets the English follow.
import type { ErrorFacts } from '../../store/errors.ts';

export interface SaidError {
  readonly text: string;
  readonly hint?: string | undefined;
}

export type SayError = (error: ErrorFacts) => SaidError;
