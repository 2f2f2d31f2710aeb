// Where the skills that come with xz are: the folder `skills` of the package, beside dist/ or the rooms.
import { fileURLToPath } from 'node:url';

/** Absolute path of the folder. */
export function builtInSkills(): string {
  const toTop = import.meta.url.endsWith('.ts') ? '../../../skills' : '../skills';
  return fileURLToPath(new URL(toTop, import.meta.url));
}
