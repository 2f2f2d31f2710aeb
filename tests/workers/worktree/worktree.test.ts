import { execFileSync } from 'node:child_process';
import { existsSync, lstatSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { systemClock } from '../../../store/clock.ts';
import { commitAll } from '../../../workers/worktree/commit.ts';
import { createWorktree } from '../../../workers/worktree/create.ts';
import { openGit } from '../../../workers/worktree/git.ts';
import { listWorktrees, planWorktree, type WorktreePlan } from '../../../workers/worktree/plan.ts';
import { removeWorktree } from '../../../workers/worktree/remove.ts';
import { NO_SETUP, parseSetup, type WorktreeSetup } from '../../../workers/worktree/setup.ts';
import { stateOf } from '../../../workers/worktree/state.ts';
import { testLayout } from '../../helpers/layout.ts';
import { tempWorkspace, type Workspace, type WorkspaceOptions } from '../../helpers/temp.ts';

const PROCESS = { name: 'ptest', hold: () => {} };

function setUp(options: WorkspaceOptions = {}, dir?: (ws: Workspace) => string) {
  const ws = tempWorkspace(options);
  return around(ws, dir?.(ws) ?? ws.dir);
}

/** Everything the tests do with worktrees of the workspace at `root`. */
function around(ws: Workspace, root: string) {
  const layout = testLayout(root, join(ws.home, '.xz'));
  const git = { env: ws.env };
  const clock = systemClock;
  const planned = async (name = 'ann', setup: WorktreeSetup = NO_SETUP) => planWorktree({ layout, name, setup, git });
  const plan = async (name = 'ann', setup: WorktreeSetup = NO_SETUP): Promise<WorktreePlan> => {
    const answer = await planned(name, setup);
    if (answer.kind !== 'plan') throw new Error(`no plan: ${answer.why} ${answer.detail}`);
    return answer.plan;
  };
  const make = async (of: WorktreePlan, setup: WorktreeSetup = NO_SETUP, trusted = true) => {
    const made = await createWorktree({ layout, plan: of, setup, git, clock, trusted, process: PROCESS });
    if (made.kind !== 'made') throw new Error(`not made: ${made.detail}`);
    return made;
  };
  const add = async (name = 'ann', setup: WorktreeSetup = NO_SETUP) => {
    const of = await plan(name, setup);
    await make(of, setup);
    return of;
  };
  const run = (where: string, ...args: string[]) =>
    execFileSync('git', args, { cwd: where, env: ws.env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
  const commit = (of: WorktreePlan, message = 'work') => commitAll({ path: of.path, branch: of.branch, message, git, clock });
  const remove = (of: WorktreePlan) => removeWorktree({ layout, path: of.path, branch: of.branch, base: of.base, git, clock });
  const state = (of: WorktreePlan) => stateOf(of.path, of.base, git);
  const put = (of: WorktreePlan, file: string, text: string) => {
    mkdirSync(join(of.path, file, '..'), { recursive: true });
    writeFileSync(join(of.path, file), text);
  };
  /** Of its commits, newest first. */
  const subjects = (of: WorktreePlan) =>
    run(of.path, '-c', 'i18n.logOutputEncoding=utf-8', 'log', '--format=%s', `${of.base}..HEAD`).trim().split('\n');
  return { ws, layout, git, clock, planned, plan, make, add, run, commit, remove, state, put, subjects };
}

describe('a teammate’s worktree', () => {
  it('stands in .worktrees on a branch of its own from the lead’s HEAD, hidden from git status, with hooks off', async () => {
    const { ws, add, layout, run } = setUp();
    ws.write('.git/hooks/post-checkout', '#!/bin/sh\ntouch "$HOME/hook-ran"\n');
    execFileSync('chmod', ['+x', ws.path('.git/hooks/post-checkout')]);
    const ann = await add();
    expect(ann).toMatchObject({
      path: join(layout.worktrees, 'ann'),
      branch: 'xz/ann/1',
      mainBranch: 'main',
      base: ws.git('rev-parse', 'HEAD').trim(),
    });
    expect(run(ann.path, 'symbolic-ref', '--short', 'HEAD').trim()).toBe('xz/ann/1');
    expect(existsSync(join(ws.home, 'hook-ran'))).toBe(false);
    expect(ws.git('status', '--porcelain')).toBe('');
  });

  it('is told which uncommitted files of the person it does not have', async () => {
    const { ws, plan, make } = setUp();
    ws.write('README.md', 'changed');
    ws.write('new file.txt', 'x');
    const ann = await plan();
    expect(ann.uncommitted).toEqual(['README.md', 'new file.txt']);
    expect((await make(ann)).notes.join('\n')).toContain('README.md, new file.txt');
  });

  it('is seen and worked in whatever the person’s git is set to', async () => {
    const { ws, add, plan, put, commit, remove, run, state, subjects } = setUp();
    for (const [key, value] of Object.entries({
      'status.showUntrackedFiles': 'no',
      'status.relativePaths': 'true',
      'status.branch': 'true',
      'color.ui': 'always',
      'diff.noprefix': 'true',
      'diff.external': '/bin/false',
      'diff.ignoreSubmodules': 'all',
      'log.showSignature': 'true',
      'core.fsmonitor': `touch '${join(ws.home, 'started')}' #`,
      'core.autocrlf': 'true',
      'i18n.commitEncoding': 'gbk',
      'i18n.logOutputEncoding': 'gbk',
      'commit.template': '/nonexistent',
      'commit.verbose': 'true',
      'user.useConfigOnly': 'true',
    }))
      ws.git('config', key, value);
    rmSync(join(ws.home, 'started'), { force: true });
    ws.write('新文件.txt', 'x');
    expect((await plan()).uncommitted).toEqual(['新文件.txt']);
    const ann = await add();
    put(ann, '部署.txt', 'x\n');
    expect((await state(ann)).untracked).toEqual(['部署.txt']);
    expect(await remove(ann)).toMatchObject({ kind: 'kept', files: ['部署.txt'] });
    await commit(ann, '修复超时');
    expect(subjects(ann)).toEqual(['修复超时']);
    expect(run(ann.path, '-c', 'i18n.logOutputEncoding=utf-8', 'log', '-1', '--format=%s').trim()).toBe('修复超时');
    expect((await state(ann)).files).toEqual(['部署.txt']);
    expect(await remove(ann)).toMatchObject({ kind: 'removed', unlanded: 1 });
    expect(existsSync(join(ws.home, 'started'))).toBe(false);
  });

  it('matches the workspace when that is a folder inside the repository', async () => {
    const ws = tempWorkspace({ files: { 'sub/a.txt': 'a' } });
    const { add } = around(ws, ws.path('sub'));
    ws.write('sub/.env', 'KEY=1');
    const ann = await add('ann', parseSetup('copy = ".env"\nrun = "pwd > where.txt"', 'setup.toml'));
    expect(readFileSync(join(ann.root, '.env'), 'utf8')).toBe('KEY=1');
    expect(readFileSync(join(ann.root, 'where.txt'), 'utf8').trim()).toBe(ann.root);
    expect(ann.path).toBe(ws.path('sub/.worktrees/ann'));
    expect(readFileSync(join(ann.root, 'a.txt'), 'utf8')).toBe('a');
  });

  it('gets copies and links of the main folder and a set-up run, none of which is ever committed', async () => {
    const setup = parseSetup('copy = [".env", "conf"]\nlink = "node_modules"\nrun = ["cat .env > ran.log"]\n', 'setup.toml');
    const { ws, add, commit, state, remove, run } = setUp({ files: { 'a.txt': 'a', '.gitignore': 'node_modules/\n' } });
    ws.write('.env', 'KEY=1');
    ws.write('conf/deep/x.ini', 'x');
    ws.write('node_modules/dep/index.js', '1');
    const ann = await add('ann', setup);
    expect(readFileSync(join(ann.path, 'node_modules/dep/index.js'), 'utf8')).toBe('1');
    expect((await state(ann)).untracked).toEqual(['ran.log']);
    await commit(ann);
    expect(run(ann.path, 'ls-files').split('\n')).toEqual(['.gitignore', 'a.txt', 'ran.log', '']);
    expect((await state(ann)).clean).toBe(true);
    writeFileSync(join(ann.path, '.env'), 'KEY=2');
    expect(await remove(ann)).toMatchObject({ kind: 'kept', files: ['.env'] });
    writeFileSync(join(ann.path, '.env'), 'KEY=1');
    expect(await remove(ann)).toMatchObject({ kind: 'removed', unlanded: 1 });
    expect(ws.has('node_modules/dep/index.js')).toBe(true);
  });

  it('copies what links of the main folder lead to; leads outside it stay links, and those that lead nowhere are named', async () => {
    const setup = parseSetup('copy = [".env", "conf", "shared"]', 'setup.toml');
    const { ws, plan, make, state, remove } = setUp();
    writeFileSync(join(ws.home, 'outside.env'), 'KEY=outside');
    ws.write('.env.local', 'KEY=1');
    ws.write('conf/x.ini', 'x');
    symlinkSync('.env.local', ws.path('.env'));
    symlinkSync('x.ini', ws.path('conf/y.ini'));
    symlinkSync('gone', ws.path('conf/.#x.ini'));
    symlinkSync('..', ws.path('conf/up'));
    symlinkSync(join(ws.home, 'outside.env'), ws.path('shared'));
    const ann = await plan();
    const { problems } = await make(ann, setup);
    const read = (path: string) => readFileSync(join(ann.path, path), 'utf8');
    expect([read('.env'), read('conf/y.ini'), read('shared')]).toEqual(['KEY=1', 'x', 'KEY=outside']);
    expect([lstatSync(join(ann.path, '.env')).isFile(), lstatSync(join(ann.path, 'shared')).isSymbolicLink()]).toEqual([true, true]);
    expect(existsSync(join(ann.path, 'conf/up'))).toBe(false);
    expect(problems).toEqual(['The main folder does not have conf/.#x.ini, which setup.toml names.']);
    expect((await state(ann)).untracked).toEqual([]);
    expect(await remove(ann)).toMatchObject({ kind: 'removed' });
    expect(readFileSync(join(ws.home, 'outside.env'), 'utf8')).toBe('KEY=outside');
  });

  it('runs no set-up command in a workspace that is not trusted, and says so', async () => {
    const setup = parseSetup('run = "touch ran"', 'setup.toml');
    const { plan, make } = setUp();
    const ann = await plan();
    expect((await make(ann, setup, false)).notes.join()).toContain('not trusted');
    expect(existsSync(join(ann.path, 'ran'))).toBe(false);
  });

  it('reports a set-up command that fails and goes on', async () => {
    const { plan, make } = setUp();
    const { notes } = await make(await plan(), parseSetup('run = "echo no such thing; exit 3"', 'setup.toml'));
    expect(notes.join('\n')).toMatch(/exit code 3[\s\S]*no such thing/);
  });
});

describe('the set-up file', () => {
  it('names what is wrong in it', () => {
    for (const bad of [
      'copy = 3',
      'copy = ["../x"]',
      'link = "/etc"',
      'copy = ".git/config"',
      'branch_prefix = "-x"',
      'copy = [',
      'gate_timeout_s = 0',
    ])
      expect(() => parseSetup(bad, 'setup.toml'), bad).toThrow(
        expect.objectContaining({ code: 'bad_config', message: expect.stringContaining('setup.toml') }),
      );
    expect(parseSetup('gate = ["a", "b"]\nbranch_prefix = "team/"', 's')).toMatchObject({ gate: 'a && b', branchPrefix: 'team/' });
    expect(parseSetup('gate = ""', 's').gate).toBeUndefined();
  });

  it('refuses a key it does not know, so that a mistyped gate is not no gate', () => {
    const refused: ReadonlyArray<readonly [text: string, given: string, advice: string]> = [
      ['gates = "false"', 'gates', 'did you mean gate?'],
      ['Gate = "false"', 'Gate', 'did you mean gate?'],
      ['gate = "true"\nbranchprefix = "x/"', 'branchprefix', 'did you mean branch_prefix?'],
      ['[merge]\ngate = "false"', '[merge]', 'write gate at the top of the file'],
      ['[gates]', '[gates]', 'did you mean gate?'],
      ['[[gate_steps]]\nrun = "false"', 'gate_steps', 'known keys, in no section: copy, link, run, gate'],
      ['check = "false"', 'check', 'known keys, in no section: copy, link, run, gate'],
    ];
    for (const [text, given, advice] of refused)
      expect(() => parseSetup(text, 'setup.toml'), text).toThrow(
        expect.objectContaining({
          code: 'bad_config',
          message: expect.stringContaining(`setup.toml: ${given} is unknown`),
          hint: expect.stringContaining(advice),
        }),
      );
  });
});

describe('no worktree (B4)', () => {
  it('when there is no repository, no commit yet, or no git: a reason and git’s first error, and nothing is changed', async () => {
    const plain = setUp({ git: false });
    expect(await plain.planned()).toMatchObject({
      kind: 'none',
      why: 'not_a_repository',
      detail: expect.stringContaining('not a git repository'),
    });
    const unborn = setUp({ git: false });
    unborn.ws.git('init', '-q', '-b', 'trunk');
    expect(await unborn.planned()).toMatchObject({ kind: 'none', why: 'no_commit_yet', detail: expect.stringMatching(/^fatal: /) });
    expect(unborn.ws.git('for-each-ref')).toBe('');
    expect(unborn.ws.has('.worktrees')).toBe(false);
    const { layout, ws } = setUp();
    const answer = await planWorktree({ layout, name: 'ann', setup: NO_SETUP, git: { env: { ...ws.env, PATH: '/nowhere' } } });
    expect(answer).toMatchObject({ kind: 'none', why: 'git_missing' });
  });
});

describe('left-overs of a crashed run (B5)', () => {
  it('take the next number when the branch is there', async () => {
    const { ws, add } = setUp();
    ws.git('branch', 'xz/ann/1');
    expect((await add()).branch).toBe('xz/ann/2');
  });

  it('move the name aside where a branch of the person stands in the way of it', async () => {
    const { ws, add } = setUp();
    ws.git('branch', 'xz');
    ws.git('branch', 'xz-2/bob');
    expect((await add()).branch).toBe('xz-2/ann/1');
    expect((await add('bob')).branch).toBe('xz-2/bob-2/1');
  });

  it('are none of a worktree that git could not make: the fault is named and no branch stays', async () => {
    const { ws, layout, plan, git, clock } = setUp();
    ws.write('.gitattributes', '*.bin filter=big\n');
    ws.write('a.bin', 'x');
    ws.git('add', '-A');
    ws.git('commit', '-qm', 'big');
    ws.git('config', 'filter.big.process', 'no-such-filter run');
    ws.git('config', 'filter.big.required', 'true');
    const answer = await createWorktree({ layout, plan: await plan(), setup: NO_SETUP, git, clock, trusted: true, process: PROCESS });
    expect(answer).toMatchObject({ kind: 'none', why: 'git_failed', detail: expect.stringContaining('no-such-filter') });
    expect(ws.git('branch', '--list', 'xz/*')).toBe('');
  });

  it('drop a registration whose folder was removed by hand, and only that one', async () => {
    const { ws, add, run } = setUp();
    const ann = await add();
    run(ws.dir, 'worktree', 'add', '-q', join(ws.home, 'elsewhere'));
    renameSync(join(ws.home, 'elsewhere'), join(ws.home, 'unmounted'));
    rmSync(ann.path, { recursive: true });
    expect(await add()).toMatchObject({ path: ann.path, branch: 'xz/ann/2' });
    expect(run(ws.dir, 'worktree', 'list')).toContain('elsewhere');
  });

  it('leave a stranger’s folder alone and take another name', async () => {
    const { ws, add, layout } = setUp();
    ws.write('.worktrees/ann/precious.txt', 'mine');
    expect((await add()).path).toBe(join(layout.worktrees, 'ann-2'));
    expect(ws.read('.worktrees/ann/precious.txt')).toBe('mine');
  });

  it('never force a branch that is checked out in the main tree', async () => {
    const { ws, add } = setUp();
    ws.git('checkout', '-q', '-b', 'xz/ann/1');
    expect((await add()).branch).toBe('xz/ann/2');
    expect(ws.git('symbolic-ref', '--short', 'HEAD').trim()).toBe('xz/ann/1');
  });

  it('are continued when the plan was written and the making was cut, and used as they are when it was done', async () => {
    const { add, make, run, ws, put, remove, commit } = setUp({ files: { 'a.txt': 'a', 'b.txt': 'b' } });
    const ann = await add();
    put(ann, 'done.txt', 'x');
    await make(ann);
    expect(existsSync(join(ann.path, 'done.txt'))).toBe(true);
    rmSync(join(ann.path, 'done.txt'));
    // What a SIGKILL in the middle of `worktree add` leaves: the lock, no index, half of the files.
    const folder = run(ann.path, 'rev-parse', '--git-dir').trim();
    writeFileSync(join(folder, 'locked'), 'initializing');
    rmSync(join(folder, 'index'));
    writeFileSync(join(folder, 'index.lock'), '');
    rmSync(join(ann.path, 'b.txt'));
    await make(ann);
    expect(readFileSync(join(ann.path, 'b.txt'), 'utf8')).toBe('b');
    expect(run(ann.path, 'status', '--porcelain')).toBe('');
    expect(existsSync(join(folder, 'locked'))).toBe(false);
    // The same, and its owner is released before it ever worked.
    writeFileSync(join(run(ann.path, 'rev-parse', '--git-dir').trim(), 'locked'), 'initializing');
    rmSync(join(ann.path, 'b.txt'));
    expect((await commit(ann)).commit).toBeUndefined();
    expect(await remove(ann)).toEqual({ kind: 'removed', branchDeleted: true, unlanded: 0 });
    await make(ann);
    // The branch was made, the folder was not.
    run(ws.dir, 'worktree', 'remove', ann.path);
    await make(ann);
    expect(existsSync(join(ann.path, 'b.txt'))).toBe(true);
  });
});

describe('submodules (B7)', () => {
  function withSubmodule() {
    const lib = tempWorkspace({ files: { 'lib.txt': 'lib' } });
    const set = setUp();
    set.ws.git('-c', 'protocol.file.allow=always', 'submodule', '-q', 'add', lib.dir, 'lib');
    set.ws.git('commit', '-qm', 'lib');
    const fill = (where: string) => set.run(where, '-c', 'protocol.file.allow=always', 'submodule', '-q', 'update', '--init');
    return { ...set, fill };
  }

  it('are empty in a new worktree, which says so', async () => {
    const { plan, make } = withSubmodule();
    expect((await make(await plan())).notes.join()).toContain('submodules are empty');
  });

  it('clean: the worktree is removed', async () => {
    const { add, fill, remove } = withSubmodule();
    const ann = await add();
    fill(ann.path);
    expect(await remove(ann)).toMatchObject({ kind: 'removed', branchDeleted: true });
    expect(existsSync(ann.path)).toBe(false);
  });

  it('with a dirty file, or a commit that is nowhere else: kept and reported', async () => {
    const { add, fill, remove, run } = withSubmodule();
    const ann = await add();
    fill(ann.path);
    const lib = join(ann.path, 'lib');
    writeFileSync(join(lib, 'new.txt'), 'x');
    expect(await remove(ann)).toMatchObject({ kind: 'kept', why: 'submodule lib has uncommitted files', files: ['lib/new.txt'] });
    run(lib, 'add', '-A');
    run(lib, 'commit', '-qm', 'only here');
    run(lib, 'branch', 'keep');
    run(lib, 'checkout', '-q', '--detach', 'HEAD~1');
    expect(await remove(ann)).toMatchObject({ kind: 'kept', why: expect.stringContaining('nowhere else') });
    expect(existsSync(join(lib, 'lib.txt'))).toBe(true);
  });
});

describe('any layout (B8)', () => {
  const wholeLife = async (set: ReturnType<typeof around>) => {
    const ann = await set.add();
    set.put(ann, 'say "it’s 项目".txt', 'x');
    expect((await set.commit(ann)).commit).toMatch(/^[0-9a-f]{40}$/);
    expect(await set.state(ann)).toMatchObject({ clean: true, files: ['say "it’s 项目".txt'] });
    const listed = await listWorktrees(openGit(set.layout.root, set.git));
    expect(listed.filter(({ branch }) => branch === ann.branch).map(({ path }) => basename(path))).toEqual(['ann']);
    expect(await set.remove(ann)).toEqual({ kind: 'removed', branchDeleted: false, unlanded: 1 });
    return ann;
  };

  it('spaces, quotes, brackets and Chinese in the path', async () => {
    await wholeLife(setUp({ name: "my repo's (x)/项目" }));
  });

  it('a detached HEAD in the main checkout', async () => {
    const set = setUp();
    set.ws.git('checkout', '-q', '--detach');
    expect((await wholeLife(set)).mainBranch).toBeUndefined();
  });

  it('a repository reached through a symlink', async () => {
    const ws = tempWorkspace();
    symlinkSync(ws.dir, join(ws.home, 'link'));
    await wholeLife(around(ws, join(ws.home, 'link')));
  });

  it('a bare clone with a .git pointer file', async () => {
    const ws = tempWorkspace();
    const bare = join(ws.home, 'bare layout');
    mkdirSync(bare);
    ws.git('clone', '-q', '--bare', ws.dir, join(bare, '.bare'));
    writeFileSync(join(bare, '.git'), 'gitdir: ./.bare\n');
    await wholeLife(around(ws, bare));
  });

  it('inherited GIT_* location variables are not followed', async () => {
    const other = tempWorkspace();
    const ws = tempWorkspace();
    const set = around({ ...ws, env: { ...ws.env } }, ws.dir);
    const env = { ...ws.env, GIT_DIR: join(other.dir, '.git'), GIT_WORK_TREE: other.dir, GIT_INDEX_FILE: join(other.dir, 'index') };
    const answer = await planWorktree({ layout: set.layout, name: 'ann', setup: NO_SETUP, git: { env } });
    expect(answer).toMatchObject({ kind: 'plan', plan: { base: ws.git('rev-parse', 'HEAD').trim() } });
    if (answer.kind === 'plan')
      await createWorktree({
        layout: set.layout,
        plan: answer.plan,
        setup: NO_SETUP,
        git: { env },
        clock: systemClock,
        trusted: true,
        process: PROCESS,
      });
    expect(other.git('branch', '--list', 'xz/*')).toBe('');
    expect(ws.git('branch', '--list', 'xz/*')).toContain('xz/ann/1');
  });
});

describe('the commit at the end of a turn', () => {
  it('takes everything, is a no-op when repeated, and uses xz’s name only where the person has none', async () => {
    const { ws, add, put, commit, run, state, subjects } = setUp();
    const ann = await add();
    put(ann, 'new/deep.txt', 'x');
    rmSync(join(ann.path, 'README.md'));
    expect((await commit(ann, 'first')).commit).toMatch(/^[0-9a-f]{40}$/);
    expect(await commit(ann, 'again')).toEqual({ commit: undefined, left: [], rescued: undefined, note: undefined });
    expect(run(ann.path, 'log', '-1', '--format=%an %ae %s').trim()).toBe('Test test@example.invalid first');
    writeFileSync(join(ws.home, '.gitconfig'), '');
    put(ann, 'more.txt', 'x');
    await commit(ann, 'second');
    expect(run(ann.path, 'log', '-1', '--format=%an %ae').trim()).toBe('xz xz@localhost');
    expect(subjects(ann)).toEqual(['second', 'first']);
    expect((await state(ann)).diffstat).toBe('3 files changed, 2 insertions(+), 1 deletion(-)');
  });

  it('asks for no signature and runs no hook', async () => {
    const { ws, add, put, commit } = setUp();
    ws.git('config', 'commit.gpgsign', 'true');
    ws.git('config', 'gpg.program', '/bin/false');
    for (const hook of ['pre-commit', 'commit-msg', 'prepare-commit-msg', 'post-commit']) {
      ws.write(`.git/hooks/${hook}`, '#!/bin/sh\ntouch "$HOME/hook-ran"\nexit 1\n');
      execFileSync('chmod', ['+x', ws.path(`.git/hooks/${hook}`)]);
    }
    const ann = await add();
    put(ann, 'a.txt', 'x');
    expect((await commit(ann)).commit).toBeDefined();
    expect(existsSync(join(ws.home, 'hook-ran'))).toBe(false);
  });

  it('removes a stale index.lock, but waits for a git that lives and then leaves it', async () => {
    const { add, put, commit, run } = setUp();
    const ann = await add();
    put(ann, 'a.txt', 'x');
    const lock = join(run(ann.path, 'rev-parse', '--git-dir').trim(), 'index.lock');
    writeFileSync(lock, '');
    expect((await commit(ann)).commit).toBeDefined();
    expect(existsSync(lock)).toBe(false);
  });

  it('does not conclude a merge with conflicts, and keeps the worktree', async () => {
    const { ws, add, put, commit, run, remove } = setUp();
    const ann = await add();
    put(ann, 'README.md', 'hers');
    await commit(ann);
    ws.write('README.md', 'his');
    ws.git('commit', '-qam', 'his');
    expect(() => run(ann.path, 'merge', 'main')).toThrow();
    expect(await commit(ann)).toMatchObject({ commit: undefined, left: ['README.md'] });
    expect(await remove(ann)).toMatchObject({ kind: 'kept', why: 'a merge is half done' });
  });

  it('leaves a repository inside alone and says so', async () => {
    const { add, put, commit, remove, run } = setUp();
    const ann = await add();
    put(ann, 'inner/x.txt', 'x');
    run(join(ann.path, 'inner'), 'init', '-q');
    run(join(ann.path, 'inner'), 'add', '-A');
    run(join(ann.path, 'inner'), 'commit', '-qm', 'inner');
    put(ann, 'outer.txt', 'x');
    expect(await commit(ann)).toMatchObject({
      commit: expect.any(String),
      left: ['inner/'],
      note: expect.stringContaining('repository inside'),
    });
    expect(await remove(ann)).toMatchObject({ kind: 'kept', files: ['inner/'] });
  });

  it('gives work on a detached HEAD to its branch when that only moves forward, else a branch of its own', async () => {
    const { add, put, commit, run } = setUp();
    const ann = await add();
    run(ann.path, 'checkout', '-q', '--detach');
    put(ann, 'a.txt', 'x');
    const first = await commit(ann);
    expect(first.rescued).toBeUndefined();
    expect(run(ann.path, 'rev-parse', 'xz/ann/1').trim()).toBe(first.commit);
    expect(run(ann.path, 'symbolic-ref', '--short', 'HEAD').trim()).toBe('xz/ann/1');
    run(ann.path, 'checkout', '-q', '--detach', 'HEAD~1');
    put(ann, 'b.txt', 'x');
    const second = await commit(ann);
    expect(second.rescued).toBe('xz/ann/1-detached-1');
    expect(run(ann.path, 'rev-parse', 'xz/ann/1-detached-1').trim()).toBe(second.commit);
    expect((await commit(ann)).rescued).toBe('xz/ann/1-detached-1');
  });
});

describe('removal only with proof (B2)', () => {
  it('keeps a worktree with an untracked file, an uncommitted change, or a commit on a detached HEAD', async () => {
    const { add, put, remove, run, commit } = setUp();
    const ann = await add();
    put(ann, 'only.txt', 'x');
    expect(await remove(ann)).toEqual({ kind: 'kept', why: 'it has uncommitted files', files: ['only.txt'] });
    rmSync(join(ann.path, 'only.txt'));
    put(ann, 'README.md', 'changed');
    expect(await remove(ann)).toMatchObject({ kind: 'kept', files: ['README.md'] });
    run(ann.path, 'checkout', '-q', '--detach');
    run(ann.path, 'commit', '-qam', 'detached');
    expect(await remove(ann)).toMatchObject({ kind: 'kept', why: expect.stringContaining('on no branch') });
    await commit(ann);
    expect(await remove(ann)).toMatchObject({ kind: 'removed', unlanded: 1 });
  });

  it('judges against the commit it was made from: re-used without a new commit, the branch stays', async () => {
    const { ws, add, put, commit, remove } = setUp();
    const ann = await add();
    put(ann, 'a.txt', 'x');
    await commit(ann);
    // The second task ends with nothing new.
    expect((await commit(ann)).commit).toBeUndefined();
    expect(await remove(ann)).toEqual({ kind: 'removed', branchDeleted: false, unlanded: 1 });
    expect(ws.git('branch', '--list', 'xz/ann/1')).toContain('xz/ann/1');
  });

  it('removes worktree and branch when all of it has landed, or nothing was done, twice without harm', async () => {
    const { ws, add, put, commit, remove } = setUp();
    const ann = await add();
    put(ann, 'a.txt', 'x');
    await commit(ann);
    ws.git('merge', '-q', '--no-ff', '-m', 'land', 'xz/ann/1');
    expect(await remove(ann)).toEqual({ kind: 'removed', branchDeleted: true, unlanded: 0 });
    expect(await remove(ann)).toEqual({ kind: 'removed', branchDeleted: true, unlanded: 0 });
    const bob = await add('bob');
    expect(await remove(bob)).toMatchObject({ branchDeleted: true });
    expect(ws.git('branch').trim()).toBe('* main');
    expect(ws.git('worktree', 'list').trim().split('\n')).toHaveLength(1);
  });
});
