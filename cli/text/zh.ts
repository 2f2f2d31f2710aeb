// 中文界面文字。键与 en.ts 完全相同。
import type { Text } from './text.ts';
import { commonText } from './zh/common.ts';
import { authText, configText, configText, configText } from './zh/config.ts';
import { daemonText } from './zh/daemon.ts';
import { historyText, historyText, historyText } from './zh/history.ts';
import { memoryText, memoryText, memoryText } from './zh/memory.ts';
import { onceText, onceText, onceText } from './zh/once.ts';
import { scheduleText } from './zh/schedule.ts';

import { screenText } from './zh/screen.ts';
import { setupText } from './zh/setup.ts';
import { slashText } from './zh/slash.ts';

import { besideText, errorsText, tableText } from './zh/table.ts';
import { taskText } from './zh/task.ts';

export const zh: Text = {
  auth: authText,
  beside: besideText,
  common: commonText,
  config: configText,
  errors: errorsText,
  history: historyText,
  memory: memoryText,
  once: onceText,
  screen: screenText,
  slash: slashText,
  schedule: scheduleText,
  setup: setupText,
  table: tableText,
  task: taskText,
};
