// `.MEMORY/` behind the few operations that `/memory` and the panels need. A file in its place is an error, not an empty list.
import { refuseNoFolder } from '../../store/links.ts';
import type { Finding } from '../../store/quarantine.ts';
import { organizeAll } from '../commands/memory/organize.ts';
import { organizedLines, resolvedWords } from '../commands/memory/words.ts';
import type { App } from '../compose.ts';
import { openAppMemory } from '../open-memory.ts';
import type { MemoryPort } from './ports.ts';

/** `report` is told of bad files. */
export function memoryPort(app: App, report: (finding: Finding) => void): MemoryPort {
  const memory = openAppMemory(app, report);
  const readable = () => {
    refuseNoFolder(app.layout().memory);
    return memory;
  };
  const side = ({ text, source }: { text: string; source?: string }) => (source === undefined ? text : `${text} (${source})`);
  return {
    topics: () =>
      readable()
        .topics()
        .map(({ name }) => name),
    show(given) {
      const { text, file, lineStart, lineEnd } = readable().topic(given);
      return `${text}\n\n*${file} ${lineStart}-${lineEnd}*`;
    },
    forget: (given) => readable().forget(given),
    organize: async () => organizedLines(await organizeAll(app, readable()), app.text).join('\n\n'),
    conflicts: () =>
      readable()
        .conflicts()
        .map((conflict) => ({
          id: conflict.id,
          topic: `${conflict.category}/${conflict.topic}`,
          older: side(conflict.old),
          newer: side(conflict.new),
        })),
    resolve: async (id, keep) => resolvedWords(await readable().resolve(id, keep), app.text),
  };
}
