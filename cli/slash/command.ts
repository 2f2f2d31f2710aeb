// What a slash command is, and what it may use. One registry serves the full screen and the REPL.
import type { Conversation } from '../../lead/conversation.ts';
import type { App } from '../compose.ts';
import type { Words } from '../table/command.ts';
import type { StorePorts } from './ports.ts';

export interface Choice {
  readonly value: string;
  readonly label: string;
  readonly detail?: string;
}

export interface SlashContext {
  readonly app: App;
  readonly conversation: Conversation;
  readonly stores: StorePorts;
  /** Shows Markdown to the person; it is no part of the conversation. */
  say(markdown: string): void;
  /** Lets the person choose one of a list; undefined when they would rather not. */
  pick(title: string, items: readonly Choice[]): Promise<string | undefined>;
  /** Memory was switched for this session: what shows its state should look again. */
  memoryChanged(): void;
  /** The session in use is another one now. */
  sessionChanged(): void;
}

/** What happens after a command: the person stays, or leaves xz. */
export type SlashOutcome = 'stay' | 'leave';

export interface SlashCommand {
  readonly name: string;
  readonly aliases?: readonly string[];
  readonly help: Words;
  /** Its arguments as help shows them, such as `[on|off]`. */
  readonly args?: string;
  /** First words it takes, for completion. */
  readonly choices?: readonly string[];
  /** `words` are its arguments split at blanks, `rest` the same as one text. May throw XzError. */
  run(context: SlashContext, words: readonly string[], rest: string): Promise<SlashOutcome>;
}
