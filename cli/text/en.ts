// English words. One section a room of the product; sections live in en/.
import { commonText } from './en/common.ts';
import { authText, configText } from './en/config.ts';
import { historyText } from './en/history.ts';
import { memoryText } from './en/memory.ts';
import { onceText } from './en/once.ts';
import { setupText } from './en/setup.ts';
import { besideText, errorsText, tableText } from './en/table.ts';
import { taskText } from './en/task.ts';

export const en = {
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
