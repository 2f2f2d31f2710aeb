// `xz daemon install|uninstall|status`. The unit is written here; starting and stopping it stays with the person, who is
// told the commands.
import { dirname } from 'node:path';
import { inspectConfig } from '../../../store/config/config.ts';
import { namesModel } from '../../../store/config/resolve.ts';
import { ensureFolder, pathExists, readText, removeFile, writeFileAtomic } from '../../../store/files.ts';
import { homeFolder } from '../../../store/layout.ts';
import { DAEMON_LEASE } from '../../../store/schedule/presence.ts';
import { registeredWorkspaces } from '../../../store/schedule/workspaces.ts';
import type { App } from '../../compose.ts';
import { thisProgram } from '../../daemon/child.ts';
import { UNIT_NAME, unitPath, unitText } from '../../daemon/unit.ts';
import type { RunCommand } from '../../table/command.ts';

/** What the service is given of this shell's environment. */
const HANDED_ON = ['XZ_HOME', 'TZ', 'PATH'] as const;

export const runDaemonInstall: RunCommand = async (app) => {
  const home = homeFolder(app.env);
  const path = unitPath(app.env, home);
  const text = unitText({
    program: thisProgram(),
    workingDirectory: home,
    environment: HANDED_ON.flatMap((name) => {
      const value = app.env[name];
      return value ? [[name, value] as const] : [];
    }),
  });
  if (readText(path) !== text) {
    ensureFolder(dirname(path));
    writeFileAtomic(path, text);
  }
  const start = `systemctl --user daemon-reload && systemctl --user enable --now ${UNIT_NAME}`;
  if (app.print.json) app.print.value({ unit: path, start });
  else {
    app.print.line(app.text.daemon.installed(path));
    app.print.line(app.text.daemon.startWith(start));
  }
  if (!(await serviceHasModel(app))) {
    app.print.warn(`xz: ${app.text.daemon.noModel}`);
    app.print.warn(`${app.text.common.hint}: ${app.text.daemon.noModelHint}`);
  }
  return 0;
};

/** Whether the settings name a usable model where nothing else of this shell's environment is known. */
async function serviceHasModel(app: App): Promise<boolean> {
  const env = Object.fromEntries(['HOME', ...HANDED_ON].map((name) => [name, app.env[name]]));
  const { config } = await inspectConfig({ home: app.home(), env, flags: {} });
  return namesModel(config);
}

export const runDaemonUninstall: RunCommand = async (app) => {
  const path = unitPath(app.env, homeFolder(app.env));
  const stop = `systemctl --user disable --now ${UNIT_NAME}`;
  const removed = removeFile(path);
  if (app.print.json) app.print.value({ unit: path, removed, stop });
  else if (removed) {
    app.print.line(app.text.daemon.uninstalled(path));
    app.print.line(app.text.daemon.stopWith(stop));
  } else app.print.line(app.text.daemon.notInstalled);
  return 0;
};

export const runDaemonStatus: RunCommand = async (app) => {
  const path = unitPath(app.env, homeFolder(app.env));
  const installed = pathExists(path);
  const holder = daemonHolder(app);
  const { workspaces } = registeredWorkspaces(app.home());
  if (app.print.json) {
    app.print.value({ running: holder !== undefined, holder: holder ?? null, installed, unit: path, workspaces });
    return 0;
  }
  app.print.line(holder === undefined ? app.text.daemon.notRunning : app.text.daemon.running(holder));
  app.print.line(installed ? app.text.daemon.installed(path) : app.text.daemon.notInstalled);
  for (const root of workspaces) app.print.line(`  ${root}`);
  return 0;
};

/** Who holds the daemon's lease, or undefined. Asking leaves nothing behind in a home that never had a daemon. */
function daemonHolder(app: App): string | undefined {
  if (app.homeLocks().isFree(DAEMON_LEASE)) return undefined;
  const lease = app.homeLocks().tryLease(DAEMON_LEASE);
  if (lease.holder !== undefined) return lease.holder;
  lease.release();
  return undefined;
}
