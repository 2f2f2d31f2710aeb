// The tools every agent has, made over the agent's own memory of files, shells and to-dos.
import type { AgentParts, AgentSpec } from './build.ts';
import { createSeenFiles } from './files/seen-files.ts';
import { closedPlaces } from './secrets.ts';
import { createFileTools } from './tools/file-tools.ts';
import { capFor } from './tools/frame.ts';
import { createListTasks } from './tools/list-tasks.ts';
import type { Outputs } from './tools/outputs.ts';
import { createSearchTools } from './tools/search-tools.ts';
import { createShellTools } from './tools/shell-tools.ts';
import { createTodos, createTodoTools, type Todo } from './tools/todos.ts';
import type { Tool } from './tools/tool.ts';

export interface StandardTools {
  readonly list: readonly Tool[];
  todos(): readonly Todo[];
  /** At each new request: the to-do list begins anew. */
  newRequest(): void;
  /** After each round: a word when the to-do list is forgotten. */
  reminder(): string | undefined;
  close(): Promise<void>;
}

export function openStandardTools(parts: AgentParts, spec: AgentSpec, outputs: Outputs, secrets: () => readonly string[]): StandardTools {
  const capBytes = () => capFor(spec.window());
  const closed = closedPlaces(parts);
  const todos = createTodos();
  const shell = createShellTools({
    clock: parts.clock,
    env: parts.env,
    workspace: parts.layout.root,
    process: parts.process,
    outputs,
    secrets,
    capBytes,
    ...(parts.binFolder !== undefined && { programFolder: parts.binFolder }),
  });
  return {
    list: [
      ...createFileTools({ seen: createSeenFiles(), outputs, acceptsImages: spec.acceptsImages, capBytes, closed }),
      ...createSearchTools({ outputs, path: parts.env.PATH, closed }),
      ...shell.tools,
      ...createTodoTools(todos),
      createListTasks(parts.tasks),
    ],
    todos: todos.list,
    newRequest: todos.clear,
    reminder() {
      todos.noteRound();
      return todos.reminder();
    },
    close: () => shell.shells.closeAll(),
  };
}
