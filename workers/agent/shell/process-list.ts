// What /proc tells: who is in a group, who carries a mark in its environment. Where there is no /proc nobody is found.
import { readdirSync, readFileSync } from 'node:fs';
import { errnoOf } from '../../../store/errors.ts';

const PROC = '/proc';
/** Looking at so many numbers costs less than reading the list of all processes. */
const FEW = 24;

export interface ProcessEntry {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  readonly zombie: boolean;
}

/** All processes, or undefined without /proc. With `above` only those of a higher number (and this one); `newest` is what `newestPid` said just now. */
export function listProcesses(above = 0, newest = above > 0 ? newestPid() : undefined): ProcessEntry[] | undefined {
  const names = above > 0 ? namesAfter(above, newest ?? 0) : attempt(() => readdirSync(PROC));
  if (names === undefined) return undefined;
  const wanted = (name: string) => /^\d+$/.test(name) && (Number(name) > above || Number(name) === process.pid);
  const entries = names.filter(wanted).map(statOf);
  return entries.some((entry) => entry?.pid === process.pid) ? entries.filter((entry) => entry !== undefined) : undefined;
}

/** Where only a few numbers were given since, each is looked at; else the whole list is read. */
function namesAfter(above: number, newest: number): string[] | undefined {
  const since = newest - above;
  if (since < 0 || since > FEW) return attempt(() => readdirSync(PROC));
  return [String(process.pid), ...Array.from({ length: since }, (_, at) => String(above + 1 + at))];
}

/** Format: proc(5). The name in brackets may hold anything, so fields are counted after the last bracket. */
function statOf(name: string): ProcessEntry | undefined {
  const stat = attempt(() => readFileSync(`${PROC}/${name}/stat`, 'latin1'));
  if (stat === undefined) return undefined;
  const [state, parent, group] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return { pid: Number(name), parent: Number(parent), group: Number(group), zombie: state === 'Z' || state === 'X' };
}

/** The number given last to a process; undefined without /proc. Below an older process's number: counting began anew since. */
export function newestPid(): number | undefined {
  const last = attempt(() => readFileSync(`${PROC}/loadavg`, 'latin1'))
    ?.trim()
    .split(' ')
    .at(-1);
  return last === undefined ? undefined : Number(last);
}

/** The environment a process was started with; undefined when it is gone or somebody else's. */
export function environmentOf(pid: number): ReadonlyMap<string, string> | undefined {
  const text = attempt(() => readFileSync(`${PROC}/${pid}/environ`, 'utf8'));
  if (text === undefined || text === '') return undefined;
  return new Map(
    text.split('\0').flatMap((pair) => {
      const at = pair.indexOf('=');
      return at > 0 ? [[pair.slice(0, at), pair.slice(at + 1)] as const] : [];
    }),
  );
}

/** Sends a signal; false when there is no such process or it is not ours. Never signals a whole group or process 1. */
export function signalProcess(pid: number, signal: NodeJS.Signals): boolean {
  if (!Number.isInteger(pid) || pid <= 1 || pid === process.pid) return false;
  return attempt(() => process.kill(pid, signal)) === true;
}

/** A process may end between any two looks at it. */
function attempt<T>(look: () => T): T | undefined {
  try {
    return look();
  } catch (error) {
    if (['ENOENT', 'ESRCH', 'EACCES', 'EPERM', 'ENOTDIR', 'EINVAL'].includes(errnoOf(error) ?? '')) return undefined;
    throw error;
  }
}
