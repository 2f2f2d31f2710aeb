import type { demoText as english } from '../en/demo.ts';

export const demoText: typeof english = {
  opening: (folder: string) => `团队在一个临时仓库里演示（${folder}）；只有模型的话是事先写好的。`,
  before: (tests: string) => `开始前：${tests}`,
  answer: (text: string) => `Lead：${text}`,
  after: (tests: string) => `结束后，在合并后的代码上：${tests}`,
  good: '合并后的测试全部通过。',
  bad: '有内容没有合入，或测试失败。',
};
