// The systemd user unit of the daemon, as text. Format: systemd.service(5), systemd.syntax(7).
import { join } from 'node:path';

export const UNIT_NAME = 'xz-daemon.service';

type Environment = Readonly<Record<string, string | undefined>>;

/** Where units of the person are kept. */
export function unitPath(env: Environment, home: string): string {
  return join(env.XDG_CONFIG_HOME || join(home, '.config'), 'systemd', 'user', UNIT_NAME);
}

export interface UnitInput {
  /** Program and leading arguments. */
  readonly program: readonly string[];
  readonly workingDirectory: string;
  /** Variables that the daemon needs and a login session would not give it. */
  readonly environment: ReadonlyArray<readonly [name: string, value: string]>;
}

/** The unit. It stops with SIGTERM and is given longer than the daemon itself waits for its runs. */
export function unitText({ program, workingDirectory, environment }: UnitInput): string {
  return `[Unit]
Description=xz scheduled tasks

[Service]
Type=simple
ExecStart=${[...program, '--daemon', '--all'].map((word) => quoted(word).replaceAll('$', '$$$$')).join(' ')}
WorkingDirectory=${escaped(workingDirectory)}
${environment.map(([name, value]) => `Environment=${quoted(`${name}=${value}`)}\n`).join('')}Restart=on-failure
RestartSec=10
TimeoutStopSec=15
KillMode=mixed

[Install]
WantedBy=default.target
`;
}

/** A word, quoted where it must be, with `%` (specifiers), `"` and `\` made literal. A `$` is special in command lines only. */
function quoted(word: string): string {
  const literal = word.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('%', '%%');
  return /^[\w@+=:,./%-]+$/.test(word) ? literal : `"${literal}"`;
}

/** A whole value takes no quotes; only specifiers must be made literal. */
function escaped(path: string): string {
  return path.replaceAll('%', '%%');
}
