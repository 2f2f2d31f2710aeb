import type { demoText as english } from '../en/demo.ts';
import { screenText } from './screen.ts';

export const demoText: typeof english = {
  opening: (folder: string) => `团队在一个临时仓库里演示（${folder}）；只有模型的话是事先写好的。`,
  before: (tests: string) => `开始前：${tests}`,
  sentBack: '退回修改',
  resultOf: (task) => `${task} 的结果`,
  outcome: (outcome, commit) => `${screenText.merge[outcome] ?? outcome}${commit === undefined ? '' : `，提交 ${commit}`}`,
  answer: (text: string) => `Lead：${text}`,
  after: (tests: string) => `结束后，在合并后的代码上：${tests}`,
  good: '合并后的测试全部通过。',
  bad: '有内容没有合入，或测试失败。',
};
