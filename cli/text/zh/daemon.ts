import type { daemonText as english } from '../en/daemon.ts';

export const daemonText: typeof english = {
  help: '不开界面运行定时任务的服务',
  install: '为 xz --daemon --all 写入 systemd 用户单元',
  uninstall: '删除该单元',
  status: '守护进程是否在运行，负责哪些工作区',
  started: (pid, what) => `xz 守护进程（pid ${pid}）正在运行 ${what} 的定时任务`,
  stopped: 'xz 守护进程已停止',
  installed: (path) => `单元：${path}`,
  startWith: (command) => `启动命令：${command}`,
  noModel: '该服务找不到可用的模型：它不知道本 shell 中 XZ_ 变量和密钥变量的值',
  noModelHint: '把提供方、模型和密钥写入 config.toml：xz config setup',
  uninstalled: (path) => `已删除 ${path}`,
  stopWith: (command) => `若在运行，停止命令：${command}`,
  notInstalled: '没有安装单元',
  running: (holder) => `运行中：${holder}`,
  notRunning: '没有守护进程在运行',
};
