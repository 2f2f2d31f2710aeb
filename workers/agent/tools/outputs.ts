// The folder of full texts: what a capped result leaves out can be read there with read_file.
import { join } from 'node:path';
import { errnoOf, XzError } from '../../../store/errors.ts';
import { ensureFolder, writeFileAtomic } from '../../../store/files.ts';
import type { CallOrigin } from './tool.ts';

export interface Outputs {
  /** Absolute path of the folder. */
  readonly folder: string;
  /** Where the full text of a call is kept, absolute. */
  fileFor(origin: CallOrigin): string;
  /** How the model is told a path of this folder: read_file resolves it in every agent. */
  told(file: string): string;
  /** Stores a text and returns the path to tell, or undefined when the disk does not take it. */
  store(origin: CallOrigin, text: string): string | undefined;
}

/** How outputs are named to the model, whatever its root is. */
export const OUTPUTS_PREFIX = '.agents/data/outputs/';

/** The outputs of the workspace, in `folder` (the layout's `outputs`). */
export function openOutputs(folder: string): Outputs {
  const fileFor = (origin: CallOrigin) => join(folder, `${origin.session.replace(/[^\w-]/g, '_')}-${origin.row}-${origin.index}.txt`);
  const told = (file: string) => OUTPUTS_PREFIX + file.slice(folder.length + 1);
  return {
    folder,
    fileFor,
    told,
    store(origin, text) {
      const file = fileFor(origin);
      try {
        ensureFolder(folder, 0o700);
        writeFileAtomic(file, text, { mode: 0o600, volatile: true });
        return told(file);
      } catch (error) {
        // A full or unwritable disk costs the middle of one output, not the turn.
        if (errnoOf(error) !== undefined || error instanceof XzError) return undefined;
        throw error;
      }
    },
  };
}
