import type { memoryText as english } from '../en/memory.ts';

export const memoryText: typeof english = {
  help: '搜索和阅读工作区的记忆',
  search: '在记忆文件中查找段落',
  query: '要找的词，任何文字都行；其中没有任何语法',
  get: '输出记忆文件的若干行',
  list: '列出记忆文件',
  file: '照搜索结果的写法：MEMORY.md、memory/2026-03-03.md、.MEMORY/work.md',
  limit: '一次多少条；0 表示全部',
  page: '第几页',
  semantic: '只比较向量',
  keyword: '只按词查找',
  date: '只看这一天的日志（YYYY-MM-DD）',
  tag: '只看带这个标签的条目',
  startLine: '起始行，从 1 数起',
  endLine: '结束行',
  embedding: (reached: number, newest: number) => `正在生成向量：${reached} / ${newest}`,
  notices: {
    no_vector_extension: '只按词搜索：sqlite-vec 不可用；重新安装 xz 可以修复',
    embedding_failed: '无法生成向量；没有向量的文本只按词搜索',
    vectors_building: '正在生成向量，这次只按词搜索；每次搜索会继续生成，xz doctor --repair 一次生成全部',
    vectors_behind: '有些文本还没有向量；每次搜索会继续生成',
  },
  searchColumns: ['文件', '行', '得分', '摘要'],
  listColumns: ['文件', '行数', '更新时间', '标题'],
  fileHint: '它是 .agents/、memory/ 或 .MEMORY/ 里的 .md 文件：见 xz memory list',
  listHint: 'xz memory list 列出现有的文件',
};
