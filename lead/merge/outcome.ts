// What may come of a merge. Nothing of the main checkout has changed in any of them but `merged`.

/** What the gate said of the merged tree. */
export interface GateReport {
  /** `none`: no gate is configured. */
  readonly verdict: 'none' | 'green';
  readonly command: string | undefined;
  /** Tests that ran, where the runner told. */
  readonly tests: number | undefined;
  /** Summary lines of the runner. */
  readonly lines: readonly string[];
  readonly ms: number;
}

export type Refusal =
  /** The main checkout is not on the branch it was on when the teammate was spawned. */
  | 'other_branch'
  /** There is no main checkout (a bare repository). */
  | 'bare'
  /** No such branch any more. */
  | 'no_branch'
  /** The person is in the middle of a merge, rebase, … there. */
  | 'operation'
  /** Files of the person are in the way. */
  | 'files'
  /** Another git works there. */
  | 'busy'
  /** A gate is configured and the workspace is not trusted. */
  | 'untrusted'
  /** An earlier merge was cut and cannot be settled without the person. */
  | 'unsettled'
  /** `.worktrees/.gate` is something else. */
  | 'gate_folder'
  /** HEAD kept moving. */
  | 'moving'
  /** Git failed in a way of its own; `detail` is its first error. */
  | 'git';

export type MergeOutcome =
  | { readonly kind: 'merged'; readonly commit: string; readonly gate: GateReport; readonly files: readonly string[] }
  | { readonly kind: 'conflict'; readonly files: readonly string[] }
  /** The gate failed on the merged tree, could not be run, or ran no test. */
  | { readonly kind: 'red'; readonly why: string; readonly output: string }
  | { readonly kind: 'refused'; readonly why: Refusal; readonly detail: string; readonly files: readonly string[] }
  /** The branch has nothing that HEAD lacks. `landed`: it had commits, and they are there already. */
  | { readonly kind: 'nothing'; readonly landed: boolean };

/** A refusal with its reason in plain English. */
export function refused(why: Refusal, detail: string, files: readonly string[] = []): MergeOutcome & { readonly kind: 'refused' } {
  return { kind: 'refused', why, detail, files };
}

/** Why a merge is not for the branch that is checked out now. */
export function otherBranch(on: string | undefined, recorded: string | undefined): string {
  return `the main checkout is on ${on ?? 'a detached HEAD'}, not on ${recorded ?? 'the detached HEAD of before'}`;
}
