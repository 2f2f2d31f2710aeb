// The built program with teammates that can be made to die: their thread looks for a file that says how. The rest is the
// program as it is.
import { cpSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { MAIN } from './run.ts';

/** Deaths a thread can be told to die: leave, loop for ever, fill its memory, reject unseen. */
export type Death = 'exit' | 'loop' | 'memory' | 'reject';

// Plain JavaScript, since it stands in for the thread's entry. A death is asked for once: its file is taken away first,
// unless it ends in `!`. Memory is filled in small pieces: one large allocation that fails would abort the whole process.
const SABOTEUR = `
import { readFileSync, unlinkSync } from 'node:fs';
import real from './teammate-real.js';
const asked = () => {
  try {
    const file = process.env.XZ_TEST_DEATH + '/now';
    const death = readFileSync(file, 'utf8');
    if (!death.endsWith('!')) unlinkSync(file);
    return death.replace('!', '');
  } catch { return ''; }
};
const die = (death) => {
  if (death === 'exit') process.exit(3);
  if (death === 'loop') for (;;);
  // In small pieces: one large allocation that fails would abort the whole process, whatever the limit of the thread; on
  // Node 24 so would many arrays of numbers.
  if (death === 'memory') for (const all = []; ; ) all.push({ n: all.length, of: [1, 2] });
  if (death === 'reject') Promise.reject(new Error('nobody catches this'));
};
export default async function teammate(input) {
  const timer = setInterval(() => die(asked()), 5);
  try { await real(input); } finally { clearInterval(timer); }
}
`;

/** Path of its main file. `remove` when the tests are over. */
export function dyingProgram(): { readonly main: string; remove(): void } {
  const dist = dirname(MAIN);
  // Below node_modules, where external packages are found.
  const copy = join(dirname(dist), 'node_modules', '.xz-fixtures', `dying-${process.pid}`);
  mkdirSync(dirname(copy), { recursive: true });
  cpSync(dist, copy, { recursive: true });
  renameSync(join(copy, 'teammate.js'), join(copy, 'teammate-real.js'));
  writeFileSync(join(copy, 'teammate.js'), SABOTEUR);
  return { main: join(copy, 'main.js'), remove: () => rmSync(copy, { recursive: true, force: true }) };
}
