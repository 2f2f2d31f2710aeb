// `xz config trust [DIR]`: trusts a folder, and, if the person says so, the lines of its `.env` that decide where
// requests go, who pays and what runs unasked.
import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { guardedHash, type WorkspaceEnv, workspaceEnvIn } from '../../../store/config/dotenv.ts';
import { errnoOf, XzError } from '../../../store/errors.ts';
import { trust } from '../../../store/trust.ts';
import type { App } from '../../compose.ts';
import type { RunCommand } from '../../table/command.ts';
import { refuseAgent } from './by-agent.ts';

export const runConfigTrust: RunCommand = async (app, call) => {
  refuseAgent(app, 'trust');
  const given = call.args.dir;
  const folder = given === undefined ? app.layout().root : resolve(app.cwd, given);
  if (!isFolder(folder)) throw new XzError('bad_input', `${folder} is not a folder`, { data: { kind: 'not_a_folder', path: folder } });
  const env = guardedEnv(folder);
  const approved = env !== undefined && (call.options.env === true || (await askAbout(app, env)));
  const entry = trust(app.home(), folder, app.clock.now(), approved ? guardedHash(env) : undefined);
  if (app.print.json) {
    app.print.value({ path: entry.path, trusted: true, env: env === undefined ? null : approved ? 'approved' : 'not approved' });
    return 0;
  }
  app.print.line(app.text.config.trusted(entry.path));
  if (env !== undefined)
    app.print.line(approved ? app.text.config.envApproved(env.guarded.join(', ')) : app.text.config.envNotApproved(env.guarded.join(', ')));
  return 0;
};

function guardedEnv(folder: string): WorkspaceEnv | undefined {
  const env = workspaceEnvIn(folder);
  return env !== undefined && env.guarded.length > 0 ? env : undefined;
}

async function askAbout(app: App, env: WorkspaceEnv): Promise<boolean> {
  if (!app.print.terminal || process.stdin.isTTY !== true || app.print.json) return false;
  const { clackPrompts } = await import('../../setup/clack.ts');
  const answer = await clackPrompts(app.text).confirm(app.text.config.askEnv(env.guarded.join(', ')), false);
  return answer === true;
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch (error) {
    if (errnoOf(error) === 'ENOENT' || errnoOf(error) === 'ENOTDIR') return false;
    throw error;
  }
}
