// 中文界面文字。键与 en.ts 完全相同。
import type { Text } from './text.ts';
import { commonText } from './zh/common.ts';
import { authText, configText } from './zh/config.ts';
import { daemonText } from './zh/daemon.ts';
import { demoText } from './zh/demo.ts';
import { completionText, doctorText } from './zh/doctor.ts';
import { historyText } from './zh/history.ts';
import { mailText } from './zh/mail.ts';
import { memoryText } from './zh/memory.ts';
import { onceText } from './zh/once.ts';
import { replText } from './zh/repl.ts';
import { scheduleText } from './zh/schedule.ts';
import { screenText } from './zh/screen.ts';
import { setupText } from './zh/setup.ts';
import { skillText } from './zh/skill.ts';
import { slashText } from './zh/slash.ts';
import { besideText, errorsText, tableText } from './zh/table.ts';
import { taskText } from './zh/task.ts';
import { teamText } from './zh/team.ts';

export const zh: Text = {
  completion: completionText,
  demo: demoText,
  doctor: doctorText,
  auth: authText,
  beside: besideText,
  common: commonText,
  config: configText,
  daemon: daemonText,
  errors: errorsText,
  history: historyText,
  mail: mailText,
  memory: memoryText,
  once: onceText,
  schedule: scheduleText,
  repl: replText,
  screen: screenText,
  setup: setupText,
  skill: skillText,
  slash: slashText,
  table: tableText,
  task: taskText,
  team: teamText,
};
