// What a finished team run must have left: the merged tree, tasks and mail each done once, everything readable, and
// nothing of its own beside that.
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { isTempName } from '../../store/temp-files.ts';
import { NAMES } from '../fixtures/team-model.ts';
import type { Workspace } from '../helpers/temp.ts';
import { until } from '../helpers/until.ts';
import { touched } from './persons-files.ts';
import { type Fault, REVISED } from './team-run.ts';

/** Everything that is wrong with what is left. `exact`: no operation failed, so no attempt was used and no result is extra. */
export async function faultsLeft(ws: Workspace, { exact }: { readonly exact: boolean }): Promise<Fault[]> {
  return [...treeFaults(ws), ...taskFaults(ws, exact), ...mailFaults(ws, exact), ...fileFaults(ws), ...(await processFaults(ws))];
}

function treeFaults(ws: Workspace): Fault[] {
  const faults: Fault[] = [];
  for (const name of NAMES) {
    const file = `parts/${name}.txt`;
    const wanted = name === REVISED ? `made by ${name}, better\n` : `made by ${name}\n`;
    const there = ws.has(file) ? ws.read(file) : undefined;
    if (there !== wanted) faults.push({ kind: 'lost', what: `${file} is ${JSON.stringify(there)}` });
  }
  const left = (what: string, text: string) => {
    if (text.trim() !== '') faults.push({ kind: 'left over', what: `${what}: ${text.trim()}` });
  };
  for (const what of touched(ws)) faults.push({ kind: 'lost', what });
  left('worktrees', ws.git('worktree', 'list').trim().split('\n').slice(1).join('\n'));
  left('branches', ws.git('branch', '--list', 'xz/*'));
  left(
    '.worktrees',
    namesIn(ws, '.worktrees')
      .filter((name) => name !== '.gitignore')
      .join(' '),
  );
  left(
    'git locks',
    readdirSync(ws.path('.git'))
      .filter((name) => name.endsWith('.lock'))
      .join(' '),
  );
  left(
    'locks',
    namesIn(ws, '.agents/data/locks')
      .filter((name) => name.startsWith('process-'))
      .join(' '),
  );
  return faults;
}

function taskFaults(ws: Workspace, exact: boolean): Fault[] {
  const faults: Fault[] = [];
  const files = namesIn(ws, '.TASK').filter((name) => name.endsWith('.json'));
  for (const name of NAMES) {
    const own = files.filter((file) => file.startsWith(`part-${name}`));
    if (own.length === 0) faults.push({ kind: 'lost', what: `task part-${name}` });
    if (own.length > 1) faults.push({ kind: 'twice', what: own.join(' ') });
  }
  for (const file of files) {
    const task = parsed(ws, `.TASK/${file}`);
    if (typeof task !== 'object' || task === null || !('state' in task) || !('landed' in task)) {
      faults.push({ kind: 'lost', what: `${file}: ${JSON.stringify(task)}` });
      continue;
    }
    if (task.state !== 'completed' || task.landed !== true)
      faults.push({ kind: 'lost', what: `${file} is ${String(task.state)}, landed ${String(task.landed)}` });
    if (exact && 'attempts' in task && task.attempts !== 0)
      faults.push({ kind: 'wrong end', what: `${file} has used ${String(task.attempts)} attempts` });
  }
  return faults;
}

/** Every box is empty, nothing is dead, and no mail was shown in two turns or two messages. */
function mailFaults(ws: Workspace, exact: boolean): Fault[] {
  const faults: Fault[] = [];
  for (const name of ['Lead', ...NAMES])
    for (const box of ['tmp', 'new', 'cur', 'dead'])
      for (const file of namesIn(ws, `.Mailbox/${name}/${box}`))
        faults.push({ kind: box === 'tmp' ? 'left over' : 'lost', what: `${name}/${box}/${file}` });
  const Database = createRequire(import.meta.url)(
    Number(process.versions.node.split('.')[0]) >= 22 ? 'better-sqlite3-v13' : 'better-sqlite3',
  );
  const db = new Database(ws.path('.agents/data/agent.db'), { readonly: true });
  try {
    const shown = new Map<string, number>();
    for (const { content } of db
      .prepare("select content from messages join turns on turns.id = turn_id where turns.state <> 'rolled_back'")
      .all())
      for (const id of JSON.parse(content).origin?.mailIds ?? []) shown.set(id, (shown.get(id) ?? 0) + 1);
    for (const [id, count] of shown) if (count > 1) faults.push({ kind: 'twice', what: `mail ${id} in ${count} messages` });
    const count = (sql: string): number => db.prepare(sql).get().n;
    // Three tasks and one revision: four mails to teammates and four results, each in one turn.
    const results = count("select count(*) n from mail_seen where agent = 'Lead'");
    const work = count("select count(*) n from mail_seen where agent <> 'Lead'");
    if (results < 4 || work < 4) faults.push({ kind: 'lost', what: `${work} of 4 work mails and ${results} of 4 results were shown` });
    if (exact && (results > 4 || work > 4)) faults.push({ kind: 'twice', what: `${work} work mails and ${results} results, not 4` });
    const open = count("select count(*) n from turns where state = 'open'");
    if (open > 0) faults.push({ kind: 'left over', what: `${open} open turns` });
    const sound = db.pragma('integrity_check', { simple: true });
    if (sound !== 'ok') faults.push({ kind: 'unreadable', what: `agent.db: ${sound}` });
  } finally {
    db.close();
  }
  return faults;
}

function fileFaults(ws: Workspace): Fault[] {
  const faults: Fault[] = [];
  for (const entry of readdirSync(ws.dir, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (!entry.isFile() || path.startsWith(ws.path('.git/'))) continue;
    if (isTempName(entry.name)) faults.push({ kind: 'left over', what: path });
    if (/\.bad-\d{4}-/.test(entry.name)) faults.push({ kind: 'unreadable', what: path });
    if (entry.name.endsWith('.json') && parsed(ws, path.slice(ws.dir.length + 1)) === undefined)
      faults.push({ kind: 'unreadable', what: path });
  }
  return faults;
}

/** Processes that carry the workspace's private home in their environment. Ones that are just ending are waited for. */
async function processFaults(ws: Workspace): Promise<Fault[]> {
  try {
    await until(() => processesOf(ws).length === 0, 'processes to end', 5_000);
    return [];
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    return processesOf(ws).map((line) => ({ kind: 'left over', what: line }));
  }
}

export function processesOf(ws: Pick<Workspace, 'home'>): string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        if (!readFileSync(`/proc/${pid}/environ`, 'utf8').includes(ws.home)) return [];
        return [`process ${pid}: ${readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')}`];
      } catch {
        // Gone meanwhile, or somebody else's.
        return [];
      }
    });
}

function namesIn(ws: Workspace, folder: string): string[] {
  return ws.has(folder) ? readdirSync(ws.path(folder)) : [];
}

function parsed(ws: Workspace, file: string): unknown {
  try {
    return JSON.parse(ws.read(file));
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
