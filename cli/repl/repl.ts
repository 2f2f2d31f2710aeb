// The pieces of one line-by-line conversation.
import type { Interface } from 'node:readline';
import type { Conversation } from '../../lead/conversation.ts';
import type { App } from '../compose.ts';
import type { StorePorts } from '../slash/ports.ts';
import type { LineQueue } from './line-queue.ts';
import type { ReplOutput } from './output.ts';
import type { Prompt } from './prompt.ts';

export interface Repl {
  readonly app: App;
  readonly conversation: Conversation;
  readonly stores: StorePorts;
  /** A person types; else the lines are a pipe's. */
  readonly terminal: boolean;
  readonly reader: Interface;
  readonly output: ReplOutput;
  readonly prompt: Prompt;
  readonly lines: LineQueue;
  /** Keeps a line for the arrow keys of later sessions. */
  readonly remember: (line: string) => void;
  /** Lists to pick from that are open; aborting one puts it away. */
  readonly picking: Set<AbortController>;
}
