// One team run that is stopped again and again (SIGKILL, or the fault seam), gone on with until it ends, and looked at:
// what is lost, what came twice, what cannot be read, what is left over.
import { type ModelServer, modelEnv, pairingFault, type SentBody, sentText } from '../helpers/model-server.ts';
import { type RunResult, startXz } from '../helpers/run.ts';
import type { Workspace } from '../helpers/temp.ts';
import { faultsLeft } from './left.ts';

export const REVISED = 'bob';
const ASK = 'build three parts';

/** How one life of the program is stopped. */
export type Stop =
  | { readonly kind: 'kill'; readonly afterRequests: number; readonly afterMs: number }
  /** A spec for `XZ_FAULT`. */
  | { readonly kind: 'fault'; readonly spec: string };

export interface Fault {
  readonly kind: 'lost' | 'twice' | 'unreadable' | 'left over' | 'wrong end';
  readonly what: string;
}

export interface Played {
  /** Lives that SIGKILL ended. */
  readonly kills: number;
  /** Lives in which the seam was to make an operation fail. */
  readonly failures: number;
  readonly faults: readonly Fault[];
}

/** Plays a run through all its stops to its end, and looks at what there is then. */
export async function playRun(ws: Workspace, server: ModelServer, stops: readonly Stop[]): Promise<Played> {
  const from = server.requests.length;
  let kills = 0;
  let failures = 0;
  for (const stop of stops) {
    const ended = await oneLife(ws, server, stop);
    if (ended.signal === 'SIGKILL' && !ended.late) kills++;
    else if (stop.kind === 'fault' && !stop.spec.startsWith('kill:')) failures++;
    if (ended.late) return { kills, failures, faults: [{ kind: 'wrong end', what: `hangs: ${ended.err}` }] };
    if (stop.kind === 'kill' && ended.signal !== 'SIGKILL') break;
  }
  const faults = await goOn(ws, server, failures > 0);
  const bodies = server.requests.slice(from).map((request) => request.body);
  if (faults.length === 0) faults.push(...(await faultsLeft(ws, { exact: failures === 0 })), ...shownTwice(bodies));
  for (const body of bodies) {
    const fault = pairingFault(body);
    if (fault !== '') faults.push({ kind: 'wrong end', what: `a request to the model: ${fault}` });
  }
  return { kills, failures, faults };
}

/** The command line that goes on: with the request again when nothing of it was stored. */
function commandFor(ws: Workspace, prompt: string | undefined): string[] {
  const again = ws.has('.agents/data/agent.db');
  return ['once', ...(prompt === undefined ? [] : [prompt]), ...(again ? ['--resume'] : []), '--team', '--yes', '--json'];
}

async function oneLife(ws: Workspace, server: ModelServer, stop: Stop): Promise<RunResult> {
  const from = server.requests.length;
  const fault = stop.kind === 'fault' ? { XZ_FAULT: stop.spec } : {};
  const fresh = !ws.has('.agents/data/agent.db');
  const child = startXz(ws, commandFor(ws, fresh ? ASK : undefined), {
    env: { ...modelEnv(server), ...fault },
    input: '',
    timeoutMs: 90_000,
  });
  if (stop.kind === 'kill') {
    let over = false;
    void child.ended.then(() => {
      over = true;
    });
    while (!over && server.requests.length - from < stop.afterRequests) await pause(2);
    await Promise.race([pause(stop.afterMs), child.ended]);
    child.kill('SIGKILL');
  }
  return child.ended;
}

/** Resumes until the lead says that all is done. After a failed disk a person says "go on"; after a kill nobody has to. */
async function goOn(ws: Workspace, server: ModelServer, failed: boolean): Promise<Fault[]> {
  let last = '';
  for (let tries = 0; tries < (failed ? 4 : 2); tries++) {
    const fresh = !ws.has('.agents/data/agent.db');
    const prompt = fresh ? ASK : tries > 0 ? (failed ? `${ASK}: go on` : ASK) : undefined;
    const ended = await startXz(ws, commandFor(ws, prompt), { env: modelEnv(server), input: '', timeoutMs: 90_000 }).ended;
    last = `exit ${ended.code}${ended.late ? ' (hangs)' : ''}: ${ended.out.slice(0, 600)} ${ended.err.slice(0, 1_200)}`;
    if (ended.late) break;
    if (ended.code !== 0 && !failed) break;
    const answer = ended.code === 0 ? JSON.parse(ended.out) : undefined;
    if (answer?.text === DONE && answer.stopReason === 'done') return [];
    // Killed before the request was stored, or after its end: neither leaves anything to go on with.
    if (answer !== undefined && !failed && answer.session !== null && lastWords(server) === DONE) return [];
  }
  return [{ kind: 'wrong end', what: last }];
}

const DONE = 'All parts are merged.';

function lastWords(server: ModelServer): string | undefined {
  return server.requests.findLast((request) => request.reply?.text === DONE)?.reply?.text;
}

/**
 * A mail that a conversation holds twice; every task, review and result has a heading of its own, also a task that is given
 * out again with what went wrong before. Two that failed in the same way (`NOT completed`) may read the same.
 */
function shownTwice(bodies: readonly SentBody[]): Fault[] {
  const faults = new Set<string>();
  for (const body of bodies) {
    const counts = new Map<string, number>();
    const texts = body.messages.filter((message) => message.role !== 'assistant').map(sentText);
    for (const heading of texts
      .join('\n')
      .match(/^\[(Task|Review) from Lead[^\]]*\](?:\n.*\n.*\nAn earlier attempt.*$)?|^\[Result from [^\]]*\]\nClaimed:\n.*$/gm) ?? [])
      counts.set(heading, (counts.get(heading) ?? 0) + 1);
    for (const [heading, count] of counts) if (count > 1 && !heading.includes('NOT completed')) faults.add(`${count} times: ${heading}`);
  }
  return [...faults].map((what) => ({ kind: 'twice', what }));
}

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));
