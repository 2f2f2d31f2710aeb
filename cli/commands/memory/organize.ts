// `xz memory organize`: duplicate topics merged, long ones condensed, a copy of all that is replaced kept for undo.
import { type Organized, organize } from '../../../lead/memory/organize.ts';
import type { Memory } from '../../../store/memory/memory.ts';
import type { App } from '../../compose.ts';
import { openAppMemory, openMemoryModel } from '../../open-memory.ts';
import type { RunCommand } from '../../table/command.ts';
import { organizedLines } from './words.ts';

export const runMemoryOrganize: RunCommand = async (app) => {
  const organized = await organizeAll(app, openAppMemory(app));
  if (app.print.json) app.print.value(organized);
  else for (const line of organizedLines(organized, app.text)) app.print.line(line);
  return 0;
};

/** Organises every topic, with the cheap model where one can be used. */
export async function organizeAll(app: App, memory: Memory): Promise<Organized> {
  const { maxEntries } = (await app.config()).memory;
  // A model is looked for only when there is something to condense.
  const long = memory.topics().some((topic) => topic.block.entries.length > maxEntries);
  const model = long ? await openMemoryModel(app) : undefined;
  return organize({ memory, model, maxEntries }, new AbortController().signal);
}
