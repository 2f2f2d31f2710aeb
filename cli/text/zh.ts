// 中文界面文字。键与 en.ts 完全相同。
import type { Text } from './text.ts';
import { commonText } from './zh/common.ts';

export const zh: Text = {
  common: commonText,
};
