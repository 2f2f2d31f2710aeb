import type { skillText as english } from '../en/skill.ts';

export const skillText: typeof english = {
  help: '各类工作的说明（SKILL.md）',
  list: '列出所有技能，包括被遮住和有错的',
  create: '在 .agents/skills 里新建技能',
  reload: '重新读取所有技能，说明读到了什么',
  check: '说明技能有什么问题；有错则退出码为 1',
  limit: '一次多少条；0 表示全部',
  page: '第几页',
  name: '字母、数字、- _ .（文件夹名，也是 /名字）',
  checkName: '只看这一个',
  fromTemplate: '更完整的模板：步骤、参数、其他文件',
  columns: ['名称', '来源', '状态', '说明'],
  isCommand: (name) => `/${name} 是 xz 的命令；模型仍可使用这个技能。改名后你才能自己调用它`,
  statusNames: { ok: '可用', shadowed: '被遮住', broken: '有错' },
  unknown: (name) => `没有技能“${name}”`,
  seeList: '见 xz skill list',
  counted: (all, broken) => `共 ${all} 个技能，${broken} 个有错`,
  loaded: (count) => `有 ${count} 个技能可用；正在运行的 xz 会自己发现改动`,
  badName: (name) => `“${name}”不能作技能的名字`,
  nameHint: '最多 64 个字母、数字、“-”“_”“.”，以字母或数字开头',
  exists: (path) => `${path} 已经存在；什么都没有改`,
  existsHint: '请直接编辑它，或换一个名字',
  created: (path) => `已建立 ${path}`,
  hides: (source) => `注意：它现在遮住了 ${source} 里的同名技能`,
  skeleton: (name) => `---
name: ${name}
description: 这个技能做什么，什么时候用。
---
在这里逐步写明要做的事。
`,
  template: (name) => `---
name: ${name}
description: 用一句话说明这个技能做什么。在……的时候使用（写出会用到它的词和情形）。
argument-hint: <要传入的内容>
# 去掉下一行的井号，就只有人能用 /${name} 调用它：
# disable-model-invocation: true
---
# ${name}

要求：$ARGUMENTS

## 步骤

1. 先看再动手：哪些文件，什么状态。
2. 动手做。写明确切的命令，例如 \`npm test\`。
3. 检查结果，说明看到了什么。

## 其他文件

脚本放在本文件旁的 \`scripts/\`，较长的资料放在 \`references/\`，并在这里写明什么时候需要；到那时才会去读。

## 做不成的时候

说明试过什么、还缺什么，然后停下。
`,
};
