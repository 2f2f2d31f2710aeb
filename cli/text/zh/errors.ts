// 错误的中文说法：按错误码、`data.kind` 和其中的值；没有专门说法的，写出类别，后面附英文原文。
import type { ErrorCode, ErrorData, ErrorFacts } from '../../../store/errors.ts';
import type { SaidError, SayError } from '../errors.ts';
import { mustBe } from './expected.ts';
import { toldInChinese } from './told.ts';
import { WRONG_USE } from './wrong-use.ts';

/** 找不到的东西怎么叫，去哪里看有哪些。 */
const THINGS: Readonly<Record<string, readonly [name: string, where?: string]>> = {
  task: ['任务', '`xz task list --all`'],
  session: ['会话', '`xz history list`'],
  topic: ['记忆主题', '`xz memory show`'],
  conflict: ['矛盾', '`xz memory resolve`'],
  'scheduled task': ['定时任务', '`xz schedule list`'],
  skill: ['技能', '`xz skill list`'],
  mail: ['邮件'],
  agent: ['智能体'],
  teammate: ['队友'],
};

const STATES: Readonly<Record<string, string>> = { pending: '待办', in_progress: '进行中', completed: '已完成', failed: '已失败' };
const state = (name: unknown): string => STATES[String(name)] ?? String(name);

const MODEL: Readonly<Record<string, readonly [what: string, hint?: string]>> = {
  auth: ['密钥被拒绝', '用 `xz auth check` 检查密钥，或用 `xz config setup` 换一个'],
  quota: ['账户额度已用完', '充值，或换一个模型'],
  rate: ['请求过于频繁', '过一会儿再试'],
  network: ['无法连接', '检查网络和 base URL（`xz config`）；会话已保留：`xz once --resume`'],
  server: ['服务器出错', '过一会儿再试；会话已保留'],
  idle: ['太久没有回应', '过一会儿再试；会话已保留'],
  cut: ['回复中途断开', '再试一次；会话已保留'],
  overflow: ['请求超过了模型的上下文窗口'],
  malformed: ['回答不符合该 API 的格式', '检查 base URL 是否是所配置类型的 API（`xz config`）'],
  bad_request: ['服务器不接受这个请求'],
};

const MISSING: Readonly<Record<string, (provider: string) => string>> = {
  key: (provider) => `服务商 "${provider}" 没有密钥`,
  model: (provider) => `没有为服务商 "${provider}" 指定模型（model.model）`,
  base_url: (provider) => `服务商 "${provider}" 没有地址（model.base_url）`,
};

/** 一个或几个设置问题（`文件:行: 键 must be …`，以分号相隔）。 */
const problems = (text: string): string =>
  text
    .split('; ')
    .map((one) => one.replace(/^(.*?) must be (.*)$/s, (_all, where: string, what: string) => `${where} ${mustBe(what)}`))
    .join('；');

type Say = (data: ErrorData, text: string) => SaidError | undefined;

const SAY: Partial<Record<ErrorCode, Say>> = {
  bad_input: (data) => WRONG_USE[String(data.kind)]?.(data),
  not_found({ kind, given, known }) {
    if (kind === 'undo') return { text: '没有可以撤销的操作', hint: '只能撤销记忆中被删改的内容' };
    const [name, where] = THINGS[String(kind)] ?? [];
    if (name === undefined) return undefined;
    return { text: `没有${name} "${given}"`, hint: known ? `已知：${known}` : where && `${where} 会列出它们` };
  },
  ambiguous: ({ given, candidates }) =>
    candidates === undefined ? undefined : { text: `"${given}" 不唯一：${candidates}`, hint: '请写出完整的名字' },
  conflict({ kind, given, task, state: now, holder, to }) {
    if (kind === 'daemon')
      return { text: `已有守护进程在运行：${holder}`, hint: '先停止它；`xz --daemon --all` 负责所有有定时任务的工作区' };
    if (kind === 'session') return { text: `会话 ${given} 正被 ${holder} 使用`, hint: '结束那个进程，或使用另一个会话' };
    if (task === undefined || now === undefined) return undefined;
    const wanted = to === undefined ? '' : `，不能改为${state(to)}`;
    return {
      text: `任务 "${task}" 现在是${state(now)}${holder === undefined ? '' : `（${holder}）`}${wanted}`,
      hint: '请再看一下这个任务',
    };
  },
  refused({ kind, given, task, waitingFor, cycle, holder, root }) {
    if (kind === 'secret') return { text: '这看起来像密钥，而记忆会随请求发送', hint: '不要写出它的值，写明它保存在哪里' };
    if (kind === 'rights')
      return { text: '智能体运行的命令不能安排权限高于 ask 模式或带团队的工作', hint: '使用 schedule_task 工具，或由本人运行' };
    if (kind === 'schedule') return { text: `定时任务归带头者和本人管理，不归 ${given}`, hint: '把要安排的事用 notice 告诉带头者' };
    if (kind === 'team') return { text: `这个工作区的团队由 ${holder} 带领`, hint: '结束那个进程，或在那里操作' };
    if (cycle !== undefined) return { text: `任务 "${task}" 会等待它自己：${cycle}`, hint: '去掉其中一条依赖' };
    if (waitingFor !== undefined) return { text: `任务 "${task}" 还不能开始：等待 ${waitingFor}`, hint: '先完成它们，或修改依赖' };
    if (root !== undefined) return { text: `任务 "${task}" 已随 "${root}" 归档`, hint: '请新建一个任务' };
    if (task !== undefined && holder !== undefined)
      return { text: `任务 "${task}" 由 ${holder} 持有`, hint: `等 ${holder} 完成或放开它；--force 会强行取走` };
    return undefined;
  },
  not_configured({ kind, provider }, text) {
    if (kind === 'wizard')
      return { text: '向导需要终端', hint: '设置 XZ_API_KEY（以及 XZ_PROVIDER、XZ_MODEL、XZ_BASE_URL），或用 `xz config set KEY VALUE`' };
    if (kind === 'login')
      return { text: `没有可用的 Kimi 登录（${text}）`, hint: '运行 `kimi login`，或设置 XZ_API_KEY，或运行 `xz config setup`' };
    const missing = MISSING[String(kind)];
    if (missing === undefined) return undefined;
    const hint = '运行 `xz config setup`，或设置 XZ_API_KEY；没有密钥也能看：`xz --demo`（在克隆里：`npm run demo`）';
    return { text: `没有可用的模型：${missing(String(provider))}`, hint };
  },
  bad_config({ kind, file, where, given, near, inside, known }, text) {
    if (kind === 'setup_key') {
      const advice = inside ? `把 ${inside} 写在文件开头，不要放在任何节里；` : near ? `是不是想写 ${near}？` : '';
      return { text: `${where}：不认识 ${given}，整个文件都不会使用`, hint: `${advice}可用的键（不属于任何节）：${known}` };
    }
    return file === undefined
      ? undefined
      : { text: `设置有误：${problems(text)}`, hint: '没有改动任何内容；`xz config` 显示每个值及其来源' };
  },
  model_failed({ kind, endpoint }, text) {
    const [what, hint] = MODEL[String(kind)] ?? [];
    if (what === undefined) return undefined;
    return { text: `${endpoint}：${what} — ${text.replace(`${endpoint}`, '').replace(/^[: ]+/, '')}`, hint };
  },
  unwritable: ({ kind, path, errno }) =>
    path === undefined
      ? undefined
      : kind === 'no_folder'
        ? { text: `${path} 不是文件夹，而 xz 需要这里是文件夹`, hint: '把它移走或删除；文件夹由 xz 自己建' }
        : { text: `无法写入 ${path}${errno === undefined ? '' : `（${errno}）`}`, hint: '检查该路径的所有者和权限' },
  disk_full: ({ path }) =>
    path === undefined ? undefined : { text: `磁盘已满，无法写入 ${path}`, hint: '腾出空间后重试；没有写入一半的内容' },
  lock_busy: ({ lock, holder }) =>
    lock === undefined ? undefined : { text: `"${lock}" 一直被 ${holder} 占用`, hint: '没有改动任何内容；结束或继续那个进程后再试' },
  database_locked: ({ path }) => (path === undefined ? undefined : { text: `${path} 被其他程序占用`, hint: '关闭占用它的程序后再试' }),
  git_failed: ({ missing }) =>
    missing === undefined ? undefined : { text: '没有安装 git，或它不在 PATH 上', hint: '安装 git，或不使用工作树' },
  interrupted: () => ({ text: '已中断' }),
};

const CLASSES: Readonly<Record<ErrorCode, string>> = {
  bad_input: '输入有误',
  not_found: '找不到',
  ambiguous: '不唯一',
  conflict: '现在不行',
  refused: '被拒绝',
  not_configured: '尚未配置',
  unwritable: '无法写入',
  disk_full: '磁盘已满',
  lock_busy: '被占用',
  database_newer: '数据库来自更新的 xz',
  database_broken: '数据库损坏',
  database_locked: '数据库被占用',
  native_missing: '缺少本机组件',
  bad_file: '文件无法使用',
  bad_config: '设置有误',
  model_failed: '模型请求失败',
  git_failed: 'git 失败',
  interrupted: '已中断',
  internal: '内部错误',
};

export const sayError: SayError = ({ text, hint, code, data = {} }: ErrorFacts) => {
  if (code === undefined) return { text, hint };
  const said = SAY[code]?.(data, text);
  if (said !== undefined) return said;
  // 在 cli/ 中写下的，已经是中文。
  const told = toldInChinese(text);
  return { text: /\p{scx=Han}/u.test(told) ? told : `${CLASSES[code]}：${told}`, hint: hint && toldInChinese(hint) };
};
