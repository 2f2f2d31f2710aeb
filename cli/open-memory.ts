// Memory for this process: the store, the cheap model and the search behind what the lead recalls and keeps, and the same
// behind `xz memory` and `/memory`. Loaded only where memory is used.
import type { EmitLeadEvent } from '../lead/events.ts';
import { LEAD_NAME } from '../lead/lead.ts';
import { createMemoryModel, type MemoryModel } from '../lead/memory/ask.ts';
import { createLeadMemory, type LeadMemory } from '../lead/memory/lead-memory.ts';
import type { ModelChoice } from '../lead/models.ts';
import { XzError } from '../store/errors.ts';
import { type Memory, openMemory } from '../store/memory/memory.ts';
import { openOwed } from '../store/memory/owed.ts';
import type { Finding } from '../store/quarantine.ts';
import { refreshKnowledge } from '../store/search/knowledge.ts';
import { searchKnowledge } from '../store/search/recall.ts';
import { upToDate } from '../store/search/ways.ts';
import type { AgentParts } from '../workers/agent/build.ts';
import { chooseModel } from '../workers/agent/model/choose.ts';
import type { App } from './compose.ts';
import { tellMemory } from './late-memory.ts';
import { report } from './open-parts.ts';
import { printFinding } from './print/finding.ts';

/** Passages looked at for a request; more than one may be of the same topic. */
const MOST_HITS = 12;

export interface LeadMemoryInput {
  readonly models: ModelChoice;
  readonly session: () => string;
  /** Whether turns are looked at as they end, rather than at the end of the run. */
  readonly attended: boolean;
  readonly emit: EmitLeadEvent;
  readonly outOfBudget: () => boolean;
}

/** The lead's memory; `start` is called once somebody listens. */
export async function openLeadMemory(app: App, parts: AgentParts, input: LeadMemoryInput): Promise<LeadMemory> {
  const { layout, clock, config } = parts;
  const db = await app.database();
  const memory = openMemory({
    layout,
    locks: () => parts.locks,
    clock,
    report: (finding) => report(input.emit, finding),
  });
  return createLeadMemory({
    memory,
    model: createMemoryModel({
      model: () => input.models.model('memory'),
      session: input.session,
      clock,
      paid: (reply) => parts.sessions.spend(input.session(), 'memory', reply),
      outOfBudget: input.outOfBudget,
    }),
    async search(query) {
      upToDate(() => void refreshKnowledge(db, layout, clock.now()));
      return (await searchKnowledge(db, query, { folder: '.MEMORY' }, { limit: MOST_HITS, offset: 0 })).items;
    },
    settings: config.memory,
    maxEntries: config.memory.maxEntries,
    secrets: input.models.secrets,
    session: input.session,
    sessions: parts.sessions,
    owed: openOwed(db),
    now: clock.now,
    atOnce: input.attended,
    // The lead asks nothing of it while memory is off.
    enabled: () => true,
    emit: tellMemory(app, input.emit),
  });
}

/** The memory files for a command; bad ones are named on stderr, unless `tell` names them elsewhere. */
export function openAppMemory(app: App, tell = (finding: Finding): void => printFinding(app.print, app.text, finding)): Memory {
  return openMemory({ layout: app.layout(), locks: app.locks, clock: app.clock, report: tell });
}

/** The cheap model for a command, or undefined when nothing names a usable one. */
export async function openMemoryModel(app: App): Promise<MemoryModel | undefined> {
  try {
    const model = await chooseModel({ config: await app.config(), identity: app.identity(), env: app.env, agent: LEAD_NAME }, 'memory');
    return createMemoryModel({ model: () => Promise.resolve(model), session: () => 'memory', clock: app.clock });
  } catch (error) {
    if (error instanceof XzError && error.code === 'not_configured') return undefined;
    throw error;
  }
}
