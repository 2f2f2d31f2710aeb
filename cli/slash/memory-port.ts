// `.MEMORY/` behind the few operations that `/memory` and the panels need.
import { organizeAll } from '../commands/memory/organize.ts';
import { organizedLines, resolvedWords } from '../commands/memory/words.ts';
import type { App } from '../compose.ts';
import { openAppMemory } from '../open-memory.ts';
import type { MemoryPort } from './ports.ts';

export function memoryPort(app: App): MemoryPort {
  const memory = openAppMemory(app);
  const side = ({ text, source }: { text: string; source?: string }) => (source === undefined ? text : `${text} (${source})`);
  return {
    topics: () => memory.topics().map(({ name }) => name),
    show(given) {
      const { text, file, lineStart, lineEnd } = memory.topic(given);
      return `${text}\n\n*${file} ${lineStart}-${lineEnd}*`;
    },
    forget: (given) => memory.forget(given),
    organize: async () => organizedLines(await organizeAll(app), app.text).join('\n\n'),
    conflicts: () =>
      memory.conflicts().map((conflict) => ({
        id: conflict.id,
        topic: `${conflict.category}/${conflict.topic}`,
        older: side(conflict.old),
        newer: side(conflict.new),
      })),
    resolve: async (id, keep) => resolvedWords(await memory.resolve(id, keep), app.text),
  };
}
