// The stage of the demo: a scratch git repository with failing tests, a home of its own, and an app that lives there.
// Nothing of the person's own folders or settings is touched.
import { execFileSync } from 'node:child_process';
import { readdirSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { copyFileAtomic, ensureFolder, removeTree, writeFileAtomic } from '../../store/files.ts';
import { randomId } from '../../store/ids.ts';
import { SCRIPT_VARIABLE } from '../../workers/agent/model/choose.ts';
import { type App, composeApp } from '../compose.ts';
import { demoScript } from './script.ts';

export interface Stage {
  /** The scratch repository. */
  readonly folder: string;
  /** The same program, with the scratch repository as workspace and the written model. */
  readonly app: App;
  /** Removes everything; done by itself where the process ends before. */
  strike(): void;
}

/** Sets the stage; `app` gives the terminal and the language. */
export function setStage(app: App): Stage {
  const base = join(tmpdir(), `xz-demo-${randomId(8)}`);
  ensureFolder(base, 0o700);
  const folder = join(base, 'texttools');
  const script = join(base, 'script.json');
  copyProject(join(dirname(fileURLToPath(import.meta.url)), '..', 'demo', 'texttools'), folder);
  writeFileAtomic(script, JSON.stringify(demoScript()), { volatile: true });
  const env = {
    ...app.env,
    HOME: base,
    XZ_HOME: join(base, '.xz'),
    XZ_WORKSPACE: folder,
    XZ_PROVIDER: 'scripted',
    XZ_MODEL: 'scripted',
    [SCRIPT_VARIABLE]: script,
    GIT_CONFIG_GLOBAL: join(base, '.gitconfig'),
    GIT_CONFIG_NOSYSTEM: '1',
  };
  writeFileAtomic(env.GIT_CONFIG_GLOBAL, '[user]\n\tname = Demo\n\temail = demo@example.invalid\n[init]\n\tdefaultBranch = main\n', {
    volatile: true,
  });
  const git = (...args: string[]) => execFileSync('git', args, { cwd: folder, env, stdio: 'ignore' });
  git('init', '-q');
  git('add', '-A', '--', ':!.worktrees');
  git('commit', '-qm', 'start');
  const staged = composeApp({
    env,
    cwd: folder,
    globals: { ...app.globals, team: true, mode: 'yolo' },
    language: app.language,
    text: app.text,
    print: app.print,
    command: 'demo',
  });
  let stands = true;
  const strike = () => {
    if (!stands) return;
    stands = false;
    process.off('exit', strike);
    staged.close();
    removeTree(base);
  };
  process.on('exit', strike);
  return { folder, app: staged, strike };
}

/** The project that the package brings in `demo/`. */
function copyProject(from: string, to: string): void {
  for (const name of readdirSync(from, { recursive: true, encoding: 'utf8' }))
    if (statSync(join(from, name)).isFile()) copyFileAtomic(join(from, name), join(to, name));
}
