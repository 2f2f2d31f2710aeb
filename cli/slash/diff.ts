// `/diff`: what has changed in the workspace since the last commit, new files too.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { SlashCommand } from './command.ts';

const run = promisify(execFile);
const MOST_CHARACTERS = 200_000;

export const diffCommand: SlashCommand = {
  name: 'diff',
  help: (t) => t.slash.help.diff,
  async run({ app, say }) {
    const words = app.text.slash;
    const git = async (...args: string[]): Promise<string> => {
      const env = withoutGitLocations(app.env);
      const { stdout } = await run('git', ['-c', 'core.quotepath=false', ...args], {
        cwd: app.layout().root,
        env,
        maxBuffer: 64 * 1024 * 1024,
      });
      return stdout;
    };
    let fresh: string;
    try {
      fresh = await git('ls-files', '--others', '--exclude-standard');
    } catch {
      // git is missing or this is no repository; either way there is nothing to compare with.
      say(words.noGit);
      return 'stay';
    }
    // Before the first commit there is no HEAD to compare with: the index is all there is.
    const changed = await git('diff', '--no-color', '--no-ext-diff', 'HEAD').catch(() => git('diff', '--no-color', '--no-ext-diff'));
    const added = fresh.split('\n').filter((name) => name !== '');
    const list = added.map((name) => `- \`${name}\``).join('\n');
    const cut = changed.lastIndexOf('\n', MOST_CHARACTERS);
    const left =
      changed.length > MOST_CHARACTERS
        ? changed
            .slice(cut + 1)
            .trimEnd()
            .split('\n').length
        : 0;
    const shownDiff = left > 0 ? changed.slice(0, cut) : changed;
    const parts = [changed === '' ? '' : fenced(shownDiff), left > 0 ? app.text.screen.moreLines(left) : '', list];
    const shown = parts.filter((part) => part !== '').join('\n\n');
    say(shown === '' ? words.noChanges : shown);
    return 'stay';
  },
};

/** A fence longer than any run of backquotes inside. */
function fenced(diff: string): string {
  const longest = Math.max(2, ...[...diff.matchAll(/`+/g)].map(([ticks]) => ticks.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}diff\n${diff.trimEnd()}\n${fence}`;
}

/** Variables such as GIT_DIR (set inside a hook) would point git at another repository. */
export function withoutGitLocations(env: Readonly<Record<string, string | undefined>>): Record<string, string | undefined> {
  return Object.fromEntries(
    Object.entries(env).filter(([name]) => !/^GIT_(DIR|WORK_TREE|INDEX_FILE|COMMON_DIR|OBJECT_DIRECTORY|PREFIX|NAMESPACE)$/.test(name)),
  );
}
