// What the operations of a team work with, over real stores in a temp workspace; the threads are the test's own.
import type { EmitLeadEvent, LeadEvent } from '../../lead/events.ts';
import { openInbox } from '../../lead/inbox.ts';
import type { Crew } from '../../lead/team/crew.ts';
import { openMailbox } from '../../mailbox/mailbox.ts';
import { openRoster } from '../../mailbox/roster.ts';
import type { Clock } from '../../store/clock.ts';
import { loadConfig } from '../../store/config/config.ts';
import { openDatabase } from '../../store/database/database.ts';
import { ensureStore } from '../../store/layout.ts';
import { openLocks } from '../../store/lock.ts';
import { storeSchemas } from '../../store/schemas.ts';
import { openSessions } from '../../store/sessions/sessions.ts';
import { openTasks } from '../../store/tasks/tasks.ts';
import { openTeamEvents } from '../../store/team/events.ts';
import { openSharedFilesRecord } from '../../store/team/shared-files.ts';
import { builtInSkills } from '../../workers/agent/skills/built-in.ts';
import { openSkills } from '../../workers/agent/skills/skills.ts';
import type { TeammatePool } from '../../workers/pool.ts';
import { testLayout } from './layout.ts';
import { tempWorkspace, type Workspace } from './temp.ts';

export interface TestCrew {
  readonly crew: Crew;
  readonly events: LeadEvent[];
  close(): void;
}

export interface TestCrewOptions {
  readonly ws?: Workspace;
  /** True: in mode `ask`, with somebody to ask. */
  readonly attended?: boolean;
}

/** A crew whose lead has a session and whose threads come from `pool`. */
export async function testCrew(clock: Clock, pool: TeammatePool, options: TestCrewOptions = {}): Promise<TestCrew> {
  const { ws = tempWorkspace(), attended = false } = options;
  const layout = testLayout(ws.dir, ws.env.XZ_HOME);
  ensureStore(layout, 'agents');
  const locks = openLocks(layout.locks, 'a test', clock);
  const database = openDatabase(layout.database, storeSchemas);
  const sessions = openSessions(database, clock);
  const session = sessions.create({ kind: 'lead', agent: 'Lead', title: 'test' });
  const events: LeadEvent[] = [];
  const emit: EmitLeadEvent = (event) => void events.push(event);
  const config = await loadConfig({ home: layout.home, env: ws.env, flags: {} });
  const skills = await openSkills({ layout, home: ws.home, builtIn: builtInSkills() });
  const crew: Crew = {
    parts: {
      ...{ layout, clock, locks, sessions, config, skills },
      tasks: openTasks({ layout, locks, clock }),
      env: ws.env,
      process: { name: 'ptest', hold: () => {} },
      binFolder: undefined,
      trusted: true,
      version: '0',
    },
    mailbox: openMailbox({ layout, clock }),
    roster: openRoster({ layout, clock }),
    record: openTeamEvents(database, clock),
    files: openSharedFilesRecord(database, clock),
    emit,
    inbox: openInbox({ clock, emit, attended }),
    settings: { max: 3, worktrees: false },
    flags: {},
    language: 'en',
    attended,
    version: '0',
    session: () => session.id,
    mode: () => (attended ? 'ask' : 'yolo'),
    epoch: () => 'team-epoch',
    pool: () => pool,
    threads: new Map(),
    outOfBudget: () => false,
    mailed: () => {},
    changed: () => {},
  };
  return {
    crew,
    events,
    close() {
      database.close();
      locks.close();
    },
  };
}
