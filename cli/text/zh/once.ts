import type { onceText as english } from '../en/once.ts';

export const onceText: typeof english = {
  help: '不开界面，把一个请求执行到底',
  prompt: '请求内容；不写则读取全部标准输入',
  resume: '继续最近的会话；不带请求时完成未结束的部分',
  session: '继续这个会话',
  streamJson: '每行输出一个事件',
  yes: '允许本来要询问的操作（本次为 yolo 模式）',
  timeout: '多少秒后停止',
  maxCost: '超过这个费用（美元）之前停止',
  maxRounds: '多少轮模型调用后停止',
  noPrompt: '没有请求内容',
  noPromptHint: 'xz once "<请求>"，或从标准输入传入',
  noInput: '5 秒内标准输入没有任何内容',
  nothingOpen: '没有未完成的内容：上一轮已结束',
  noSession: '没有可以继续的会话',
  badNumber: (option: string, value: string) => `${option} "${value}" 不是正数`,
  unlanded: (names: string) => `尚未合入的工作：${names}`,
  unlandedHint: 'xz team status 查看；xz team merge NAME 合入',
  stopped: (reason: string) => `已停止：${reason}`,
  stoppedHint: (session: string) => `继续：xz once --session ${session} --resume`,
};
