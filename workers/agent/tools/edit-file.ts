// edit_file: one piece of text for another, exact and unique, everything else of the file left byte for byte.
import { Type } from 'typebox';
import { XzError } from '../../../store/errors.ts';
import { decodeText, encodeText, isBinary } from '../files/charset.ts';
import { replaceText } from '../files/replace.ts';
import { bytesToChange, byWhom, type Change, type FileToolDeps, makeChange, placeToWrite } from './file-access.ts';
import { defineTool, type Tool, type ToolContext } from './tool.ts';
import { diffIfPossible } from './write-file.ts';

interface EditArguments {
  readonly path: string;
  readonly old_text: string;
  readonly new_text: string;
  readonly replace_all?: boolean;
}

export function editFileTool(deps: FileToolDeps): Tool {
  const plan = async (args: EditArguments, context: ToolContext): Promise<Change> => {
    const place = placeToWrite(deps, context, args.path);
    const from = bytesToChange(place);
    // No earlier read is needed, but what was read and is not so any more was perhaps meant otherwise.
    if (deps.seen.compare(place.real, from) === 'changed')
      throw new XzError('conflict', `${place.shown} changed since you read it${byWhom(deps, place)}; nothing was written`, {
        hint: 'read it again with read_file',
      });
    if (isBinary(from)) throw new XzError('refused', `${place.shown} is a binary file`);
    const decoded = await decodeText(from);
    const replaced = replaceText(decoded.text, args.old_text, args.new_text, args.replace_all === true);
    if (!replaced.ok) throw new XzError('bad_input', `${place.shown}: ${replaced.reason}`, { hint: 'nothing was changed' });
    const bytes = await encodeText(replaced.text, decoded, from);
    const count = replaced.count === 1 ? `line ${replaced.line}` : `${replaced.count} places, the first in line ${replaced.line}`;
    const note = replaced.folded ? ' (quotes, blanks or accents of old_text were taken as their look-alikes in the file)' : '';
    return { place, from, bytes, before: decoded.text, after: replaced.text, told: `edited ${place.shown}: ${count}${note}` };
  };
  return defineTool({
    name: 'edit_file',
    description:
      'Replaces old_text by new_text in a file. old_text must be in the file exactly as quoted (without line numbers) and only once; add lines around it to make it unique, or set replace_all. Line endings, encoding and mode of the file stay. It is refused when the file changed since you read it. Several edits of one file in one reply are applied in order.',
    parameters: Type.Object({
      path: Type.String({ description: 'Path relative to the root' }),
      old_text: Type.String({ description: 'Text to replace, exactly as in the file' }),
      new_text: Type.String({ description: 'Text to put there, taken literally' }),
      replace_all: Type.Optional(Type.Boolean({ description: 'Replace every occurrence' })),
    }),
    readOnly: false,
    keyed: false,
    async run(args, context) {
      const change = await plan(args, context);
      const result = await makeChange(change, deps, context.signal);
      // An edit proves knowledge of one place only: what was seen before stays seen, the rest stays unseen.
      const known = change.from === undefined ? 'unseen' : deps.seen.compare(change.place.real, change.from);
      if (known === 'same' || known === 'commanded') deps.seen.note(change.place.real, change.bytes, known === 'commanded');
      return result;
    },
    preview: async (args, context) => diffIfPossible(() => plan(args, context)),
  });
}
