import type { configText as english } from '../en/config.ts';

export const configText: typeof english = {
  envIgnored: (names: string) =>
    `.env：未经你批准，下列变量不生效：${names}（它们决定请求发往哪里、由谁付费、什么可不经询问就运行；用 \`xz config trust\` 批准）`,
};
