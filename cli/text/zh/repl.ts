// REPL 的文字。
import type { replText as english } from '../en/repl.ts';

export const replText: typeof english = {
  hello: (version, model) => `xz ${version} · ${model} · /help 查看命令，Ctrl+C 两次退出`,
  again: '（再按一次 Ctrl+C 退出）',
  interrupted: '（已中断）',
  queued: (count) => `（排队：${count}）`,
  ask: 'y 允许 · n 拒绝 · a 始终：',
  pick: (most) => `输入 1-${most}，或直接回车：`,
};
