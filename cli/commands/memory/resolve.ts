// `xz memory resolve [ID --keep …]`: contradictions that wait, and the person's choice.
import { XzError } from '../../../store/errors.ts';
import { openAppMemory } from '../../open-memory.ts';
import { pageOf, printPageLines, wholeNumber } from '../../print/page.ts';
import type { RunCommand } from '../../table/command.ts';
import { conflictLines, resolvedWords } from './words.ts';

export const runMemoryResolve: RunCommand = async (app, call) => {
  const { text, print } = app;
  const memory = openAppMemory(app);
  const { id } = call.args;
  const { keep } = call.options;
  if (id === undefined) {
    const page = pageOf(memory.conflicts(), wholeNumber(call, 'limit', 0), wholeNumber(call, 'page', 1, 1));
    const lines = () => [...page.items.flatMap((conflict) => conflictLines(conflict, text)), text.memory.howToResolve];
    printPageLines(print, text, page, lines, text.memory.noConflicts);
    return 0;
  }
  if (keep !== 'new' && keep !== 'old' && keep !== 'merge') throw new XzError('bad_input', text.memory.needsKeep);
  const resolved = await memory.resolve(id, keep);
  if (print.json) print.value({ name: resolved.name, keep, ...(resolved.gone === undefined ? {} : { gone: resolved.gone }) });
  else print.line(resolvedWords(resolved, text));
  return 0;
};
