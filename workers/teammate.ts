// The thread of one teammate: makes its own clock, stores and model, tells the lead that it is ready, and lives until it
// is ended or stopped. Thin on purpose: what a teammate does is in member.ts.
import type { MessagePort } from 'node:worker_threads';
import { openMailbox } from '../mailbox/mailbox.ts';
import { systemClock } from '../store/clock.ts';
import { loadConfig } from '../store/config/config.ts';
import { readWorkspaceEnv } from '../store/config/dotenv.ts';
import { openDatabase } from '../store/database/database.ts';
import { errorMessage } from '../store/errors.ts';
import { faultHookFromSpec, installFaultHook } from '../store/faults.ts';
import { homeLayout, layoutOf } from '../store/layout.ts';
import { type Locks, openLocks } from '../store/lock.ts';
import { nameProcess } from '../store/process.ts';
import { takeProxiesFrom } from '../store/proxies.ts';
import type { Finding } from '../store/quarantine.ts';
import { storeSchemas } from '../store/schemas.ts';
import { openSessions } from '../store/sessions/sessions.ts';
import { openTasks } from '../store/tasks/tasks.ts';
import { openSharedFilesRecord, type SharedFilesRecord } from '../store/team/shared-files.ts';
import type { AgentEvent } from './agent/events.ts';
import { openSharedFolder } from './agent/files/shared-folder.ts';
import { builtInSkills } from './agent/skills/built-in.ts';
import { openSkills } from './agent/skills/skills.ts';
import { connect } from './channel.ts';
import { type MemberAgentInput, startMemberAgent } from './member-agent.ts';
import { type LeadApi, startParser, type TeammateApi, type TeammateStart } from './protocol.ts';

// Whatever a library prints here would land in the middle of the person's screen.
process.stdout.write = () => true;
process.stderr.write = () => true;

/** Runs one teammate to its end; called by the pool, which keeps the thread for another. */
export default async function teammate(input: { readonly port: MessagePort; readonly start: unknown }): Promise<void> {
  /** What is open, the latest first: also a start that fails leaves nothing open. */
  const closers: Array<() => void | Promise<void>> = [() => input.port.close()];
  try {
    const { running, connected } = await begin(input.port, startParser.parse(input.start), (close) => void closers.unshift(close));
    // Not awaited: the lead may be gone, and its answer is of no use.
    connected.ready().catch(() => undefined);
    await running.live();
  } catch (error) {
    // Some errors (a DOMException) lose their message on the way to the lead's thread.
    throw new Error(errorMessage(error));
  } finally {
    for (const close of closers) await close();
  }
}

/** Opens the stores of the thread, its agent, and the line to the lead. */
async function begin(port: MessagePort, start: TeammateStart, closeLater: (close: () => void | Promise<void>) => void) {
  const { env } = process;
  if (env.XZ_FAULT) installFaultHook(faultHookFromSpec(env.XZ_FAULT));
  takeProxiesFrom(env);
  const clock = systemClock;
  const home = homeLayout(env);
  const layout = layoutOf(start.workspace, home);
  const who = `teammate ${start.name} (pid ${process.pid})`;
  const homeLocks = openLocks(home.locks, who, clock);
  closeLater(() => homeLocks.close());
  const locks = openLocks(layout.locks, who, clock);
  closeLater(() => locks.close());
  nameProcess(locks, layout.locks, start.processName);
  const database = openDatabase(layout.database, storeSchemas);
  closeLater(() => database.close());
  const workspaceEnv = readWorkspaceEnv(home, layout.root, start.mode === 'yolo' ? true : undefined);
  const config = await loadConfig({ home, env, flags: start.flags, workspaceEnv });
  const lead: { api?: ReturnType<typeof connect<LeadApi>> } = {};
  // The box is opened, and what is broken in it found, before there is anybody to tell.
  const early: Finding[] = [];
  const report = (finding: Finding): void => {
    if (lead.api === undefined) early.push(finding);
    else lead.api.event(noticeOf(finding)).catch(() => undefined);
  };
  const running = startMemberAgent({
    start,
    clock,
    layout,
    locks,
    identity: { version: start.version, home, userHome: env.HOME || undefined, homeLocks: () => homeLocks, clock },
    env,
    config,
    sessions: openSessions(database, clock),
    tasks: openTasks({ layout, locks, clock }),
    mailbox: openMailbox({ layout, clock, report }),
    skills: await openSkills({ layout, home: env.HOME || undefined, builtIn: builtInSkills() }),
    ...(start.branch === undefined && { folder: openFolder(start, layout.root, openSharedFilesRecord(database, clock), locks) }),
    lead: () => {
      if (lead.api === undefined) throw new Error('the port is not connected');
      return lead.api;
    },
  });
  closeLater(() => running.close());
  const api: TeammateApi = { wake: running.wake, interrupt: running.interrupt, stop: running.stop };
  const connected = connect<LeadApi>(port, api);
  lead.api = connected;
  for (const finding of early) report(finding);
  return { running, connected };
}

/** A bad file of its box, as the person is told of one. */
function noticeOf({ where, what, fix }: Finding): AgentEvent {
  return { type: 'notice', code: 'bad_file', text: `${where}: ${what}${fix ? ` (${fix})` : ''}` };
}

/** The main folder as this teammate shares it. */
function openFolder(start: TeammateStart, root: string, record: SharedFilesRecord, locks: Locks): NonNullable<MemberAgentInput['folder']> {
  const { name, session } = start;
  return {
    shared: openSharedFolder({ root, agent: { name, session }, record, locks, clock: systemClock }),
    held: () => record.heldBy(session),
  };
}
