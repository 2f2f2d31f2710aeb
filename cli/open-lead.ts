// Makes the lead of this process from the app's stores: session, models, team, memory, tools. Used by `xz once`, the screen,
// the REPL and the demo alike.
import type { Conversation, PermissionMode } from '../lead/conversation.ts';
import type { EmitLeadEvent } from '../lead/events.ts';
import { createEvents } from '../lead/events-hub.ts';
import { type Inbox, openInbox } from '../lead/inbox.ts';
import { createLead, LEAD_NAME, type Lead } from '../lead/lead.ts';
import type { LeadMemory } from '../lead/memory/lead-memory.ts';
import { type ModeInForce, openMode } from '../lead/mode.ts';
import { type ModelChoice, openModels } from '../lead/models.ts';
import { openSessionWriter } from '../lead/session-writer.ts';
import { createSubAgents } from '../lead/sub-agents.ts';
import type { Team } from '../lead/team/team.ts';
import { createAgentTool } from '../lead/tools/agent.ts';
import { createDispatchTask } from '../lead/tools/dispatch-task.ts';
import { createScheduleTools, scheduleToolAliases } from '../lead/tools/schedule-tools.ts';
import { createLeadTaskTools } from '../lead/tools/task-tools.ts';
import { type Config, loadConfig } from '../store/config/config.ts';
import { diskError, errorFacts, XzError } from '../store/errors.ts';
import { openOwed } from '../store/memory/owed.ts';
import type { SessionRow } from '../store/sessions/sessions.ts';
import type { Claim } from '../store/tasks/schema.ts';
import type { AgentParts } from '../workers/agent/build.ts';
import type { Tool } from '../workers/agent/tools/tool.ts';
import { DEFAULT_MAX_ROUNDS, type Limits } from '../workers/agent/turn/limits.ts';
import type { App } from './compose.ts';
import { openLateMemory, tellMemory } from './late-memory.ts';
import { openParts } from './open-parts.ts';
import { openTeam } from './open-team.ts';
import { inWords } from './print/notice.ts';

export interface LeadOptions {
  /** The session to speak in; absent: a new one. */
  readonly session?: SessionRow;
  /** Title of a new session: the beginning of its first request. */
  readonly title: string;
  /** Whether a person can be asked. */
  readonly attended: boolean;
  /** Mode of this run; absent: the settings'. */
  readonly mode?: PermissionMode;
  readonly limits?: {
    readonly timeoutS?: number | undefined;
    readonly maxCostUsd?: number | undefined;
    readonly maxRounds?: number | undefined;
  };
}

export interface OpenedLead {
  readonly lead: Lead;
  readonly team: Team;
  readonly listen: Conversation['listen'];
  readonly session: SessionRow;
  readonly parts: AgentParts;
  /** US dollars of the lead's session with all of its teammates and sub-agents; null when any part is unknown. */
  totalCost(): number | null;
  /** Resolves at the run's time limit; never without one. */
  readonly timeIsUp: Promise<void>;
  isTimeUp(): boolean;
  /** Absent when it is off in the settings and nobody is there to switch it on. */
  readonly memory: LeadMemory | undefined;
  close(): Promise<void>;
}

/** Opens the lead. Throws `not_configured` when no usable model is named, before anything is written. */
export async function openLead(app: App, options: LeadOptions): Promise<OpenedLead> {
  const config = await app.config();
  // First of all: without a usable model, or with limits that cannot be kept, nothing is written.
  const models = await openModels({ config, identity: app.identity(), env: app.env, agent: LEAD_NAME }, (model, provider) =>
    reloaded(app, model, provider),
  );
  const { timeoutS, maxCostUsd, maxRounds } = options.limits ?? {};
  if (maxCostUsd !== undefined && !models.priced())
    throw new XzError('bad_input', app.text.once.unpriced(models.facts().model), { hint: app.text.once.unpricedHint });
  const events = createEvents();
  const emit: EmitLeadEvent = (event) => events.emit(inWords(app.text, event));
  const mode = openMode(options.mode ?? config.permissions.mode);
  const parts = await openParts(app, mode.get(), emit);
  const { sessions } = parts;
  const session = options.session ?? sessions.create({ kind: 'lead', agent: LEAD_NAME, title: options.title });
  const writer = openSessionWriter(parts.locks);
  writer.take(session.id);
  let lead: Lead | undefined;
  const place: LeadPlace = {
    app,
    parts,
    models,
    mode,
    emit,
    attended: options.attended,
    session: () => lead?.session() ?? session.id,
  };
  const totalCost = () => {
    const { tokens, costUsd } = sessions.spentByAll(place.session());
    // Nothing was answered yet: that is no price where a first answer would have none.
    return tokens === 0 && costUsd === 0 && !models.priced() ? null : costUsd;
  };
  // What has no price cannot be limited; what has one still is.
  const outOfBudget = () => maxCostUsd !== undefined && sessions.spentByAll(place.session()).knownUsd >= maxCostUsd;
  const deadline = timeoutS === undefined ? undefined : app.clock.now() + timeoutS * 1_000;
  const limits: Limits = { maxRounds: maxRounds ?? DEFAULT_MAX_ROUNDS, deadline, outOfBudget };
  const inbox = openInbox({ clock: app.clock, emit, attended: options.attended });
  const team = await openLeadTeam(place, inbox, outOfBudget);
  // A person may switch it on, whatever the settings say; nothing is loaded before that.
  const memory = config.memory.enabled || options.attended ? await openMemoryOf(place, outOfBudget) : undefined;
  const opened = await createLead({
    parts,
    session,
    models,
    team,
    inbox,
    attended: options.attended,
    tools: leadTools(place, limits, team),
    aliases: scheduleToolAliases,
    mode,
    limits,
    emit,
    writer,
    ...(memory !== undefined && { memory }),
  });
  lead = opened;
  const time = watchTime(app, deadline, () => opened.suspend('timeout'));
  return {
    lead: opened,
    team,
    listen: events.listen,
    session,
    parts,
    totalCost,
    timeIsUp: time.isUp,
    isTimeUp: time.late,
    memory,
    async close() {
      time.cancel();
      await opened.close();
      await memory?.stop();
      writer.release();
    },
  };
}

/** What the pieces of a lead are opened with. */
interface LeadPlace {
  readonly app: App;
  readonly parts: AgentParts;
  readonly models: ModelChoice;
  readonly mode: ModeInForce;
  readonly emit: EmitLeadEvent;
  readonly attended: boolean;
  /** The session in use, which `/new` and `/resume` change. */
  readonly session: () => string;
}

/**
 * The team, switched on when the settings say so. Where another process leads it, or no mail can be written, this one
 * works without and says so.
 */
async function openLeadTeam(
  { app, parts, mode, emit, attended, session }: LeadPlace,
  inbox: Inbox,
  outOfBudget: () => boolean,
): Promise<Team> {
  const team = await openTeam(app, parts, { emit, inbox, attended, session, mode: mode.inForce, outOfBudget });
  const led = team.lead();
  const tell = (text: string) => emit({ type: 'notice', agent: LEAD_NAME, code: 'team', text });
  try {
    await team.attend();
    if (parts.config.team.enabled && !led.ok) tell(app.text.team.held(led.holder));
    else if (parts.config.team.enabled && app.env.XZ_AGENT) tell(app.text.team.ofAgent);
    else if (parts.config.team.enabled) await team.begin();
    else if (team.waiting().length > 0) tell(app.text.team.wait(team.waiting().join(', ')));
  } catch (error) {
    const why = diskError(error, parts.layout.mailbox);
    if (!(why instanceof XzError) || !['unwritable', 'disk_full'].includes(why.code)) {
      // Half open, its watches and threads would keep a program alive that has said why it cannot work.
      await team.close();
      throw error;
    }
    tell(app.text.team.alone(app.text.errors.say(errorFacts(why)).text));
  }
  return team;
}

async function openMemoryOf({ app, parts, models, emit, attended, session }: LeadPlace, outOfBudget: () => boolean): Promise<LeadMemory> {
  return openLateMemory({
    folder: app.layout().memory,
    session,
    owed: openOwed(await app.database()),
    now: app.clock.now,
    attended,
    load: async () => (await import('./open-memory.ts')).openLeadMemory(app, parts, { models, session, attended, emit, outOfBudget }),
    emit: tellMemory(app, emit),
  });
}

/** The lead's tools beside the standard ones and the team's. */
function leadTools(place: LeadPlace, limits: Limits, team: Team): Tool[] {
  const { app, parts, models, mode, emit, session } = place;
  const runSubAgent = createSubAgents({ parts, models, session, mode: mode.inForce, emit, limits, team });
  // Tools that change something run one after the other: while one is called, no sub-agent of this session works.
  const isLive = (claim: Claim) => claim.by !== LEAD_NAME || claim.session !== session();
  return [
    ...createLeadTaskTools(parts.tasks, isLive),
    createDispatchTask({ tasks: parts.tasks, runSubAgent }),
    createAgentTool(runSubAgent),
    ...scheduleTools(app, mode.inForce),
  ];
}

/** Calls `onLate` at the deadline; without one it never does. */
function watchTime(app: App, deadline: number | undefined, onLate: () => void) {
  let late = false;
  let ring = () => {};
  const isUp = new Promise<void>((resolve) => {
    ring = resolve;
  });
  const expire = () => {
    late = true;
    onLate();
    ring();
  };
  const cancel = deadline === undefined ? () => {} : app.clock.after(deadline - app.clock.now(), expire);
  return { isUp, late: () => late, cancel };
}

function scheduleTools(app: App, mode: () => PermissionMode): readonly Tool[] {
  const layout = app.layout();
  const home = app.home();
  return createScheduleTools({
    schedule: async () => (await import('../store/schedule/schedule.ts')).openSchedule(await app.database(), app.clock),
    timeZone: () => Intl.DateTimeFormat().resolvedOptions().timeZone,
    mode,
    register: async () =>
      (await import('../store/schedule/workspaces.ts')).registerWorkspace(home, app.homeLocks(), app.clock, layout.root),
    someoneRuns: async () => (await import('../store/schedule/presence.ts')).someoneRuns(app.locks(), app.homeLocks(), layout),
  });
}

/** The settings with another model named, as if by flag. */
async function reloaded(app: App, model: string, provider: string | undefined): Promise<Config> {
  const input = await app.configInput();
  return loadConfig({ ...input, flags: { ...app.globals, model, ...(provider !== undefined && { provider }) } });
}
