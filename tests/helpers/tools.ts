// A frame with the real tools over a temporary workspace, and short ways to call them.
import { join } from 'node:path';
import { type Clock, systemClock } from '../../store/clock.ts';
import { createSeenFiles } from '../../workers/agent/files/seen-files.ts';
import { createFileTools } from '../../workers/agent/tools/file-tools.ts';
import { createFrame, type FrameOptions, type ToolFrame } from '../../workers/agent/tools/frame.ts';
import { openOutputs } from '../../workers/agent/tools/outputs.ts';
import { createSearchTools } from '../../workers/agent/tools/search-tools.ts';
import type { ShellTools } from '../../workers/agent/tools/shell-tools.ts';
import { createShellTools } from '../../workers/agent/tools/shell-tools.ts';
import { createTodos, createTodoTools } from '../../workers/agent/tools/todos.ts';
import type { ToolContext, ToolResult } from '../../workers/agent/tools/tool.ts';

export interface ToolBench {
  readonly frame: ToolFrame;
  readonly shell: ShellTools;
  readonly outputs: string;
  /** Calls a tool; each call has its own origin. */
  call(name: string, args?: unknown, more?: Partial<ToolContext>): Promise<ToolResult>;
  /** The text of a call. */
  text(name: string, args?: unknown): Promise<string>;
}

export interface BenchOptions extends Partial<FrameOptions> {
  readonly root: string;
  /** Main workspace when `root` is a worktree. */
  readonly workspace?: string;
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly acceptsImages?: boolean;
  readonly cap?: number;
  readonly rgPath?: string;
  readonly denied?: (path: string) => boolean;
  readonly mostOutputBytes?: number;
  readonly processName?: string;
  readonly closed?: readonly string[];
  /** The clock of its shells. */
  readonly clock?: Clock;
}

export function toolBench(options: BenchOptions): ToolBench {
  const outputsFolder = join(options.workspace ?? options.root, '.agents/data/outputs');
  const outputs = openOutputs(outputsFolder);
  const closed = options.closed ?? [];
  const capBytes = () => options.cap ?? 50_000;
  const secrets = options.secrets ?? (() => []);
  const shell = createShellTools({
    clock: options.clock ?? systemClock,
    env: options.env ?? { PATH: process.env.PATH, HOME: process.env.HOME },
    workspace: options.workspace ?? options.root,
    process: { name: options.processName ?? 'ptest', hold: () => {} },
    outputs,
    secrets,
    capBytes,
    ...(options.mostOutputBytes === undefined ? {} : { mostOutputBytes: options.mostOutputBytes }),
  });
  const frame = createFrame({
    tools: [
      ...createFileTools({ seen: createSeenFiles(), outputs, acceptsImages: () => options.acceptsImages ?? true, capBytes, closed }),
      ...createSearchTools({ outputs, path: options.rgPath, closed, ...(options.denied && { denied: options.denied }) }),
      ...shell.tools,
      ...createTodoTools(createTodos()),
    ],
    permissions: () => ({ mode: 'yolo', allow: [], deny: [] }),
    inWorktree: false,
    capBytes,
    outputs,
    secrets,
    ...options,
  });
  let row = 0;
  const call: ToolBench['call'] = (name, args = {}, more = {}) =>
    frame.run(
      { name, args },
      {
        origin: { session: '2026-03-01-abc123', row: ++row, index: 0 },
        agent: 'Lead',
        root: options.root,
        signal: new AbortController().signal,
        ...more,
      },
    );
  return { frame, shell, outputs: outputsFolder, call, text: async (name, args) => (await call(name, args)).text };
}
