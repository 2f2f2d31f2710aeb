// The one error class of xz. Below cli/ an error is a code and data; cli/text turns the code into
// words for a person. `message` is plain English for the model and for logs.

export type ErrorCode =
  | 'bad_input'
  | 'not_found'
  | 'ambiguous'
  | 'conflict'
  | 'refused'
  | 'not_configured'
  | 'unwritable'
  | 'disk_full'
  | 'lock_busy'
  | 'database_newer'
  | 'database_broken'
  | 'database_locked'
  | 'native_missing'
  | 'bad_file'
  | 'bad_config'
  | 'model_failed'
  | 'git_failed'
  | 'interrupted'
  | 'internal';

/**
 * Facts that belong to an error, for the printer: strings and numbers only, so that they cross threads. With `kind` (what
 * is missing, what is held, why a model failed) and its values an error can be said in another language.
 */
export type ErrorData = Readonly<Record<string, string | number | boolean | undefined>>;

export interface XzErrorOptions {
  /** One line that says what to do next. */
  readonly hint?: string;
  readonly data?: ErrorData;
  readonly cause?: unknown;
}

export class XzError extends Error {
  override readonly name = 'XzError';
  readonly code: ErrorCode;
  readonly hint: string | undefined;
  readonly data: ErrorData;

  constructor(code: ErrorCode, message: string, options: XzErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.hint = options.hint;
    this.data = options.data ?? {};
  }
}

/** What an error says, as data: events and outcomes carry it to where it is put into the person's language. */
export interface ErrorFacts {
  /** `message` of the error. */
  readonly text: string;
  readonly hint?: string | undefined;
  readonly code?: ErrorCode;
  readonly data?: ErrorData;
}

export function errorFacts(error: unknown): ErrorFacts {
  const text = errorMessage(error);
  if (!(error instanceof XzError)) return { text };
  return { text, code: error.code, data: error.data, ...(error.hint !== undefined && { hint: error.hint }) };
}

/** The text of anything thrown; never throws itself. */
export function errorMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** The system's error code (`ENOENT`, `EACCES`, …) of a thrown value, or undefined. */
export function errnoOf(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}

/** True when it says that there is nothing of that name: also when a folder on the way is missing, or is a file. */
export function isAbsence(error: unknown): boolean {
  return errnoOf(error) === 'ENOENT' || errnoOf(error) === 'ENOTDIR';
}

/** A refusal or lack of space of the file system (also a file where a folder must be) as one of xz's errors; any other error as it is. */
export function diskError(error: unknown, path: string): unknown {
  const errno = errnoOf(error) ?? '';
  if (['EACCES', 'EPERM', 'EROFS', 'ENOTDIR', 'EEXIST'].includes(errno))
    return new XzError('unwritable', `${path} cannot be written (${errno})`, {
      cause: error,
      hint: 'check the owner and mode of the folder',
      data: { path, errno },
    });
  if (['ENOSPC', 'EDQUOT'].includes(errno))
    return new XzError('disk_full', `${path} cannot be written: the disk is full (${errno})`, {
      cause: error,
      hint: 'free some space, then try again; nothing was half-written',
      data: { path },
    });
  return error;
}

/** True for the abort of a signal, whatever reason it was given. */
export function isAbort(error: unknown): boolean {
  return error instanceof Error && (error.name === 'AbortError' || (error instanceof XzError && error.code === 'interrupted'));
}

/** Throws `interrupted` when the signal has fired. */
export function throwIfAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted) throw new XzError('interrupted', 'interrupted', { cause: signal.reason });
}
