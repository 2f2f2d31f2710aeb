// A real terminal for tests: one tmux server of its own for each, with a private socket. Skipped where tmux is missing.
import { execFileSync, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { tempFolder } from './temp.ts';
import { until } from './until.ts';

export const HAS_TMUX = spawnSync('tmux', ['-V']).status === 0;

export interface Tmux {
  /** The visible screen. */
  screen(): string;
  /** The visible screen with its colours, every row to its last cell. */
  painted(): string;
  /** The screen and everything above it. */
  history(): string;
  /** tmux key names such as `Enter`, `C-c`, `Up`. */
  keys(...names: string[]): void;
  type(text: string): void;
  paste(text: string, bracketed?: boolean): void;
  resize(columns: number, rows: number): void;
  /** Column and row of the real cursor, and whether it is shown. */
  cursor(): { x: number; y: number; shown: boolean };
  /** A tmux format such as `#{alternate_on}`. */
  ask(format: string): string;
  shows(what: RegExp | string): Promise<void>;
  close(): void;
}

export interface TmuxOptions {
  readonly columns?: number;
  readonly rows?: number;
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd: string;
}

/** Starts a shell command line in a new terminal. */
export function startTmux(command: string, options: TmuxOptions): Tmux {
  const socket = join(tempFolder('xz-tmux-'), 's');
  const tmux = (...args: string[]): string =>
    execFileSync('tmux', ['-S', socket, '-f', '/dev/null', ...args], {
      encoding: 'utf8',
      env: { ...process.env, LC_ALL: 'C.UTF-8', TMUX: '' },
    });
  const env = Object.entries(options.env ?? {}).flatMap(([name, value]) => ['-e', `${name}=${value}`]);
  // tmux gives its panes a TERM of its own, over what the session's environment says.
  const term = options.env?.TERM === undefined ? '' : `export TERM='${options.env.TERM}'; `;
  const size = ['-x', String(options.columns ?? 120), '-y', String(options.rows ?? 36)];
  tmux('new-session', '-d', '-s', 'x', ...size, '-c', options.cwd, ...env, 'bash', '--norc', '-c', `${term}${command}`);
  tmux('set-option', '-g', 'escape-time', '0');
  const terminal: Tmux = {
    screen: () => tmux('capture-pane', '-p', '-t', 'x'),
    painted: () => tmux('capture-pane', '-p', '-e', '-N', '-t', 'x'),
    history: () => tmux('capture-pane', '-p', '-S', '-', '-t', 'x'),
    keys: (...names) => void tmux('send-keys', '-t', 'x', ...names),
    type: (text) => void tmux('send-keys', '-t', 'x', '-l', '--', text),
    paste(text, bracketed = true) {
      execFileSync('tmux', ['-S', socket, 'load-buffer', '-'], { input: text });
      tmux('paste-buffer', '-r', ...(bracketed ? ['-p'] : []), '-t', 'x');
    },
    resize: (columns, rows) => void tmux('resize-window', '-t', 'x', '-x', String(columns), '-y', String(rows)),
    cursor() {
      const [x = '', y = '', shown = ''] = terminal.ask('#{cursor_x} #{cursor_y} #{cursor_flag}').split(' ');
      return { x: Number(x), y: Number(y), shown: shown === '1' };
    },
    ask: (format) => tmux('display-message', '-p', '-t', 'x', format).trim(),
    async shows(what) {
      try {
        await until(() => {
          const screen = terminal.screen();
          return typeof what === 'string' ? screen.includes(what) : what.test(screen);
        });
      } catch {
        throw new Error(`the screen never showed ${what}:\n${terminal.screen()}`);
      }
    },
    close: () => void spawnSync('tmux', ['-S', socket, 'kill-server']),
  };
  return terminal;
}
