// `xz --daemon`: runs schedules without a screen. One a home, told by a lease; every run is a process of its own, at
// most three at a time over all workspaces. The register, new databases and every change of a schedule are seen at the
// next look, since nothing is kept in memory that is on disk.
import { everySecond } from '../../lead/tick.ts';
import { errorMessage, XzError } from '../../store/errors.ts';
import type { Lease } from '../../store/lock.ts';
import { DAEMON_ALL_LEASE, DAEMON_LEASE, daemonLeaseOf } from '../../store/schedule/presence.ts';
import { registeredWorkspaces } from '../../store/schedule/workspaces.ts';
import type { App } from '../compose.ts';
import { onStopSignal } from './signals.ts';
import { openWorkspace, type ScheduledWorkspace } from './workspace.ts';

/** Runs at once, over all workspaces. */
const MOST_RUNS = 3;
/** A stopped daemon waits so long for its runs. */
const STOP_GRACE_MS = 5_000;

/** Runs until it is told to stop; resolves to the exit code. Throws `conflict` when this home has a daemon already. */
export async function runDaemon(app: App, { all }: { readonly all: boolean }): Promise<number> {
  const { checkIntervalMs } = (await app.config()).scheduler;
  const scope = all ? DAEMON_ALL_LEASE : daemonLeaseOf(app.layout().root);
  const leases = [leaseOf(app, DAEMON_LEASE), leaseOf(app, scope)];
  const open = new Map<string, ScheduledWorkspace>();
  const told = new Map<string, string>();
  const say = (where: string, text: string): void => {
    if (told.get(where) !== text) app.print.warn(`${where}: ${text}`);
    told.set(where, text);
  };
  const room = (): number => MOST_RUNS - [...open.values()].reduce((sum, { scheduler }) => sum + scheduler.running().length, 0);

  const follow = (): void => {
    const wanted = all ? registered(app, say) : [app.layout().root];
    for (const root of wanted) {
      if (open.has(root)) continue;
      try {
        const workspace = openWorkspace({ app, root, checkIntervalMs, room, say });
        if (workspace !== undefined) open.set(root, workspace);
      } catch (error) {
        // One workspace that cannot be opened (a newer database, a folder without rights) keeps no other from running.
        say(root, errorMessage(error));
      }
    }
    for (const [root, workspace] of open) {
      if (wanted.includes(root) && workspace.isThere()) continue;
      open.delete(root);
      void workspace.close(0).catch((error: unknown) => say(root, errorMessage(error)));
    }
  };

  let lastFollow = Number.NEGATIVE_INFINITY;
  const tick = (): void => {
    try {
      const passed = app.clock.now() - lastFollow;
      if (passed < 0 || passed >= checkIntervalMs) {
        lastFollow = app.clock.now();
        follow();
      }
      for (const workspace of open.values()) workspace.tick();
    } catch (error) {
      say('xz --daemon', errorMessage(error));
    }
  };
  const stopTicking = everySecond(true)(tick);
  app.print.line(app.text.daemon.started(process.pid, all ? app.home().workspaces : app.layout().root));
  tick();

  await new Promise<void>((resolve) => {
    // A second signal ends the waiting of the first.
    let asked = 0;
    onStopSignal(() => {
      stopTicking();
      asked++;
      const grace = asked > 1 ? 0 : STOP_GRACE_MS;
      void Promise.allSettled([...open.values()].map((workspace) => workspace.close(grace))).then(() => resolve());
    });
  });
  for (const lease of leases) lease.release();
  app.print.line(app.text.daemon.stopped);
  return 0;
}

function leaseOf(app: App, name: string): Lease {
  const lease = app.homeLocks().tryLease(name);
  if (lease.holder === undefined) return lease;
  throw new XzError('conflict', `a daemon is running already: ${lease.holder}`, {
    hint: 'stop it first; `xz --daemon --all` looks after every workspace that has a schedule',
    data: { kind: 'daemon', holder: lease.holder },
  });
}

function registered(app: App, say: (where: string, text: string) => void): readonly string[] {
  const { workspaces, bad } = registeredWorkspaces(app.home());
  if (bad !== undefined) say(app.home().workspaces, bad);
  return workspaces;
}
