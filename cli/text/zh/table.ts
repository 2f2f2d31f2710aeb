import type { besideText as englishBeside, errorsText as englishErrors, tableText as englishTable } from '../en/table.ts';
import { sayError } from './errors.ts';
import { toldInChinese } from './told.ts';

const didYouMean = (suggestion: string | undefined) => (suggestion ? `\n提示：是否想输入 ${suggestion}？` : '\n提示：见 xz --help');

export const tableText: typeof englishTable = {
  about: '像小团队一样工作的终端智能体。不带命令时打开全屏界面。',
  footer:
    '没有终端时，标准输入的全部内容就是一个提示。压缩程序的选项和文件会交给 PATH 上的下一个 xz。\n第一步：xz config setup · 没有密钥也能看：xz --demo（在克隆里：npm run demo）',
  help: '显示帮助',
  version: '显示版本',
  helpCommand: '某个命令的帮助',
  workspace: '在这个目录中工作',
  provider: 'kimi、openai、anthropic、custom……',
  model: '使用的模型',
  baseUrl: '服务商的地址',
  apiKey: '服务商的密钥',
  useOauth: '使用本机的 Kimi 登录',
  mode: '哪些操作无需询问',
  team: '本次运行启用团队',
  lang: '语言',
  noColor: '不用颜色',
  json: '输出 JSON',
  resume: '继续一个会话（最近的，或指定的）',
  repl: '用普通提示符代替全屏界面',
  tui: '全屏界面（默认）',
  demo: '播放离线演示',
  daemon: '无界面运行定时任务',
  daemonAll: '与 --daemon 一起：所有工作区',
  choices: (quoted) => `可选：${quoted.join('、')}`,
  titles: {
    'Usage:': '用法：',
    'Arguments:': '参数：',
    'Options:': '选项：',
    'Commands:': '命令：',
    'Global Options:': '全局选项：',
  },
  unknownCommand: (name: string, suggestion?: string) => `xz: 没有命令 "${name}"${didYouMean(suggestion)}`,
  unknownOption: (name: string, suggestion?: string) => `xz: 没有选项 ${name}${didYouMean(suggestion)}`,
  missingArgument: (name: string) => `xz: 缺少 ${name}\n提示：见 xz --help`,
  missingValue: (name: string) => `xz: ${name} 需要一个值\n提示：见 xz --help`,
  badChoice: (name: string, value: string, choices: string, suggestion?: string) =>
    `xz: ${name} 不能是 "${value}"：可选 ${choices}${suggestion ? `\n提示：是否想输入 ${suggestion}？` : '\n提示：见 xz --help'}`,
  tooManyWords: (command: string, expected: number, got: number) =>
    `xz: ${command} 只接受 ${expected} 个词，却给了 ${got} 个\n提示：${expected === 0 ? `见 xz ${command} --help` : '含多个词的文本请加引号'}`,
  wrongUse: (what: string) => `xz: ${what}\n提示：见 xz --help`,
};

export const besideText: typeof englishBeside = {
  fileAtTerminal: (file: string, compressor: string | undefined) =>
    `xz: "${file}" 不是本程序的命令；什么都没有做\n提示：要压缩它（原文件会被删除）：${compressor ?? '请先安装 xz-utils，然后'} ${compressor ? JSON.stringify(file) : 'xz'}`,
  noCompressor: 'xz: 这像是在调用压缩程序，但 PATH 上没有别的 xz\n提示：安装 xz-utils，或见 xz --help',
};

export const errorsText: typeof englishErrors = {
  say: sayError,
  told: toldInChinese,
  diskFull: '请腾出空间后重试；没有写入一半的内容',
  outputLost: (errno: string) => `输出写不出去（${errno}）：已打印的内容不完整`,
  outputLostHint: '腾出空间，或把输出送到别处，再试一次',
  folderGone: '启动时所在的文件夹已不存在，或无法进入',
  folderGoneHint: '先用 cd 进入一个存在的文件夹',
  notWritable: '请检查该路径的所有者和权限',
};
