// 用法不对时的中文说法，按 `data.kind` 和其中的值。
import type { ErrorData } from '../../../store/errors.ts';
import type { SaidError } from '../errors.ts';
import { mustBe } from './expected.ts';

export const WRONG_USE: Readonly<Record<string, (data: ErrorData) => SaidError>> = {
  setting: ({ key, expects }) => ({ text: `${key} ${mustBe(String(expects))}` }),
  no_setting: ({ key, near }) => ({
    text: `没有设置项 "${key}"`,
    hint: near === undefined ? '`xz config` 列出所有设置' : `是不是想写 ${near}？`,
  }),
  not_a_folder: ({ path }) => ({ text: `${path} 不是文件夹`, hint: '请给出一个文件夹' }),
  no_workspace: ({ path }) => ({ text: `工作区 ${path} 不存在`, hint: '先建这个文件夹，或用 --workspace 指定别的' }),
  not_whole: ({ option, given, least }) => ({ text: `${option} "${given}" 不是不小于 ${least} 的整数` }),
  not_positive: ({ option, given, whole }) => ({ text: `${option} "${given}" 不是${whole === true ? '正整数（秒）' : '正数'}` }),
  too_many: ({ option, given, most }) => ({ text: `${option} ${given} 超过了 ${most}` }),
  not_a_date: ({ option, given }) => ({ text: `${option} "${given}" 不是日期`, hint: '请写成 YYYY-MM-DD' }),
  reversed: ({ from, to }) => ({ text: `${to} 在 ${from} 之前`, hint: '请把两者对调' }),
  no_key: () => ({ text: 'config set 需要键和值', hint: '例如 `xz config set ui.theme amber`；`xz config` 列出所有键' }),
  no_text: () => ({ text: '没有要发送的内容' }),
  no_when: () => ({ text: '没有说明时间', hint: '请加上时间，例如 "09:00" 或 "30分钟后"，或 --cron EXPR' }),
  when_twice: ({ given }) => ({ text: `"${given}" 和 --cron 都说明了时间`, hint: '只给其中一个' }),
  no_memory_file: ({ given }) => ({ text: `"${given}" 不是记忆文件的名字`, hint: '见 `xz memory list`' }),
  editor: ({ command, exit }) => ({ text: `${command} 以退出码 ${exit} 结束`, hint: '请把 EDITOR 设为已安装的编辑器' }),
};
