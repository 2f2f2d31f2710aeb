// Many stopped team runs, one after the other, from a seed: what `npm run crash-test` plays and `npm test` plays shortly.
import { rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { teamModel } from '../fixtures/team-model.ts';
import { startModelServer } from '../helpers/model-server.ts';
import { busyWorkspace } from './persons-files.ts';
import { type Fault, type Played, playRun, REVISED, type Stop } from './team-run.ts';

export interface Tally {
  readonly runs: number;
  readonly kills: number;
  readonly failures: number;
  readonly faults: ReadonlyArray<Fault & { readonly run: number }>;
}

export interface Campaign {
  /** Ends when so many lives were killed (or, with faults, stopped). */
  readonly kills: number;
  readonly seed: number;
  /** Stops by the fault seam instead of by random kills. */
  readonly faults: boolean;
  /** Told of every run. A run with faults keeps its workspace when `keep` is set. */
  readonly onRun?: (run: number, stops: readonly Stop[], played: Played, tally: Tally, folder: string) => void;
  readonly keep?: boolean;
}

/** Requests of a run that nobody disturbs; kills fall anywhere in it. */
const REQUESTS = 26;
/** The most lives of one run that are killed. */
const MOST_LIVES = 4;
/** More operations than any thread of an undisturbed run has; kills that never fire lower it to what there are. */
const OPERATIONS = 1_000;
const KINDS = ['kill', 'ENOSPC', 'kill', 'EIO', 'kill', 'EPERM', 'kill', 'short'];

export async function runCampaign({ kills, seed, faults, onRun, keep = false }: Campaign): Promise<Tally> {
  const random = randomFrom(seed);
  let endsTurns = false;
  let reach = OPERATIONS;
  const server = await startModelServer(teamModel({ reviseFirst: REVISED, delayMs: 5, endsTurns: () => endsTurns }));
  let tally: Tally = { runs: 0, kills: 0, failures: 0, faults: [] };
  try {
    for (let run = 1; tally.kills + tally.failures < kills; run++) {
      // Every other lead waits in a call; the rest end their turn and are woken.
      endsTurns = run % 2 === 0;
      const left = kills - tally.kills - tally.failures;
      const stops = faults ? [faultStop(run, reach, random)] : killStops(Math.min(left, 1 + Math.floor(random() * MOST_LIVES)), random);
      const ws = busyWorkspace();
      const played = await playRun(ws, server, stops);
      if (faults && played.kills === 0 && stops[0]?.kind === 'fault' && stops[0].spec.startsWith('kill:'))
        reach = Math.min(reach, Number(stops[0].spec.slice(5)));
      tally = {
        runs: run,
        kills: tally.kills + played.kills,
        failures: tally.failures + played.failures,
        faults: [...tally.faults, ...played.faults.map((fault) => ({ ...fault, run }))],
      };
      onRun?.(run, stops, played, tally, ws.dir);
      server.requests.length = 0;
      if (!keep || played.faults.length === 0) rmSync(dirname(ws.dir), { recursive: true, force: true, maxRetries: 3 });
    }
    return tally;
  } finally {
    await server.stop();
  }
}

/** The first life is killed anywhere; each later one on its way back, where recovery itself is cut. */
function killStops(lives: number, random: () => number): Stop[] {
  return Array.from({ length: lives }, (_, life) => ({
    kind: 'kill',
    afterRequests: Math.floor(random() ** (life === 0 ? 1 : 2) * (life === 0 ? REQUESTS : 10)),
    afterMs: Math.floor(random() * (random() < 0.3 ? 900 : 150)),
  }));
}

/** Spread evenly over the operations of a run. The first few are kills, which find out how many there are. */
function faultStop(run: number, reach: number, random: () => number): Stop {
  const at = 1 + Math.floor((((run * 0.618034) % 1) * 0.98 + random() * 0.02) * (reach - 1));
  if (run <= 3) return { kind: 'fault', spec: `kill:${at}` };
  return { kind: 'fault', spec: `${KINDS[run % KINDS.length]}:${at}` };
}

/** mulberry32: a small generator whose whole state is the seed, so that a report can be played again. */
function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
