// The person's own editor for the text of the input.
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { XzError } from '../../store/errors.ts';
import { ensureFolder, readText, removeFile, writeFileAtomic } from '../../store/files.ts';
import { randomId } from '../../store/ids.ts';

/**
 * Opens VISUAL, EDITOR or vi on the text and resolves to what was saved. The terminal must be free. The file is private
 * and gone afterwards. Throws `bad_input` when the editor cannot be started or ends with an error: the text is unchanged.
 */
export async function editOutside(text: string, folder: string, env: Readonly<Record<string, string | undefined>>): Promise<string> {
  const command = env.VISUAL || env.EDITOR || 'vi';
  const path = join(folder, `input-${randomId()}.md`);
  ensureFolder(folder, 0o700);
  writeFileAtomic(path, text, { mode: 0o600, volatile: true });
  try {
    // The variable may hold arguments, so a shell splits it, as git and others do; the path is passed beside it. Ctrl+C
    // reaches the shell too, which must not end before the editor does.
    const child = spawn('sh', ['-c', `trap : INT QUIT; ${command} "$1"`, 'xz', path], { stdio: 'inherit', env });
    const code = await new Promise<number | null>((resolve, reject) => {
      child.on('error', reject);
      child.on('close', resolve);
    });
    if (code !== 0)
      throw new XzError('bad_input', `${command} ended with exit code ${code}`, {
        hint: 'set EDITOR to an editor that is installed',
        data: { kind: 'editor', command, exit: code ?? '?' },
      });
    return (readText(path) ?? text).replace(/\n$/, '');
  } finally {
    removeFile(path);
  }
}
