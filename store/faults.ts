// The seam for fault injection: every file and database operation of the stores passes here first.
// In production the hook does nothing. Tests install one that throws, shortens a write, or kills the process.
import { XzError } from './errors.ts';

/** One operation about to happen: what, and on which path. */
export interface FaultPoint {
  readonly op: 'open' | 'write' | 'fsync' | 'rename' | 'link' | 'unlink' | 'mkdir' | 'append' | 'read' | 'begin' | 'commit';
  readonly path: string;
}

/**
 * Called synchronously before each operation. It may throw an error with a system `code` (the operation then fails
 * with it), return a number of bytes (a `write` then writes at most that many), or end the process.
 */
export type FaultHook = (point: FaultPoint) => number | undefined;

let hook: FaultHook | undefined;

/** Installs the hook for this thread; `undefined` removes it. */
export function installFaultHook(next: FaultHook | undefined): void {
  hook = next;
}

/** Passes one operation through the seam; returns how many bytes a write may take, if limited. */
export function faultPoint(op: FaultPoint['op'], path: string): number | undefined {
  return hook?.({ op, path });
}

/**
 * The hook for a spec such as `kill:17`, `ENOSPC:5`, `short:9` (what, and at the how-manieth operation), used by the
 * crash test through `XZ_FAULT`. An optional third part limits it to paths that contain it: `EIO:1:.Mailbox`; a fourth to
 * one operation. `3+` is the third and all that follow.
 */
export function faultHookFromSpec(spec: string): FaultHook {
  const [kind = '', at = '1', part = '', op = ''] = spec.split(':');
  const when = Number(at.replace(/\+$/, ''));
  if (!/^(kill|short|E[A-Z]+)$/.test(kind) || !Number.isInteger(when) || when < 1)
    throw new XzError('bad_input', `XZ_FAULT "${spec}" is not KIND:N[+][:PATH[:OP]]`);
  let count = 0;
  return (point) => {
    if (!point.path.includes(part) || (op !== '' && point.op !== op)) return undefined;
    if (++count !== when && !(at.endsWith('+') && count > when)) return undefined;
    if (kind === 'kill') process.kill(process.pid, 'SIGKILL');
    if (kind === 'short') return point.op === 'write' ? 1 : undefined;
    throw Object.assign(new Error(`${kind}: injected at ${point.op} ${point.path}`), { code: kind });
  };
}
