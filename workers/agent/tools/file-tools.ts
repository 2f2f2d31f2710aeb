// The tools that read and change files, over one memory of what the agent has seen.
import { editFileTool } from './edit-file.ts';
import type { FileToolDeps } from './file-access.ts';
import { readFileTool } from './read-file.ts';
import type { Tool } from './tool.ts';
import { writeFileTool } from './write-file.ts';

export function createFileTools(deps: FileToolDeps): Tool[] {
  return [readFileTool(deps), writeFileTool(deps), editFileTool(deps)];
}
