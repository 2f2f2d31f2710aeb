import type { MemoryTrouble } from '../../../lead/memory/notice.ts';
import type { memoryTold as english } from '../en/memory-told.ts';

const TROUBLES: Readonly<Record<MemoryTrouble, string>> = {
  load: '无法使用',
  start: '无法完整使用',
  upkeep: '没有得到整理',
  note_owed: '若 xz 此时被终止，本轮所说的会丢失',
  take_owed: '没有查看之前会话的内容',
  give_back: '某一轮可能过早放弃查看',
};

export const memoryTold: typeof english = (notice, say) => {
  switch (notice.kind) {
    case 'by_words':
      return `记忆：只按词语回忆：${say(notice.why)}`;
    case 'no_index':
      return `记忆：索引无法搜索，只比较词语：${say(notice.why)}`;
    case 'no_recall':
      return `记忆：什么也没能回忆起来：${say(notice.why)}`;
    case 'kept':
      return `记忆：已记入 ${notice.topics.join('、')}`;
    case 'not_kept':
      return `记忆：本轮${notice.asked ? '只记下了你要求记住的' : '什么都没有记下'}：${say(notice.why)}`;
    case 'no_more_kept':
      return `记忆：本轮没有再记下更多：${say(notice.why)}`;
    case 'contradiction':
      return `记忆：${notice.topic} 中有矛盾："${notice.older}"，而现在是 "${notice.newer}"；在你选择之前两者都保留：/memory resolve，或 xz memory resolve ${notice.id} --keep new|old|merge`;
    case 'secret':
      return '记忆：看起来像密钥的内容没有记下';
    case 'taken_over':
      return `记忆：已接管旧的记忆文件：${notice.files.join('、')}（副本在 .MEMORY/.snapshots）`;
    case 'waiting':
      return `记忆：有 ${notice.count} 处矛盾等你决定：/memory resolve，或 xz memory resolve`;
    case 'trouble':
      return `记忆：${TROUBLES[notice.what]}：${say(notice.why)}`;
  }
};
