// What a shell would find through patterns, redirections and links is looked up in a real folder before it is run unasked.
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { matchingPaths } from '../../../../workers/agent/files/matching.ts';
import { realName } from '../../../../workers/agent/files/paths.ts';
import { type DecisionInput, decide } from '../../../../workers/agent/permissions/decide.ts';
import { tempFolder } from '../../../helpers/temp.ts';

let root = '';
const put = (file: string, text = 'SECRET\n') => {
  mkdirSync(join(file, '..'), { recursive: true });
  writeFileSync(file, text);
};

beforeAll(() => {
  const dir = tempFolder();
  root = join(dir, 'app');
  for (const file of ['f.txt', 'src/a.ts', 'src/b.ts', 'src/deep/c.ts', 'README.md', 'plain/f.txt', 'dashes/-delete', 'many/1'])
    put(join(root, file), 'x\n');
  for (const file of ['elsewhere/secret.txt', 'elsewhere/sub/x.txt', 'elsewhere/f.txt']) put(join(dir, file));
  symlinkSync('../elsewhere/secret.txt', join(root, 'link'));
  symlinkSync('../elsewhere', join(root, 'out'));
  symlinkSync('../elsewhere/sub', join(root, 'below'));
  symlinkSync('src/a.ts', join(root, 'inner'));
  symlinkSync('../../elsewhere/f.txt', join(root, 'mixed-f.txt'));
  symlinkSync('../../elsewhere/f.txt', join(root, 'plain/l.txt'));
  symlinkSync('../../elsewhere/secret.txt', join(root, 'dashes/-l'));
});

const verdict = (command: string, mode: DecisionInput['mode'], allow: readonly string[] = []) =>
  decide({
    mode,
    allow,
    deny: [],
    tool: 'bash',
    args: { command },
    inWorktree: false,
    readOnly: false,
    root,
    home: '/home/ann',
    real: (path) => realName(root, path),
    matching: (folder, pattern) => matchingPaths(resolve(root, folder), pattern),
  }).verdict;

describe('reading that leaves the workspace is not done unasked', () => {
  test.each([
    'cat link',
    'cat < link',
    'cat <link',
    'cat 0< "link"',
    'cat < l*k',
    'cat < out/secret.txt',
    'cat [l]ink',
    'cat [[:alpha:]]ink',
    'cat l?nk',
    'cat "l"*',
    "cat 'l'[i]nk",
    'cat l*"k"',
    'cat ou?/secret.txt',
    'cat ./o*/*',
    'cat */secret.txt',
    'cat out/../elsewhere/secret.txt',
    'cat below/../secret.txt',
    'cat b*/../secret.txt',
    'cat < below/../secret.txt',
    'grep -h SECRET *',
    'grep SECRET -r *',
    'grep l* x',
    'grep {x,link}',
    'grep -{R,n} x .',
    'grep -flink x f.txt',
    'grep --file=link x f.txt',
    'head -c 9 ./o?t/*.txt',
    'cat *',
    'cat .*/f.txt',
    'echo "$(<link)"',
    'echo $(cat <link)',
    'echo `cat < link`',
    'echo out/*',
    'ls | while true; do cat; done < link',
    '{ cat; } < link',
    '(cat) < link',
    'cat <<EOF\n$(<link)\nEOF',
    'cat <<< "$(<link)"',
    'f=link; cat < $f',
    "f='l*'; cat $f",
    'for f in l*; do cat $f; done',
    'timeout 5 cat [l]ink',
    'nice timeout 5 cat < link',
    'cat f.txt && cat [l]ink',
    'cd o*; cat secret.txt',
    'cd src && cat ../[l]ink',
    'cd src/.. && cat [l]ink',
    'diff . plain',
    'diff --from-file=link f.txt',
    'ls -LR .',
    'find . -{delete,print}',
    'find dashes/* -name x',
    'cd dashes && find *',
    'cd dashes && cat -- -l',
    'uniq * x',
    'wc -l */*',
    'wc -l */*/*',
    'cat +(l)ink',
    'sort < out/f.txt | uniq',
    'date -flink',
  ])('%s', (command) => {
    for (const mode of ['plan', 'ask', 'auto-edit'] as const) expect(verdict(command, mode), mode).not.toBe('allow');
  });
  test('nor is a change made through a link while edits are free', () => {
    expect(verdict('npm test > src/out.txt', 'auto-edit', ['bash(npm test*)'])).toBe('allow');
    expect(verdict('npm test > below/../x', 'auto-edit', ['bash(npm test*)'])).toBe('ask');
  });
  test('a folder with too much to look at is asked about', () => {
    for (let n = 0; n < 1_002; n++) symlinkSync('../f.txt', join(root, `many/n${n}`));
    expect(verdict('cat many/n1', 'plan')).toBe('allow');
    expect(verdict('cat many/n*', 'plan')).toBe('ask');
    expect(verdict('cat many/1*', 'plan')).toBe('allow');
  });
});

test.each([
  'cat < f.txt',
  'cat < src/a.ts | head -3',
  'cat inner',
  'cat i*r',
  'cat src/*.ts',
  'wc -l src/*/*.ts src/?.ts',
  'cat src/[ab].ts README.*',
  'grep -n "a*b" src/*.ts',
  "grep -rn 'l*' src",
  "find src -name '*.ts'",
  'find . -name "*.ts" -newer f.txt',
  'cat plain/../f.txt',
  'ls *.nothing',
  'echo *.md {a,b} "**"',
  "git log --format='%h %s' -5",
  'git diff -- "*.ts"',
  'diff f.txt src/a.ts',
  'echo "$(<f.txt)"',
  'timeout 5 cat src/*.ts < /dev/null',
])('%s stays inside and needs no question', (command) => {
  for (const mode of ['plan', 'ask', 'auto-edit'] as const) expect(verdict(command, mode), mode).toBe('allow');
});
