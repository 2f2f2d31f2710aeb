// Runs every check in order, prints a line each, and ends with what to do. It only prints: each store says itself what
// is wrong with it.
import type { App } from '../../compose.ts';
import type { RunCommand } from '../../table/command.ts';
import { type Check, guarded } from './check.ts';
import { checkGit, checkNative, checkNode, checkTerminal } from './machine.ts';
import { checkSettings } from './settings.ts';
import {
  checkDaemon,
  checkDatabase,
  checkIndexes,
  checkMail,
  checkMemoryFiles,
  checkScheduleRows,
  checkSkills,
  checkTaskFiles,
} from './stores.ts';
import { checkWorktrees } from './worktrees.ts';

const CHECKS: ReadonlyArray<readonly [name: string, run: (app: App) => Promise<readonly Check[]> | readonly Check[]]> = [
  ['node', checkNode],
  ['git', checkGit],
  ['terminal', checkTerminal],
  ['sqlite', checkNative],
  ['config', checkSettings],
  ['database', checkDatabase],
  ['indexes', checkIndexes],
  ['mailboxes', checkMail],
  ['tasks', checkTaskFiles],
  ['memory', checkMemoryFiles],
  ['worktrees', checkWorktrees],
  ['skills', checkSkills],
  ['daemon', checkDaemon],
  ['schedule', checkScheduleRows],
];

export const runDoctor: RunCommand = async (app, call) => {
  const repairs: string[] = [];
  const checks: Check[] = [];
  if (call.options.repair === true) {
    const { repair } = await import('./repair.ts');
    const mend = async () => {
      await repair(app, (line) => repairs.push(line));
      return [];
    };
    checks.push(...(await guarded(app, 'repair', mend)));
  }
  for (const [name, run] of CHECKS) checks.push(...(await guarded(app, name, () => run(app))).map((check) => inWords(app, check)));
  const ok = checks.every(({ status }) => status !== 'broken');
  if (app.print.json) app.print.value({ ok, checks, ...(call.options.repair === true ? { repairs } : {}) });
  else print(app, checks, repairs, call.options.repair === true);
  return ok ? 0 : 1;
};

/** What a store says in a sentence of its own, in the person's language. */
function inWords({ text: { errors } }: App, check: Check): Check {
  return { ...check, detail: errors.told(check.detail), ...(check.fix !== undefined && { fix: errors.told(check.fix) }) };
}

const MARKS = { ok: '✓', warning: '!', broken: '✗' } as const;
const COLOURS = { ok: '\u001b[32m', warning: '\u001b[33m', broken: '\u001b[31m' } as const;

function print({ print, text }: App, checks: readonly Check[], repairs: readonly string[], repaired: boolean): void {
  for (const line of repairs) print.line(`${text.doctor.repaired} ${line}`);
  if (repaired && repairs.length === 0) print.line(text.doctor.nothingToRepair);
  const widest = Math.max(...checks.map(({ name }) => name.length));
  for (const { name, status, detail, fix } of checks) {
    const mark = print.colour ? `${COLOURS[status]}${MARKS[status]}\u001b[0m` : MARKS[status];
    print.styled(`${mark} ${name.padEnd(widest)}  ${detail}`);
    if (fix !== undefined) print.line(`  ${' '.repeat(widest)}  → ${fix}`);
  }
  const count = (status: Check['status']) => checks.filter((check) => check.status === status).length;
  print.line(text.doctor.summary(count('ok'), count('warning'), count('broken')));
}
