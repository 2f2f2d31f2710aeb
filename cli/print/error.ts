// An error as a person reads it: one line says what, one line what to do. And as a script sees it: the exit code.
import { errnoOf, errorFacts, isAbort, XzError } from '../../store/errors.ts';
import type { Text } from '../text/text.ts';
import type { Printer } from './printer.ts';

/** Writes the error to stderr. */
export function printError(print: Printer, text: Text, error: unknown): void {
  const said = text.errors.say(errorFacts(error));
  print.warn(`xz: ${said.text}`);
  const hint = error instanceof XzError ? said.hint : hintOf(error, text);
  if (hint) print.warn(`${text.common.hint}: ${hint}`);
  // What is not ours is a fault of the program: the trace is what a report needs.
  if (!(error instanceof XzError) && errnoOf(error) === undefined && error instanceof Error && error.stack) print.warn(error.stack);
}

function hintOf(error: unknown, text: Text): string | undefined {
  switch (errnoOf(error)) {
    case 'ENOSPC':
    case 'EDQUOT':
      return text.errors.diskFull;
    case 'EACCES':
    case 'EPERM':
    case 'EROFS':
      return text.errors.notWritable;
    default:
      return undefined;
  }
}

/** 2 for wrong use or missing configuration, 130 for interrupted, 1 for everything else. */
export function exitCodeOf(error: unknown): number {
  if (isAbort(error)) return 130;
  if (error instanceof XzError && ['bad_input', 'not_configured', 'bad_config'].includes(error.code)) return 2;
  return 1;
}
