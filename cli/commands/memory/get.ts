// `xz memory get FILE`: raw lines of a memory file. Takes exactly what search prints and nothing outside the folders.
import { XzError } from '../../../store/errors.ts';
import { readSource, sourceNamed } from '../../../store/search/sources.ts';
import { wholeNumber } from '../../print/page.ts';
import type { RunCommand } from '../../table/command.ts';

export const runMemoryGet: RunCommand = async (app, call) => {
  const file = call.args.file ?? '';
  const start = wholeNumber(call, 'startLine', 1, 1);
  const end = wholeNumber(call, 'endLine', Number.MAX_SAFE_INTEGER, 1);
  if (end < start)
    throw new XzError('bad_input', `--end-line ${end} is before --start-line ${start}`, {
      data: { kind: 'reversed', from: `--start-line ${start}`, to: `--end-line ${end}` },
    });
  const source = sourceNamed(app.layout(), file);
  if (source === undefined)
    throw new XzError('bad_input', `"${file}" is not the name of a memory file`, {
      hint: app.text.memory.fileHint,
      data: { kind: 'no_memory_file', given: file },
    });
  const read = readSource(source);
  if (read.why !== undefined) throw new XzError('not_found', `${file}: ${read.why}`, { hint: app.text.memory.listHint });
  // Lines keep their ends: what is printed is what is in the file.
  const lines = read.text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
  const shown = lines.slice(start - 1, end);
  const content = shown.join('');
  if (app.print.json) {
    const lineEnd = Math.max(start, Math.min(end, lines.length));
    app.print.value({ file, lineStart: start, lineEnd, totalLines: lines.length, content });
  } else app.print.raw(content === '' || content.endsWith('\n') ? content : `${content}\n`);
  return 0;
};
