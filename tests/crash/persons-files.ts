// The person's own work in the main checkout while a team runs there: changed, staged, untracked and ignored files, none of
// which a team may touch.
import { tempWorkspace, type Workspace } from '../helpers/temp.ts';

const STATUS = 'A  staged.txt\n M changed.txt\n?? notes/\n';
const CONTENTS: Readonly<Record<string, string>> = {
  'changed.txt': 'changed and not committed\n',
  'staged.txt': 'staged\n',
  'notes/untracked.txt': 'not known to git\n',
  'ignored/x.txt': 'ignored\n',
};

/** A workspace in which a person is in the middle of something. */
export function busyWorkspace(): Workspace {
  const ws = tempWorkspace({ files: { 'README.md': '# demo\n', '.gitignore': 'ignored/\n', 'changed.txt': 'committed\n' } });
  for (const [file, text] of Object.entries(CONTENTS)) ws.write(file, text);
  ws.git('add', 'staged.txt');
  return ws;
}

/** What was done to the person's work, in words; empty when nothing was. */
export function touched(ws: Workspace): string[] {
  const changed = Object.entries(CONTENTS).filter(([file, text]) => !ws.has(file) || ws.read(file) !== text);
  const lines = changed.map(([file]) => `${file} is not as the person left it`);
  const status = sorted(ws.git('status', '--porcelain'));
  return status === sorted(STATUS) ? lines : [...lines, `git status: ${status}`];
}

const sorted = (text: string) => text.split('\n').filter(Boolean).sort().join('\n');
