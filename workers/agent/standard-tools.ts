// The tools every agent has, made over the agent's own memory of files, shells and to-dos.
import type { Memory } from '../../store/memory/memory.ts';
import type { AgentParts, AgentSpec } from './build.ts';
import { watchCommands } from './files/commands.ts';
import { createSeenFiles } from './files/seen-files.ts';
import { matchesAny } from './permissions/rule.ts';
import { closedPlaces } from './secrets.ts';
import { createFileTools } from './tools/file-tools.ts';
import { capFor } from './tools/frame.ts';
import { createListTasks } from './tools/list-tasks.ts';
import { createMemoryAppend } from './tools/memory-append.ts';
import type { Outputs } from './tools/outputs.ts';
import { createSearchTools } from './tools/search-tools.ts';
import { createShellTools } from './tools/shell-tools.ts';
import { skillTool } from './tools/skill.ts';
import { createTodos, createTodoTools, type Todo } from './tools/todos.ts';
import type { Tool } from './tools/tool.ts';
import { createWebTools } from './tools/web-tools.ts';

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
  const seen = createSeenFiles();
  let memory: Promise<Memory> | undefined;
  const shell = createShellTools({
    clock: parts.clock,
    env: parts.env,
    workspace: parts.layout.root,
    process: parts.process,
    outputs,
    secrets,
    capBytes,
    watchCommand: watchCommands(seen, spec.shared),
    ...(parts.binFolder !== undefined && { programFolder: parts.binFolder }),
  });
  return {
    list: [
      ...createFileTools({
        seen,
        ...(spec.shared !== undefined && { shared: spec.shared }),
        outputs,
        acceptsImages: spec.acceptsImages,
        capBytes,
        closed,
        readable: parts.skills.folders,
      }),
      ...createSearchTools({
        ...{ outputs, path: parts.env.PATH, closed, readable: parts.skills.folders },
        denied: (path) => matchesAny(spec.permissions().deny, 'read_file', [path]),
      }),
      ...shell.tools,
      ...createTodoTools(todos),
      createListTasks(parts.tasks),
      skillTool({ skills: parts.skills, trusted: parts.trusted }),
      ...createWebTools({
        tavily: { key: parts.config.web.tavilyApiKey, baseUrl: parts.config.web.tavilyBaseUrl },
        allowPrivate: parts.config.web.allowPrivate,
        version: parts.version,
        clock: parts.clock,
      }),
      createMemoryAppend({
        layout: parts.layout,
        locks: parts.locks,
        memory: () => (memory ??= openMemoryOf(parts)),
        clock: parts.clock,
        messageTime: parts.sessions.messageTime,
        secrets,
      }),
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

async function openMemoryOf(parts: AgentParts): Promise<Memory> {
  const { openMemory } = await import('../../store/memory/memory.ts');
  return openMemory({ layout: parts.layout, locks: () => parts.locks, clock: parts.clock });
}
