// `xz memory show | forget | undo`: the topics of `.MEMORY/`.
import type { Topic } from '../../../store/memory/topics.ts';
import { openAppMemory } from '../../open-memory.ts';
import { columnLines } from '../../print/columns.ts';
import { pageOf, printPageLines, wholeNumber } from '../../print/page.ts';
import type { RunCommand } from '../../table/command.ts';

export const runMemoryShow: RunCommand = async (app, call) => {
  const memory = openAppMemory(app);
  if (call.args.topic === undefined) {
    const page = pageOf(memory.topics(), wholeNumber(call, 'limit', 0), wholeNumber(call, 'page', 1, 1));
    const cells = page.items.map((topic) =>
      [topic.name, String(topic.block.entries.length), topic.file, `${topic.lineStart}-${topic.lineEnd}`].map((text) => ({ text })),
    );
    const lines = () => columnLines(app.print, app.text.memory.topicColumns, cells);
    printPageLines(app.print, app.text, { ...page, items: page.items.map(shownTopic) }, lines, app.text.memory.noTopics);
    return 0;
  }
  const topic = memory.topic(call.args.topic);
  if (app.print.json) app.print.value({ ...shownTopic(topic), content: topic.text });
  else app.print.raw(`${topic.text}\n`);
  return 0;
};

export const runMemoryForget: RunCommand = async (app, call) => {
  const name = await openAppMemory(app).forget(call.args.topic ?? '');
  if (app.print.json) app.print.value({ forgotten: name });
  else app.print.line(app.text.memory.forgotten(name));
  return 0;
};

export const runMemoryUndo: RunCommand = async (app) => {
  const undone = await openAppMemory(app).undo();
  if (app.print.json) app.print.value(undone);
  else app.print.line(app.text.memory.undone(undone.what, undone.at, undone.files.join(', ')));
  return 0;
};

function shownTopic({ name, category, title, file, lineStart, lineEnd, block }: Topic) {
  return { name, category, topic: title, entries: block.entries.length, file, lineStart, lineEnd };
}
