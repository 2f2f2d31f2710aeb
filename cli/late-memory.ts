// The lead's memory, loaded when there is something to recall or a turn to look at: most of it is a Markdown parser and
// the search, which a first request should not wait for.
import type { EmitLeadEvent } from '../lead/events.ts';
import { LEAD_NAME } from '../lead/lead.ts';
import type { LeadMemory } from '../lead/memory/lead-memory.ts';
import type { TellMemory } from '../lead/memory/notice.ts';
import { errorFacts } from '../store/errors.ts';
import { pathExists } from '../store/files.ts';
import type { Owed } from '../store/memory/owed.ts';
import type { App } from './compose.ts';

export interface LateMemory {
  /** `.MEMORY`: without it there is nothing to recall. */
  readonly folder: string;
  readonly session: () => string;
  readonly owed: Owed;
  readonly now: () => number;
  /** Looks after the files from the start, as the screen and the REPL do. */
  readonly attended: boolean;
  readonly load: () => Promise<LeadMemory>;
  readonly emit: TellMemory;
}

export function openLateMemory(setup: LateMemory): LeadMemory {
  let loading: Promise<LeadMemory> | undefined;
  let loaded: LeadMemory | undefined;
  let started = false;
  const load = (): Promise<LeadMemory> =>
    (loading ??= setup.load().then((memory) => {
      loaded = memory;
      if (started) memory.start();
      return memory;
    }));
  const soon = (use: (memory: LeadMemory) => void): void => {
    load()
      .then(use)
      .catch((error: unknown) => setup.emit({ kind: 'trouble', what: 'load', why: errorFacts(error) }));
  };
  return {
    async background(request, signal) {
      return pathExists(setup.folder) ? (await load()).background(request, signal) : undefined;
    },
    recalled: () => loaded?.recalled() ?? [],
    turnEnded(turn) {
      // Noted now: a kill while the rest is loaded must not lose the turn. Memory's own note is then no second one.
      setup.owed.note({ turn, session: setup.session() }, setup.now());
      soon((memory) => memory.turnEnded(turn));
    },
    beforeSummary: async (rows, signal) => (await load()).beforeSummary(rows, signal),
    start() {
      if (started) return;
      started = true;
      if (loaded !== undefined) loaded.start();
      else if (setup.attended || pathExists(setup.folder)) soon(() => undefined);
    },
    settle: async (ms) => (await loading)?.settle(ms),
    stop: async () => (await loading)?.stop(),
  };
}

/** Memory's notices in the person's language. */
export function tellMemory(app: App, emit: EmitLeadEvent): TellMemory {
  const { memory, errors } = app.text;
  return (notice) => emit({ type: 'notice', agent: LEAD_NAME, code: 'memory', text: memory.told(notice, (why) => errors.say(why).text) });
}
