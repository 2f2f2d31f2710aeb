// 中文界面文字。键与 en.ts 完全相同。
import type { Text } from './text.ts';
import { commonText } from './zh/common.ts';
import { authText, configText } from './zh/config.ts';
import { historyText } from './zh/history.ts';
import { memoryText } from './zh/memory.ts';
import { onceText } from './zh/once.ts';
import { setupText } from './zh/setup.ts';
import { besideText, errorsText, tableText } from './zh/table.ts';
import { taskText } from './zh/task.ts';

export const zh: Text = {
  setup: setupText,
  auth: authText,
  beside: besideText,
  common: commonText,
  config: configText,
  errors: errorsText,
  history: historyText,
  memory: memoryText,
  once: onceText,
  table: tableText,
  task: taskText,
};
