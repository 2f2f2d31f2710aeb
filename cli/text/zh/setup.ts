import type { setupText as english } from '../en/setup.ts';
import { expected } from './expected.ts';

export const setupText: typeof english = {
  title: 'xz · 首次设置',
  typeToSearch: '输入以搜索',
  yes: '是',
  no: '否',
  chooseProvider: '让 xz 使用哪个模型？',
  providers: {
    kimi: { label: 'Kimi Code（推荐）', needs: 'kimi-for-coding，256K 上下文；Kimi 登录或密钥' },
    openai: { label: 'OpenAI', needs: '需要 API 密钥' },
    anthropic: { label: 'Anthropic（Claude）', needs: '需要 API 密钥，或 Claude Code 使用的令牌' },
    custom: { label: '自定义（兼容 OpenAI）', needs: '需要地址、密钥、模型' },
  },
  foundLogin: '本机已有登录',
  foundVariable: (name) => `已设置 ${name}`,
  askAddress: '接口地址（base URL）',
  notAnAddress: '请填写 http:// 或 https:// 地址',
  kimiHow: '如何登录 Kimi？',
  kimiLogin: '本机的 Kimi 登录',
  kimiLoginHow: '尚未找到：用 `kimi login` 登录',
  kimiKeyWhere: '来自 Kimi Code 控制台',
  kimiLoginSteps: '在另一个终端运行：\n\n  kimi login\n\nxz 会读取 ~/.kimi/credentials 和 ~/.kimi-code/credentials。',
  whenLoggedIn: '登录后按回车',
  stillNoLogin: '在 ~/.kimi/credentials 和 ~/.kimi-code/credentials 中仍未找到登录。',
  keyHow: '使用哪个密钥？',
  useVariable: (name) => `使用环境变量 ${name}`,
  variableHint: '不保存任何内容',
  typeKey: '输入 API 密钥',
  noKey: '不用密钥',
  noKeyHint: '服务器不要求密钥',
  askKey: 'API 密钥（不显示）',
  notAKey: '密钥应为不含空格的可见 ASCII 字符',
  listing: '正在查询可用模型',
  listed: (count) => `共 ${count} 个模型`,
  notListed: (why) => `该接口没有给出模型列表（${why}）`,
  recommended: '推荐',
  chooseModel: '选择模型',
  otherModel: '其他……',
  askModel: '模型 id',
  notAModel: '请填写模型 id',
  testing: (model) => `向 ${model} 发一次真实请求`,
  tested: (ms) => `有回应：${ms} 毫秒收到首字。`,
  noToolCall: '但没有调用工具，作为智能体可能用处不大。',
  testFailed: '请求失败。怎么办？',
  failedChoices: { again: '再试一次', change: '修改我的回答', keep: '仍然保存' },
  askIdentity: (names) => `在 .agents/ 中创建 ${names} 吗？它们说明 xz 是谁、你是谁、要记住什么。`,
  identityMade: (paths) => `已创建：\n${paths}`,
  identityStarted: (names) => `已在 .agents/ 中创建 ${names}：xz 是谁、你是谁、要记住什么。可随意修改，每次会话开始时读取。`,
  identityFailed: (why) => `无法在 .agents/ 中创建关于你和 xz 的文件：${why}`,
  saved: '已保存',
  savedNote: (path, provider, model) => `${provider} · ${model}\n${path}\n只有你能读取；\`xz config\` 显示所有设置`,
  overridden: (names) => `你的环境变量 ${names} 优先于刚保存的设置。`,
  pressEnter: '按回车开始',
  ready: '准备就绪。',
  later: '已设置完毕；输入 `xz` 即可开始。',
  cancelled: '没有保存任何内容。`xz config setup` 可重新开始。',
  chooseSetting: '修改哪一项？',
  newValue: (key, expects) => `${key}（${expected(expects)}）`,
  identity: {
    'SOUL.md': `# 性格

这个智能体应有的样子。xz 在每次会话开始时读取本文件，可随意修改。

- 实话实说，简短；不知道的就说不知道。
- 先看再改；只改任务需要的部分；证明它有效。
- 该由人决定的事，先问。
`,
    'USER.md': `# 用户

你在和谁一起工作。写下有用的，删掉没用的。

- 姓名：
- 语言：
- 工作：
- 对代码和回答的好恶：
`,
    'MEMORY.md': `# 记忆

每次会话都应知道的事：决定、约定、东西在哪里。保持简短；每日记录在 \`memory/\` 中。
`,
  },
};
