import { describe, expect, test } from 'vitest';
import { decide } from '../../../../workers/agent/permissions/decide.ts';

const MAIN = '/home/ann/work/app';
const OWN = `${MAIN}/.worktrees/bob`;

const decision = (command: string, root = OWN, inWorktree = true) =>
  decide({
    mode: 'yolo',
    allow: [],
    deny: [],
    tool: 'bash',
    args: { command },
    inWorktree,
    readOnly: false,
    root,
    home: '/home/ann',
  });
const reason = (command: string, root = OWN) => {
  const made = decision(command, root);
  return made.verdict === 'refuse' ? made.reason : made.verdict;
};

describe("from a worktree, git does not change the person's checkout", () => {
  test.each([
    `git -C ${MAIN} commit -am x`,
    `git -C ${MAIN}/src add .`,
    'git -C ../.. commit -m x',
    'git -C .. -C .. reset --hard',
    'git -C "$XZ_WORKSPACE" commit -m x',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: shell text
    'git -C "${XZ_WORKSPACE}" merge xz/bob/1',
    'git -C ~/work/app commit -m x',
    `git --git-dir=${MAIN}/.git --work-tree=${MAIN} commit -m x`,
    `git --git-dir ${MAIN}/.git --work-tree ${MAIN} checkout -- a`,
    `git --work-tree=${MAIN} checkout -- .`,
    `git --git-dir="$(git rev-parse --git-common-dir)" commit -m x`,
    `GIT_DIR=${MAIN}/.git git commit -m x`,
    `GIT_WORK_TREE='${MAIN}' git add -A`,
    `export GIT_DIR="${MAIN}/.git"; git commit -m x`,
    `env GIT_INDEX_FILE=${MAIN}/.git/index git add -A`,
    `cd ${MAIN} && git commit -am x`,
    `cd ${MAIN}; git add -A; git commit -m x`,
    `cd "$XZ_WORKSPACE" && git pull`,
    `pushd ${MAIN} && git commit -m x`,
    'cd ../.. && git revert HEAD',
    `(cd ${MAIN} && git commit -m x)`,
    `bash -c 'cd ${MAIN} && git commit -m x'`,
    `x=${MAIN}; git -C $x commit -m y`,
    `git -C ${MAIN}/.worktrees/cid commit -m x`,
    `git -C ${MAIN}/.. commit -m x`,
    `true && echo $(git -C ${MAIN} rm a)`,
  ])('%s', (command) => {
    expect(reason(command)).toContain('the checkout of the person');
    expect(decision(command, MAIN, false).verdict).toBe('allow');
  });

  test.each([
    `git -C ${MAIN} log --oneline`,
    `git -C ${MAIN} status --short`,
    `git -C ${MAIN} diff HEAD~1`,
    `git -C ${MAIN} show HEAD:a.ts`,
    `git --git-dir=${MAIN}/.git log -1`,
    `cd ${MAIN} && git status && git log`,
    `(cd ${MAIN} && git log -1); git commit -am "mine"`,
    `cd ${MAIN} | git commit -am mine`,
    `echo "$(cd ${MAIN}; pwd)"; git add -A`,
    `cd ${MAIN} && cd - ; cd ${OWN} && git commit -am x`,
    'git commit -am "see git -C ../.. commit"',
    `git commit -m "GIT_DIR=${MAIN}/.git"`,
    'git -C src add .',
    `git -C ${OWN} commit -am x`,
    `git --git-dir=${MAIN}/.git/worktrees/bob add -A`,
    'git init /tmp/other && git -C /tmp/other commit --allow-empty -m x',
    'cd /tmp/other && git commit -m x',
    'GIT_AUTHOR_NAME=x git commit -m y',
  ])('%s passes', (command) => {
    expect(reason(command)).toBe('allow');
  });

  test('a root inside the worktree is part of it', () => {
    expect(reason('git -C ../.. commit -m x', `${OWN}/packages/core`)).toBe('allow');
    expect(reason('git -C ../../../.. commit -m x', `${OWN}/packages/core`)).toContain(`in ${MAIN} it would change`);
  });
});

describe('from a worktree, files of the checkout are not written by the usual commands', () => {
  test.each([
    `echo x > ${MAIN}/a.ts`,
    'echo x >> ../../a.ts',
    `echo x > "$XZ_WORKSPACE/a.ts"`,
    `cd ${MAIN} && echo x > a.ts`,
    `(cd ../.. && cat > a.ts <<E\nx\nE\n)`,
    `{ echo x; echo y; } > ${MAIN}/a.ts`,
    `cp a.ts ${MAIN}/a.ts`,
    `cp -t ${MAIN} a.ts`,
    `echo x | tee ${MAIN}/a.ts`,
    `sed -i s/a/b/ ${MAIN}/a.ts`,
    `mkdir -p ${MAIN}/new`,
    `rm ${MAIN}/a.ts`,
    `mv a.ts ${MAIN}/.worktrees/cid/a.ts`,
  ])('%s', (command) => {
    expect(reason(command)).toContain('outside your worktree');
    expect(decision(command, MAIN, false).verdict).toBe('allow');
  });

  test.each([
    'echo x > a.ts',
    `echo x > ${OWN}/a.ts`,
    `cp ${MAIN}/.env .env`,
    `ln -s ${MAIN}/node_modules node_modules`,
    `(cd ${MAIN} && cat a.ts) > b.ts`,
    `cd ${MAIN} && ls 2>/dev/null`,
    'echo x > /tmp/a.ts',
    `sed s/a/b/ ${MAIN}/a.ts > a.ts`,
    'sed -i s/a/b/ a.ts',
    'touch "$TMPFILE"',
  ])('%s passes', (command) => {
    expect(reason(command)).toBe('allow');
  });
});

test('a change of folder ends with its subshell, for what is deleted too', () => {
  expect(decision('(cd /tmp/x); rm -rf ./*', MAIN, false)).toMatchObject({ verdict: 'refuse' });
  expect(decision('(cd /tmp/x && rm -rf ./*)', MAIN, false)).toEqual({ verdict: 'allow' });
  expect(decision("bash -c 'cd / && rm -rf *'", MAIN, false)).toMatchObject({ verdict: 'refuse' });
});
