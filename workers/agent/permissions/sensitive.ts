// Files in the workspace that are more than its content: changing them changes what is run, trusted or believed later.
// Leave to edit the project is no leave for these. Pure.

/** Folders at the root: settings, hooks and gate commands, tasks, mail, memory. */
const STORES = new Set(['.worktrees', '.agents', '.task', '.mailbox', '.memory']);

/** True for a path relative to the root that must be asked for although edits are allowed, or that leads outside. */
export function isSensitive(path: string): boolean {
  if (/^(\.\.(\/|$)|\/|~)/.test(path)) return true;
  // Some file systems take `.ENV` and `.Git` for the same names.
  const names = path.toLowerCase().split('/');
  return STORES.has(names[0] ?? '') || names.some((name) => name === '.git' || name.startsWith('.env'));
}
