// The command table: every group of commands, in the order of the help text.

import { authCommand } from '../commands/auth.ts';
import { completionCommand } from '../commands/completion.ts';
import { configCommand } from '../commands/config.ts';
import { daemonCommand } from '../commands/daemon.ts';
import { doctorCommand } from '../commands/doctor.ts';
import { historyCommand } from '../commands/history.ts';
import { mailCommand } from '../commands/mail.ts';
import { memoryCommand } from '../commands/memory.ts';
import { onceCommand } from '../commands/once.ts';
import { scheduleCommand } from '../commands/schedule.ts';
import { skillCommand } from '../commands/skill.ts';
import { taskCommand } from '../commands/task.ts';
import { teamCommand } from '../commands/team.ts';
import type { CommandSpec, OptionSpec } from './command.ts';

export const commandTable: readonly CommandSpec[] = [
  onceCommand,
  taskCommand,
  teamCommand,
  mailCommand,
  memoryCommand,
  historyCommand,
  scheduleCommand,
  skillCommand,
  daemonCommand,
  configCommand,
  authCommand,
  doctorCommand,
  completionCommand,
];

/** Options that stand before or after any command. */
export const globalOptions: readonly OptionSpec[] = [
  { flags: '--workspace <dir>', help: (t) => t.table.workspace },
  { flags: '--provider <name>', help: (t) => t.table.provider },
  { flags: '--model <id>', help: (t) => t.table.model },
  { flags: '--base-url <url>', help: (t) => t.table.baseUrl },
  { flags: '--api-key <key>', help: (t) => t.table.apiKey },
  { flags: '--use-oauth', help: (t) => t.table.useOauth },
  { flags: '--mode <mode>', help: (t) => t.table.mode, choices: ['plan', 'ask', 'auto-edit', 'yolo'] },
  { flags: '--team', help: (t) => t.table.team },
  { flags: '--lang <language>', help: (t) => t.table.lang, choices: ['en', 'zh'] },
  { flags: '--no-color', help: (t) => t.table.noColor },
  { flags: '--json', help: (t) => t.table.json },
];

/** Options of `xz` itself, without a command. */
export const rootOptions: readonly OptionSpec[] = [
  { flags: '--resume [id]', help: (t) => t.table.resume },
  { flags: '--repl', help: (t) => t.table.repl },
  { flags: '--tui', help: (t) => t.table.tui },
  { flags: '--demo', help: (t) => t.table.demo },
  { flags: '--daemon', help: (t) => t.table.daemon },
  { flags: '--all', help: (t) => t.table.daemonAll },
];
