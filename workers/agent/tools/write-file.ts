// write_file: a whole file, made or replaced; refused over content that this agent has not seen.
import { Type } from 'typebox';
import { XzError } from '../../../store/errors.ts';
import { type Decoded, decodeText, encodeText, isBinary } from '../files/charset.ts';
import { linesOf } from '../files/lines.ts';
import { bytesToChange, byWhom, type Change, diffOf, type FileToolDeps, makeChange, placeToWrite } from './file-access.ts';
import { defineTool, type Tool, type ToolContext } from './tool.ts';

const NEW_FILE: Decoded = { text: '', encoding: 'utf-8', bom: false };

export function writeFileTool(deps: FileToolDeps): Tool {
  const plan = async (args: { readonly path: string; readonly content: string }, context: ToolContext): Promise<Change> => {
    const place = placeToWrite(deps, context, args.path);
    if (!place.exists) {
      const bytes = Buffer.from(args.content, 'utf8');
      return {
        place,
        from: undefined,
        bytes,
        before: undefined,
        after: args.content,
        told: `made ${place.shown} (${sizeOf(args.content)})`,
      };
    }
    const from = bytesToChange(place);
    const known = deps.seen.compare(place.real, from);
    if (known !== 'same')
      throw new XzError(
        'conflict',
        `${place.shown} ${known === 'unseen' ? 'is there and you have not read it' : 'changed since you read it'}${byWhom(deps, place)}; nothing was written`,
        {
          hint: 'read it with read_file first, or change a part with edit_file',
        },
      );
    const before = isBinary(from) ? undefined : await decodeText(from);
    const after = before === undefined ? args.content : likeBefore(args.content, before.text);
    const bytes = await encodeText(after, before ?? NEW_FILE, before === undefined ? undefined : from);
    return { place, from, bytes, before: before?.text ?? '', after, told: `wrote ${place.shown} (${sizeOf(after)})` };
  };
  return defineTool({
    name: 'write_file',
    description:
      'Makes a file, or replaces one that you have read, with exactly this content; missing folders are made. It is refused when the file is there and you have not read it, or when it changed since. To change a part of a file use edit_file.',
    parameters: Type.Object({
      path: Type.String({ description: 'Path relative to the root' }),
      content: Type.String({ description: 'The whole new content' }),
    }),
    readOnly: false,
    keyed: false,
    async run(args, context) {
      const change = await plan(args, context);
      const result = await makeChange(change, deps, context.signal);
      deps.seen.note(change.place.real, change.bytes);
      return result;
    },
    preview: async (args, context) => diffIfPossible(() => plan(args, context)),
  });
}

/** The diff of a planned change; undefined when it cannot be made, which the call itself will then say. */
export async function diffIfPossible(plan: () => Promise<Change>): Promise<string | undefined> {
  try {
    return diffOf(await plan());
  } catch (error) {
    if (error instanceof XzError) return undefined;
    throw error;
  }
}

/** Reading shows no carriage returns, so a file that has them at every line keeps them. */
function likeBefore(content: string, before: string): string {
  const everyLine = before.includes('\r\n') && !/(^|[^\r])\n/.test(before);
  return everyLine && !content.includes('\r') ? content.replaceAll('\n', '\r\n') : content;
}

function sizeOf(content: string): string {
  return `${linesOf(content).length} lines, ${Buffer.byteLength(content).toLocaleString('en-US')} bytes`;
}
