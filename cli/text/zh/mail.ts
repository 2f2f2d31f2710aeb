import type { mailText as english } from '../en/mail.ts';

export const mailText: typeof english = {
  help: '你与团队之间的消息',
  list: '某个成员信箱里的内容',
  show: '一条消息的全文',
  send: '给某个成员发消息',
  requeue: '把死信放回队列',
  agent: 'Lead 或某个队友',
  id: '消息编号，或其开头部分',
  text: '要说的话',
  type: 'notice 等到下一个任务时一起看；task 和 review 会被处理',
  limit: '条数（0 为全部）',
  page: '第几页',
  columns: ['编号', '位置', '类型', '发件人', '日期', '内容'],
  boxes: { new: '等待中', cur: '处理中', dead: '死信' },
  task: '任务',
  replyTo: '答复',
  dead: '搁置原因',
  sent: (id: string, type: string, to: string) => `已向 ${to} 发送 ${type} ${id}。`,
  requeued: (id: string, to: string) => `${id} 重新等待 ${to}。`,
};
