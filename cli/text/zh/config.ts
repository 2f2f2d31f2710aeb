import type { configText as english, authText as englishAuth } from '../en/config.ts';

export const configText: typeof english = {
  help: '设置：每一项的值和来源',
  set: '修改一项设置（不给键名则逐步询问）',
  key: '键名，例如 ui.theme',
  value: '新的值；列表写成 ["a", "b"] 或用逗号分隔',
  provider: '选择模型提供方',
  providerName: 'kimi、openai、anthropic、custom……',
  model: '选择模型',
  modelName: '模型 id',
  verify: '发一次真实请求：首字时间、工具调用、向量',
  trust: '信任一个文件夹：允许使用其 .env、脚本和关卡命令',
  trustDir: '文件夹（默认当前工作区）',
  trustEnv: '同时批准其 .env 中设置密钥、地址、模式或团队的行',
  setup: '首次使用向导',
  reset: '重新运行',
  envIgnored: (names) =>
    `.env：未经你批准，下列变量不生效：${names}（它们决定请求发往哪里、由谁付费、什么可不经询问就运行；用 \`xz config trust --env\` 批准）`,
  noFile: '文件还不存在，均为默认值',
  inForce: (model, provider, url, auth) => `当前模型：${model}（${provider}），地址 ${url}，${auth}`,
  authKinds: {
    key: (from) => `密钥来自 ${from}`,
    login: '使用本机的 Kimi 登录',
    none: '不带密钥',
  },
  origins: { default: '默认', dotenv: (name) => `.env 中的 ${name}` },
  saved: (key, value, path) => `${key} = ${value}   （${path}）`,
  unchanged: (key, value, path) => `${key} 已经是 ${value}   （${path}）`,
  alsoRemoved: (key) => `已移除 ${key}：它属于另一个提供方`,
  alsoSet: (key, value) => `${key} = ${value}`,
  overridden: (key, by) => `已设置 ${by}，它优先于文件中的 ${key}`,
  unknownProvider: (name) => `xz 不认识提供方“${name}”；没有改动任何内容`,
  unknownProviderHint: (known) => `已知：${known}；其他的用 custom，并在 model.base_url 中写出地址`,
  notByAgent: (what: string) => `智能体运行的命令不能更改 ${what}`,
  notByAgentHint: '请由本人在终端里运行',
  trusted: (path) => `已信任：${path}`,
  envApproved: (names) => `.env 可以设置：${names}（直到其中某一行改变）`,
  envNotApproved: (names) => `.env 不可设置：${names}（用 \`xz config trust --env\` 批准）`,
  askEnv: (names) => `它的 .env 设置了 ${names}：这决定请求发往哪里、由谁付费、什么可不经询问就运行。允许吗？`,
  asking: (model, url) => `正在请求 ${model}，地址 ${url}`,
  answered: (first, total) => `✓ 有回应：${first} 毫秒收到首字，${total} 毫秒完成`,
  toolCalled: '✓ 会调用工具',
  toolNotCalled: '! 没有按要求调用工具：作为智能体可能用处不大',
  embeddingBuiltIn: '✓ 向量：使用内置实现（没有配置端点）',
  embeddingOk: (model, width) => `✓ 向量：${model}，${width} 维`,
  setupDone: (path) => `已经设置好了（${path}）；\`xz config setup --reset\` 可重新运行向导`,
};

export const authText: typeof englishAuth = {
  help: '正在使用的密钥或登录',
  check: '在哪里、还有多久到期、怎样重新登录',
  key: (provider, secret, from) => `${provider}：密钥 ${secret}，来自 ${from}`,
  noneNeeded: (provider) => `${provider}：不发送密钥`,
  loginUnused: '本机也有 Kimi 登录；用 `--use-oauth` 或 auth.type = "oauth" 启用',
  login: (path) => `Kimi 登录：${path}`,
  expires: (at, left) => `${at} 到期，还有 ${left}`,
  expired: (at) => `已于 ${at} 过期`,
  expiryUnknown: '文件没有说明何时到期；被拒绝时会自动续期',
  renewable: '会自动续期',
  notRenewable: '无法续期（没有 refresh token）',
  logIn: (command) => `请重新登录：${command}`,
  duration: (seconds) => {
    if (seconds < 120) return `${seconds} 秒`;
    if (seconds < 7200) return `${Math.floor(seconds / 60)} 分钟`;
    return seconds < 172_800
      ? `${Math.floor(seconds / 3600)} 小时 ${Math.floor((seconds % 3600) / 60)} 分钟`
      : `${Math.floor(seconds / 86_400)} 天`;
  },
};
