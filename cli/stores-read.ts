// Which of the workspace's folders a command reads. Where one of them is a file, the command says so: an empty list would
// say that nothing was ever stored.
import type { Layout } from '../store/layout.ts';
import { refuseNoFolder } from '../store/links.ts';

/** By the first word of the command. What a conversation misses, it tells when it needs it; `doctor` looks at all. */
const READS: Readonly<Record<string, ReadonlyArray<'agents' | 'data' | 'memory' | 'tasks' | 'mailbox' | 'worktrees'>>> = {
  task: ['tasks'],
  mail: ['mailbox'],
  team: ['data', 'mailbox', 'worktrees'],
  history: ['data'],
  schedule: ['data'],
  memory: ['agents', 'memory'],
};

/** Throws `unwritable`, naming the file, when one has the place of a folder that the command (`task list`) reads. */
export function refuseFilesForFolders(command: string, layout: () => Layout): void {
  for (const store of READS[command.split(' ')[0] ?? ''] ?? []) refuseNoFolder(layout()[store]);
}
