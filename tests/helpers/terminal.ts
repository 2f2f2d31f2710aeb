// A real terminal: tmux with a server of its own, one window, no settings of this machine. Tests read the screen as a
// person would and press keys.
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { onTestFinished } from 'vitest';
import { until } from './until.ts';

export interface Terminal {
  /** What the screen shows now, without trailing blanks. */
  screen(): string;
  /** Everything that scrolled by, too. */
  history(): string;
  /** Keys by tmux's names: `Enter`, `Down`, `C-c`, … */
  press(...keys: readonly string[]): void;
  /** Types text as it is. */
  type(text: string): void;
  /** Resolves with the screen once it shows the text or fits the pattern. */
  shows(what: string | RegExp): Promise<string>;
  resize(columns: number, rows: number): void;
  /** Process id of what runs in the window. */
  pid(): number;
}

export interface TerminalOptions {
  readonly command: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly columns?: number;
  readonly rows?: number;
}

/** Starts the command in a terminal; the terminal is gone when the test ends. The window stays when the command ends. */
export function startTerminal({ command, cwd, env, columns = 100, rows = 32 }: TerminalOptions): Terminal {
  const socket = `xz-test-${process.pid}-${randomBytes(4).toString('hex')}`;
  const own = { PATH: process.env.PATH ?? '/usr/bin:/bin', LC_ALL: 'C.UTF-8', TERM: 'xterm-256color', HOME: cwd };
  const tmux = (...args: readonly string[]) =>
    execFileSync('tmux', ['-L', socket, '-f', '/dev/null', ...args], { encoding: 'utf8', env: own, stdio: ['ignore', 'pipe', 'pipe'] });
  const variables = Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined);
  const quoted = ['env', '-i', ...variables.map(([name, value]) => `${name}=${value}`), ...command]
    .map((part) => `'${part.replaceAll("'", "'\\''")}'`)
    .join(' ');
  tmux(
    'new-session',
    '-d',
    '-x',
    String(columns),
    '-y',
    String(rows),
    '-c',
    cwd,
    ';',
    'set',
    '-g',
    'remain-on-exit',
    'on',
    ';',
    'set',
    '-g',
    'history-limit',
    '5000',
    ';',
    'respawn-pane',
    '-k',
    '-c',
    cwd,
    quoted,
  );
  onTestFinished(() => void tmux('kill-server'));
  const screen = () =>
    tmux('capture-pane', '-p')
      .replace(/[ \t]+$/gm, '')
      .replace(/\n+$/, '');
  return {
    screen,
    history: () => tmux('capture-pane', '-p', '-S', '-').replace(/[ \t]+$/gm, ''),
    press: (...keys) => void tmux('send-keys', ...keys),
    type: (text) => void tmux('send-keys', '-l', text),
    shows: (what) =>
      until(
        () => {
          const now = screen();
          return (typeof what === 'string' ? now.includes(what) : what.test(now)) ? now : undefined;
        },
        `the screen to show ${String(what)}; it shows:\n${screen()}`,
        45_000,
      ),
    resize: (wide, high) => void tmux('resize-window', '-x', String(wide), '-y', String(high)),
    pid: () => Number(tmux('display-message', '-p', '#{pane_pid}').trim()),
  };
}
