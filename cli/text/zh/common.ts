import type { commonText as english } from '../en/common.ts';

export const commonText: typeof english = {
  page: (page: number, pages: number, total: number) => `第 ${page}/${pages} 页（共 ${total} 条）`,
  nextPage: (page: number) => `用 --page ${page} 看下一页`,
  nothing: '这里还没有内容。',
  hint: '提示',
  retrying: (why, seconds, number) => `${why}；${seconds} 秒后重试（第 ${number} 次）`,
};
