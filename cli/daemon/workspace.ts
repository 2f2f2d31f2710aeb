// One workspace in the daemon's care: its own locks, database and scheduler.
import { type Scheduler, startScheduler } from '../../lead/scheduler.ts';
import { openDatabase } from '../../store/database/database.ts';
import { pathExists } from '../../store/files.ts';
import { layoutOf, restoreIgnoreFiles } from '../../store/layout.ts';
import { openLocks } from '../../store/lock.ts';
import { openClaims } from '../../store/schedule/claims.ts';
import { sweepPresence, takePresence } from '../../store/schedule/presence.ts';
import { openSchedule } from '../../store/schedule/schedule.ts';
import { storeSchemas } from '../../store/schemas.ts';
import type { App } from '../compose.ts';
import { runChild, thisProgram } from './child.ts';

export interface ScheduledWorkspace {
  readonly scheduler: Scheduler;
  /** Called each second. */
  tick(): void;
  /** False once the database is gone: the folder was removed or moved. */
  isThere(): boolean;
  /** Waits up to `graceMs` for runs, then closes everything. May be called again with less patience. */
  close(graceMs: number): Promise<void>;
}

export interface WorkspaceInput {
  readonly app: App;
  readonly root: string;
  readonly checkIntervalMs: number;
  readonly room: () => number;
  readonly say: (where: string, text: string) => void;
}

/** Opens a workspace; undefined while nothing was ever stored in it. */
export function openWorkspace({ app, root, checkIntervalMs, room, say }: WorkspaceInput): ScheduledWorkspace | undefined {
  const { clock } = app;
  const layout = layoutOf(root, app.home());
  if (!pathExists(layout.database)) return undefined;
  restoreIgnoreFiles(layout);
  const locks = openLocks(layout.locks, app.who, clock);
  const db = openDatabase(layout.database, storeSchemas);
  sweepPresence(locks, layout, clock.now());
  const presence = takePresence(locks, layout, 'scheduler');
  const claims = openClaims({ db, clock, lease: presence.lease, isFree: (name) => locks.isFree(name) });
  let tick = (): void => {};
  const scheduler = startScheduler({
    workspace: root,
    home: app.home(),
    schedule: openSchedule(db, clock),
    claims,
    clock,
    checkIntervalMs,
    everySecond: (fn) => {
      tick = fn;
      return () => {
        tick = () => {};
      };
    },
    room,
    run: (claim, signal) => runChild({ claim, workspace: root, program: thisProgram(), env: app.env, clock, signal }),
    onProblem: (text) => say(root, text),
    onEnd: ({ task, status }) => app.print.line(`${root}: ${task} ${status}`),
  });
  let closed = false;
  return {
    scheduler,
    tick: () => tick(),
    isThere: () => pathExists(layout.database),
    async close(graceMs) {
      await scheduler.stop(graceMs);
      if (closed) return;
      closed = true;
      presence.release();
      db.close();
      locks.close();
    },
  };
}
