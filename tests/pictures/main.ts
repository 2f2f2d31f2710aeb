// Draws the pictures of the README: the built program tells the team's story in a real terminal, driven by keys alone, and
// at four moments the cells of that terminal become an SVG file. Run by `node scripts/pictures.mjs`; needs tmux.
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { tempWorkspace } from '../helpers/temp.ts';
import { startTmux, type Tmux } from '../helpers/tmux.ts';
import { until } from '../helpers/until.ts';
import { paintedRows } from './cells.ts';
import { type Language, pictureScript, WORDS } from './story.ts';
import { svgOf } from './svg.ts';

const SIZE = { columns: 118, rows: 36 };
const TITLES: Readonly<Record<Language, Readonly<Record<string, string>>>> = {
  en: {
    welcome: 'xz has started; a request is typed',
    team: 'three teammates at work, the team panel in focus',
    question: 'a teammate asks before it edits, with the diff',
    landed: 'all work is merged and the team is idle',
  },
  zh: {
    welcome: 'xz 已启动，正在输入请求',
    team: '三个队友在工作，焦点在团队面板',
    question: '队友在修改前询问，附带 diff',
    landed: '全部工作已合入，团队空闲',
  },
};

/** Writes `<folder>/<moment>.<language>.svg`; `root` is the project's folder. */
export async function drawPictures(root: string, language: Language, folder: string): Promise<void> {
  const terminal = startStory(root, language);
  const draw = (moment: string) => {
    const rows = paintedRows(terminal.painted()).slice(0, SIZE.rows);
    const svg = svgOf({ rows, columns: SIZE.columns, cursor: terminal.cursor(), title: TITLES[language][moment] ?? moment });
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, `${moment}.${language}.svg`), svg);
  };
  try {
    await terminal.shows('◆ xz');
    terminal.type(WORDS[language].request);
    await terminal.shows(WORDS[language].request);
    draw('welcome');
    terminal.keys('Enter');
    await terminal.shows(/ cid .* \d+ s /);
    terminal.keys('Tab');
    await terminal.shows(/▸ann .* \d+ s .*k\n[\s\S]* bob .* \d+ s .*k\n[\s\S]* cid .* \d+ s .*k\n/);
    draw('team');
    terminal.keys('Escape');
    await terminal.shows(/\? ann /);
    await until(() => !/ (?:bob|cid) .* \d+ s /.test(terminal.screen()), 'the others to be done', 30_000);
    draw('question');
    terminal.type('y');
    await terminal.shows(WORDS[language].end.replaceAll('*', '').slice(0, 8));
    await standsStill(terminal);
    draw('landed');
    // Left in order: a program that still writes would be in the way of the clearing up.
    terminal.type('/exit');
    terminal.keys('Enter');
    await terminal.shows('exit=0');
  } catch (error) {
    throw new Error(`the story stopped:\n${terminal.screen()}`, { cause: error });
  } finally {
    terminal.close();
  }
}

/** Resolves once the screen has not changed for a while: nothing counts up any more. */
async function standsStill(terminal: Tmux): Promise<void> {
  let before = '';
  let since = Date.now();
  await until(() => {
    const now = terminal.screen();
    if (now !== before) since = Date.now();
    before = now;
    return Date.now() - since > 1_500;
  }, 'the screen to stand still');
}

function startStory(root: string, language: Language): Tmux {
  const project = join(root, 'demo', 'texttools');
  const names = readdirSync(project, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const files = Object.fromEntries(
    names.map((entry) => {
      const path = join(entry.parentPath, entry.name);
      return [path.slice(project.length + 1), readFileSync(path, 'utf8')];
    }),
  );
  const workspace = tempWorkspace({ files: { ...files, '.gitignore': '.worktrees\n' }, name: 'texttools' });
  const script = join(workspace.home, 'script.json');
  writeFileSync(script, JSON.stringify(pictureScript(language)));
  mkdirSync(join(workspace.home, '.xz'), { recursive: true });
  writeFileSync(
    join(workspace.home, '.xz', 'config.toml'),
    '[permissions]\nallow = ["write_file(src/**)", "bash(node --test*)"]\n\n[setup]\ncompleted = true\n',
  );
  const env = {
    ...workspace.env,
    HOME: dirname(workspace.dir),
    ...{
      XZ_PROVIDER: 'scripted',
      XZ_API_KEY: 'none',
      XZ_BASE_URL: 'http://127.0.0.1',
      XZ_MODEL: 'scripted',
      XZ_SCRIPT: script,
      XZ_LANG: language,
    },
    ...{ XZ_TEAM_ENABLED: '1', TERM: 'screen-256color', COLORTERM: 'truecolor' },
  };
  const main = join(root, 'dist', 'main.js');
  execFileSync(process.execPath, [main, 'config', 'trust'], { cwd: workspace.dir, env });
  return startTmux(`node '${main}'; echo "exit=$?"; exec bash --norc`, { ...SIZE, cwd: workspace.dir, env });
}
