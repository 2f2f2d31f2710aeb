// What the file tools are given, and the one way in which they change a file.
import { dirname } from 'node:path';
import { errnoOf, XzError } from '../../../store/errors.ts';
import { ensureFolder, pathExists, writeFileAtomic } from '../../../store/files.ts';
import { readWhole } from '../files/open.ts';
import { type PathRules, type Place, placeOf } from '../files/paths.ts';
import type { SeenFiles } from '../files/seen-files.ts';
import type { SharedFolder } from '../files/shared-folder.ts';
import { OUTPUTS_PREFIX, type Outputs } from './outputs.ts';
import type { ToolContext, ToolResult } from './tool.ts';

export interface FileToolDeps {
  readonly seen: SeenFiles;
  readonly outputs: Outputs;
  /** Whether the present model takes images. */
  readonly acceptsImages: () => boolean;
  /** Bytes that one result may have. */
  readonly capBytes: () => number;
  /** Where other agents work in the same folder. */
  readonly shared?: SharedFolder;
  /** Absolute places that are not opened even below the root: `~/.xz`, credential files. */
  readonly closed?: readonly string[];
  /** Folders outside the root that may be read; see PathRules. Asked at each call. */
  readonly readable?: () => readonly string[];
}

export function pathRules(
  deps: { readonly outputs: Outputs; readonly closed?: readonly string[]; readonly readable?: () => readonly string[] },
  context: ToolContext,
): PathRules {
  return {
    root: context.root,
    outputs: deps.outputs.folder,
    outputsPrefix: OUTPUTS_PREFIX,
    closed: deps.closed ?? [],
    readable: deps.readable?.() ?? [],
  };
}

/** A change that is worked out and not made yet. */
export interface Change {
  readonly place: Place;
  /** Bytes the change was worked out from; undefined for a new file. */
  readonly from: Buffer | undefined;
  readonly bytes: Buffer;
  readonly before: string | undefined;
  readonly after: string;
  /** What the model is told. */
  readonly told: string;
}

export function placeToRead(deps: FileToolDeps, context: ToolContext, path: string): Place {
  return placeOf(pathRules(deps, context), path, 'read');
}

export function placeToWrite(deps: FileToolDeps, context: ToolContext, path: string): Place {
  return placeOf(pathRules(deps, context), path, 'write');
}

/** The bytes of an existing file that is about to be changed. Throws for what is too large to be changed as text. */
export function bytesToChange(place: Place): Buffer {
  const bytes = readWhole(place);
  if (bytes === undefined)
    throw new XzError('refused', `${place.shown} is too large for this tool`, { hint: 'change it with a command in bash' });
  return bytes;
}

export async function diffOf(change: Change): Promise<string> {
  const { unifiedDiff } = await import('../files/diff.ts');
  return unifiedDiff(change.place.shown, change.before, change.after);
}

/** Makes the change, unless the file is no longer what it was worked out from. */
export async function makeChange(change: Change, deps: FileToolDeps, signal: AbortSignal): Promise<ToolResult> {
  const { place } = change;
  if (deps.shared === undefined) writeChange(change);
  else await deps.shared.write(place.real, change.bytes, signal, () => writeChange(change));
  const diff = await diffOf(change);
  // Of a new file the model knows every line: it has just written them.
  const shown = change.before === undefined ? '' : boundedDiff(diff);
  return { text: shown === '' ? change.told : `${change.told}\n${shown}`, diff, changedFiles: [place.shown] };
}

function writeChange({ place, from, bytes }: Change): void {
  const moved = from === undefined ? pathExists(place.real) : !bytesToChange(place).equals(from);
  if (moved) throw new XzError('conflict', `${place.shown} changed at this moment; nothing was written`, { hint: 'read it again' });
  try {
    ensureFolder(dirname(place.real));
    writeFileAtomic(place.real, bytes, { keepLinks: true });
  } catch (error) {
    throw explainWrite(error, place);
  }
}

/** `by bob`, where another agent of the same folder changed the file last. */
export function byWhom(deps: FileToolDeps, place: Place): string {
  const other = deps.shared?.otherHolder(place.real);
  return other === undefined ? '' : ` (last by ${other})`;
}

/** Characters of a diff that the model reads. */
const DIFF_SHOWN = 4_000;

/** A diff without its last line break; a long one ends at a whole line and says how much is missing. */
function boundedDiff(diff: string): string {
  const text = diff.replace(/\n$/, '');
  if (text.length <= DIFF_SHOWN) return text;
  const room = text.slice(0, DIFF_SHOWN);
  const kept = room.includes('\n', DIFF_SHOWN / 2) ? room.slice(0, room.lastIndexOf('\n')) : room;
  const missing = text.slice(kept.length).split('\n').length - (kept === room ? 0 : 1);
  return `${kept}\n[diff cut here: ${missing} more lines]`;
}

function explainWrite(error: unknown, place: Place): unknown {
  const because = (text: string, hint: string) =>
    new XzError('unwritable', `${place.shown}: ${text}; nothing was changed`, { hint, cause: error });
  const noFolder = error instanceof XzError && error.data.kind === 'no_folder';
  switch (noFolder ? 'ENOTDIR' : errnoOf(error)) {
    case 'EACCES':
    case 'EPERM':
    case 'EROFS':
      return because('its folder may not be written', 'a file is replaced in one step, which needs a writable folder');
    case 'ENOSPC':
    case 'EDQUOT':
      return because('the disk is full', 'free some space, then try again');
    case 'ENOTDIR':
    case 'EEXIST':
      return because('a part of its path is a file, not a folder', 'choose another path');
    case 'EISDIR':
      return because('it is a folder', 'choose another path');
    case 'ENAMETOOLONG':
      return because('the name is too long', 'choose a shorter name');
    default:
      return error;
  }
}
