import type { doctorText as english, completionText as englishCompletion } from '../en/doctor.ts';

export const doctorText: typeof english = {
  help: '检查哪些正常、哪些不正常、该怎么办',
  repair: '修复所有不会丢失内容的问题',
  newerNode: (least) => `请安装 Node ${least} 或更新版本`,
  installGit: '请安装 git；没有它就没有工作树和合并',
  noTerminal: '不在终端中：没有界面，也没有向导',
  dumbTerminal: '全屏界面需要能移动光标的终端；`xz --repl` 不需要',
  noVectors: '请为本平台重新安装 xz；没有它关键词搜索仍可用',
  unknownSetting: '改正或删除它；`xz config` 列出所有设置',
  mendConfig: '修改该行，或用 `xz config set KEY VALUE`',
  noConfig: (path) => `${path} 不存在：使用默认值和环境变量`,
  modelNotListed: (where) => `${where}（有回应，但模型列表中没有它）`,
  checkNetwork: '检查网络和 model.base_url',
  notThereYet: '还没有存储内容',
  none: '无',
  fine: '全部可读',
  match: '与其来源一致',
  lostWorktree: (path) => `${path} 不是 git 认识的工作树`,
  lostWorktreeFix: '先看看里面有什么，再删除该文件夹',
  orphan: (path, branch, commits, files) => `${path} 不属于任何队友：分支 ${branch}，${commits} 个提交未合入，${files} 个文件未提交`,
  orphanFix: (path) => `用 git 合入或保存，然后 \`git worktree remove ${path}\``,
  running: '有进程在照管定时任务',
  noDaemon: '没有打开界面时，定时任务无人运行',
  snapshot: (path) => `已先备份数据库：${path}`,
  rebuilt: (what, count) => `已重建 ${what} 索引（${count}）`,
  swept: (count) => `已清理 ${count} 个已结束进程的临时文件`,
  movedAside: (path) => `已将损坏的数据库移到一旁：${path}`,
  salvaged: (rows, name) => `已新建 ${name}，保留了能读出的 ${rows} 行`,
  repaired: '已修复：',
  nothingToRepair: '没有需要修复的内容',
  summary: (ok, warnings, broken) => `${ok} 项正常，${warnings} 项警告，${broken} 项损坏`,
};

export const completionText: typeof englishCompletion = {
  help: '输出 shell 补全脚本',
  shell: '哪种 shell',
};
