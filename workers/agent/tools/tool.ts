// What a tool is. A tool is one file: schema, description, run. It returns a result and never throws into the loop; the
// frame validates its arguments, asks permission, and caps what it returns.
import type { Static, TObject } from 'typebox';
import type { Image } from '../../../store/sessions/message.ts';
import type { SeenMail } from '../../../store/sessions/sessions.ts';

/**
 * Which call this is. Tools that write mail, tasks or team state derive their ids from it, so that executing the same
 * call again after a crash changes nothing. A provider's call id is never part of it.
 */
export interface CallOrigin {
  readonly session: string;
  /** Row of the assistant message that made the call. */
  readonly row: number;
  /** The call's place in that message, from 0. */
  readonly index: number;
}

export interface ToolContext {
  readonly origin: CallOrigin;
  /** The agent's name, `Lead` or a teammate's. */
  readonly agent: string;
  /** The agent's own root: paths resolve against it and may not leave it. */
  readonly root: string;
  /** Fires on interrupt and on exit. */
  readonly signal: AbortSignal;
}

/** A full text in `outputs/`: where `read_file` finds it, and its true size. */
export interface StoredText {
  readonly path: string;
  readonly bytes: number;
}

export interface ToolResult {
  /** What the model reads. Empty text is replaced by "(no output)". */
  readonly text: string;
  readonly images?: readonly Image[];
  readonly isError?: boolean;
  /** A unified diff of what was changed, for the screen. */
  readonly diff?: string;
  /** Paths changed, relative to the root. */
  readonly changedFiles?: readonly string[];
  readonly exitCode?: number;
  /** Set when the tool has already put its full text into `outputs/`; `text` is then its head and tail. */
  readonly stored?: StoredText;
  /** Mail this result hands out: stored as seen in the transaction of the result row. */
  readonly seen?: readonly SeenMail[];
  /** Further observed facts, stored with the result row. */
  readonly facts?: Readonly<Record<string, unknown>>;
}

export interface Tool<S extends TObject = TObject> {
  readonly name: string;
  /** Prose for the model: what it does, when to use it, what comes back. */
  readonly description: string;
  readonly parameters: S;
  /** Read-only calls of one reply run in parallel; all others run alone and in order. */
  readonly readOnly: boolean;
  /** True when a call executed twice with the same origin changes nothing the second time: it is re-run on resume. */
  readonly keyed: boolean;
  run(args: Static<S>, context: ToolContext): Promise<ToolResult>;
  /** The unified diff that a call would make, shown with the permission question. Undefined when it would fail. */
  preview?(args: Static<S>, context: ToolContext): Promise<string | undefined>;
}

/** Declares a tool; infers the type of its arguments from the schema. */
export function defineTool<S extends TObject>(tool: Tool<S>): Tool<S> {
  return tool;
}

/** An error result with one line of what and one of what to do. */
export function toolError(text: string): ToolResult {
  return { text, isError: true };
}
