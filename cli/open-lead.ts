// Makes the lead of this process from the app's stores: session, models, team, tools. Used by `xz once`, the screen, the
// REPL and the demo alike.
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Conversation, PermissionMode } from '../lead/conversation.ts';
import { openInbox } from '../lead/inbox.ts';
import { createEvents, createLead, LEAD_NAME, type Lead } from '../lead/lead.ts';
import { openMode } from '../lead/mode.ts';
import { openModels } from '../lead/models.ts';
import { createSubAgents } from '../lead/sub-agents.ts';
import { openTasksBackground } from '../lead/task-background.ts';
import { createTeam, type Team } from '../lead/team/team.ts';
import { createAgentTool } from '../lead/tools/agent.ts';
import { createDispatchTask } from '../lead/tools/dispatch-task.ts';
import { createScheduleTools } from '../lead/tools/schedule-tools.ts';
import { createLeadTaskTools } from '../lead/tools/task-tools.ts';
import { openMailbox } from '../mailbox/mailbox.ts';
import { openRoster } from '../mailbox/roster.ts';
import { type Config, loadConfig } from '../store/config/config.ts';
import { XzError } from '../store/errors.ts';
import { pathExists } from '../store/files.ts';
import { sweepDeadProcesses } from '../store/process.ts';
import { someoneRuns } from '../store/schedule/presence.ts';
import { openSchedule } from '../store/schedule/schedule.ts';
import { registerWorkspace } from '../store/schedule/workspaces.ts';
import type { SessionRow } from '../store/sessions/sessions.ts';
import { openTasks } from '../store/tasks/tasks.ts';
import { openTeamEvents } from '../store/team/events.ts';
import { isTrusted } from '../store/trust.ts';
import type { AgentParts } from '../workers/agent/build.ts';
import { endStrayShells } from '../workers/agent/shell/strays.ts';
import type { Tool } from '../workers/agent/tools/tool.ts';
import { DEFAULT_MAX_ROUNDS, type Limits } from '../workers/agent/turn/limits.ts';
import type { App } from './compose.ts';
import { VERSION } from './version.ts';

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
  close(): Promise<void>;
}

/** Opens the lead. Throws `not_configured` when no usable model is named, before anything is written. */
export async function openLead(app: App, options: LeadOptions): Promise<OpenedLead> {
  const config = await app.config();
  // First of all: without a usable model nothing is written.
  const models = await openModels({ config, identity: app.identity(), env: app.env, agent: LEAD_NAME }, (model, provider) =>
    reloaded(app, model, provider),
  );
  const sessions = await app.sessions();
  const process = app.processName();
  const layout = app.layout();
  const events = createEvents();
  const mode = openMode(options.mode ?? config.permissions.mode);
  const session = options.session ?? sessions.create({ kind: 'lead', agent: LEAD_NAME, title: options.title });
  sweepDeadProcesses(app.locks(), layout.locks);
  const tasks = openTasks({
    layout,
    locks: () => app.locks(),
    clock: app.clock,
    notice: (finding) =>
      events.emit({
        type: 'notice',
        agent: LEAD_NAME,
        code: 'bad_file',
        text: `${finding.where}: ${finding.what}${finding.fix ? ` (${finding.fix})` : ''}`,
      }),
  });
  const parts: AgentParts = {
    layout,
    clock: app.clock,
    locks: app.locks(),
    sessions,
    tasks,
    config,
    env: app.env,
    process,
    binFolder: programFolder(),
    trusted: mode.get() === 'yolo' || isTrusted(layout),
  };
  await endStrayShells(layout.root, app.locks(), app.clock);
  const inbox = openInbox({ clock: app.clock, emit: events.emit, attended: options.attended });
  const { timeoutS, maxCostUsd, maxRounds } = options.limits ?? {};
  if (maxCostUsd !== undefined && !models.priced())
    throw new XzError('bad_input', app.text.once.unpriced(models.facts().model), { hint: app.text.once.unpricedHint });
  const totalCost = () => sessions.spentByAll(sessionNow()).costUsd;
  const deadline = timeoutS === undefined ? undefined : app.clock.now() + timeoutS * 1_000;
  const limits: Limits = {
    maxRounds: maxRounds ?? DEFAULT_MAX_ROUNDS,
    deadline,
    ...(maxCostUsd !== undefined && { outOfBudget: () => (totalCost() ?? 0) >= maxCostUsd }),
  };
  let lead: Lead | undefined;
  const sessionNow = () => lead?.session() ?? session.id;
  const report = (finding: { readonly where: string; readonly what: string }) =>
    events.emit({ type: 'notice', agent: LEAD_NAME, code: 'bad_file', text: `${finding.where}: ${finding.what}` });
  const team = createTeam({
    parts,
    mailbox: openMailbox({ layout, clock: app.clock, report }),
    roster: openRoster({ layout, clock: app.clock, report }),
    record: openTeamEvents(await app.database(), app.clock),
    emit: events.emit,
    inbox,
    settings: { max: config.team.max, worktrees: config.team.worktrees },
    flags: flagsOf(app),
    language: app.language,
    attended: options.attended,
    version: VERSION,
    session: sessionNow,
    mode: mode.inForce,
    outOfBudget: () => limits.outOfBudget?.() ?? false,
    openPool: async () => {
      const { openPool, threadEntry } = await import('../workers/pool.ts');
      return openPool(config.team.max, threadEntry(import.meta.url));
    },
  });
  team.lead();
  if (config.team.enabled) await team.control.on();
  const runSubAgent = createSubAgents({ parts, models, session: sessionNow, mode: mode.inForce, emit: events.emit, limits });
  lead = createLead({
    parts,
    session,
    models,
    team,
    inbox,
    attended: options.attended,
    tools: [
      ...createLeadTaskTools(tasks),
      createDispatchTask({ tasks, runSubAgent }),
      createAgentTool(runSubAgent),
      ...(await scheduleTools(app, mode.inForce)),
    ],
    aliases: { create_schedule: 'schedule_task' },
    mode,
    limits,
    emit: events.emit,
    background: () => Promise.resolve(openTasksBackground(tasks) || undefined),
  });
  const opened = lead;
  let late = false;
  let ring = () => {};
  const timeIsUp = new Promise<void>((resolve) => {
    ring = resolve;
  });
  const cancel =
    deadline === undefined
      ? () => {}
      : app.clock.after(deadline - app.clock.now(), () => {
          late = true;
          opened.suspend('timeout');
          ring();
        });
  return {
    lead,
    team,
    listen: events.listen,
    session,
    parts,
    totalCost,
    timeIsUp,
    isTimeUp: () => late,
    async close() {
      cancel();
      await opened.close();
    },
  };
}

/** Command-line options that decide a model, for the teammates' threads. */
function flagsOf(app: App): Record<string, string | boolean> {
  const out: Record<string, string | boolean> = {};
  for (const [name, value] of Object.entries(app.globals)) if (typeof value === 'string' || typeof value === 'boolean') out[name] = value;
  return out;
}

/** The folder beside the program that holds a link named `xz`, for tool shells; made by the build. */
function programFolder(): string | undefined {
  const folder = join(dirname(fileURLToPath(import.meta.url)), 'bin');
  return pathExists(join(folder, 'xz')) ? folder : undefined;
}

async function scheduleTools(app: App, mode: () => PermissionMode): Promise<readonly Tool[]> {
  const layout = app.layout();
  const home = app.home();
  return createScheduleTools({
    schedule: openSchedule(await app.database(), app.clock),
    timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
    mode,
    register: () => registerWorkspace(home, app.homeLocks(), app.clock, layout.root),
    someoneRuns: () => someoneRuns(app.locks(), app.homeLocks(), layout),
  });
}

/** The settings with another model named, as if by flag. */
function reloaded(app: App, model: string, provider: string | undefined): Promise<Config> {
  return loadConfig({ home: app.home(), env: app.env, flags: { ...app.globals, model, ...(provider !== undefined && { provider }) } });
}
