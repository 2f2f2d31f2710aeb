// The tools that run commands, over one set of shells.
import { createShells, type ShellDeps, type Shells } from '../shell/shells.ts';
import { bashTool } from './bash.ts';
import { bashOutputTool, bashStopTool } from './bash-background.ts';
import type { Tool } from './tool.ts';

export interface ShellTools {
  readonly tools: readonly Tool[];
  readonly shells: Shells;
}

/** `shells.closeAll()` must be awaited before the agent ends. */
export function createShellTools(deps: ShellDeps): ShellTools {
  const shells = createShells(deps);
  return { tools: [bashTool(deps, shells), bashOutputTool(deps, shells), bashStopTool(deps, shells)], shells };
}
