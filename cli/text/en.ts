// English words. One section a room of the product; sections live in en/.
import { commonText } from './en/common.ts';
import { authText, configText } from './en/config.ts';
import { daemonText } from './en/daemon.ts';
import { demoText } from './en/demo.ts';
import { completionText, doctorText } from './en/doctor.ts';
import { historyText } from './en/history.ts';
import { mailText } from './en/mail.ts';
import { memoryText } from './en/memory.ts';
import { onceText } from './en/once.ts';
import { replText } from './en/repl.ts';
import { scheduleText } from './en/schedule.ts';
import { screenText } from './en/screen.ts';
import { setupText } from './en/setup.ts';
import { skillText } from './en/skill.ts';
import { slashText } from './en/slash.ts';
import { besideText, errorsText, tableText } from './en/table.ts';
import { taskText } from './en/task.ts';
import { teamText } from './en/team.ts';

export const en = {
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
