import { describe, expect, test } from 'vitest';
import { type Decision, type DecisionInput, decide } from '../../../../workers/agent/permissions/decide.ts';

const base: DecisionInput = {
  mode: 'ask',
  allow: [],
  deny: [],
  tool: 'bash',
  args: {},
  inWorktree: false,
  readOnly: false,
  root: '/home/ann/work/app',
  home: '/home/ann',
};
const shell = (command: string, more: Partial<DecisionInput> = {}): Decision => decide({ ...base, args: { command }, ...more });
const verdict = (command: string, more: Partial<DecisionInput> = {}) => shell(command, more).verdict;

describe('plainly destructive commands are refused in every mode', () => {
  const refused = [
    'rm -rf /',
    'rm -fr / --no-preserve-root',
    'rm -r -f /',
    'rm --recursive --force /*',
    'rm -rf ~',
    'rm -rf ~/',
    'rm -rf ~/*',
    'rm -rf "$HOME"',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: shell text
    'rm -rf ${HOME}/',
    'rm -rf $HOME/*',
    'rm -rf /etc',
    'rm -rf /{bin,usr}',
    'rm -rf .git',
    'rm -rf ./.git/',
    'rm -rf /home/ann/work/app/.git',
    'rm -rf .',
    'rm -rf *',
    'rm -rf ../../..',
    'rm -rf .agents',
    'cd / && rm -rf *',
    'cd ~; rm -rf ./*',
    'x=/; rm -rf $x',
    'rm -rf "$UNSET/"',
    'rm -rf $UNSET/*',
    "rm -rf $'\\x2f'",
    'ls && rm -rf /',
    'ls; rm -rf /',
    'ls | rm -rf /',
    'ls & rm -rf /',
    'ls\nrm -rf /',
    'true || (rm -rf /)',
    'echo $(rm -rf /)',
    'echo "`rm -rf /`"',
    'echo "x $(rm -rf ~)"',
    'FOO=1 BAR=2 rm -rf /',
    'sudo rm -rf /',
    'sudo -u root -- rm -rf /',
    'env -i A=1 rm -rf /',
    'nohup timeout -k 5 10 rm -rf /',
    "bash -c 'rm -rf /'",
    'sh -lc "ls; rm -rf ~"',
    'eval "rm -rf /"',
    'bash <<EOF\nrm -rf /\nEOF',
    'bash <<< "rm -rf /"',
    'echo "rm -rf /" | sh',
    'cat <<EOF\n$(rm -rf /)\nEOF',
    '/bin/rm -rf /',
    '\\rm -rf /',
    '"rm" -rf /',
    'if true; then rm -rf /; fi',
    'for d in a b; do rm -rf /; done',
    'f() { rm -rf /; }; f',
    'diff <(rm -rf /) x',
    'find / -delete',
    'find . -delete',
    "find . -name '*' -delete",
    'rm -rf "$PWD"',
    'rm -rf $(pwd)',
    'rm -rf `pwd`/*',
    'rm -rf "$(git rev-parse --show-toplevel)"',
    'echo / | xargs rm -rf',
    'printf "%s" ~ | xargs -0 rm -rf',
    'find ~ -type f -exec rm {} \\;',
    'find / -type f -print0 -exec rm -f {} +',
    'rm ~/*',
    ':(){ :|:& };:',
    'bomb() { bomb | bomb & }; bomb',
    // What a pattern takes along: the usual words for "all hidden files" mean git's folder and xz's stores.
    'rm -rf .[!.]* ..?*',
    'rm -rf .??*',
    'rm -rf ./.g*',
    'rm -rf .[A-Z]*',
    'rm -rf /u*',
    'rm -rf ../ap?',
    'rm -rf .git/obj*',
    'rm -rf .agents/memory',
    'mv .gi[t] /tmp/x',
    "find . -mindepth 1 -name '.*' -exec rm -rf {} +",
    "find . -iname '*agents' -exec rm -r {} +",
    'find . -maxdepth 1 -exec rm -rf {} +',
    'mkfs.ext4 /dev/sda1',
    'dd if=/dev/zero of=/dev/sda bs=1M',
    'cat x > /dev/nvme0n1',
    'chmod -R 777 /',
    'chown -R me ~',
    'mv .git /tmp/x',
    'mv ~ /tmp/x',
    'git clean -fdx',
    'git clean -xdf',
    'git clean -f -X',
    'git -C . clean -ffdx',
    "env -S 'rm -rf /'",
    "timeout 5 env -i A=1 nice bash -c 'rm -rf ~'",
    'git stash -a',
    'git stash push --all',
    'shutdown now',
    'kill -9 -1',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: shell text
    'rm -rf "${HOME:?}"/',
    'rm -rf ~ann',
    'rm -rf ~root/*',
    'cat <<EOF | sh\nrm -rf ~\nEOF',
    'busybox rm -rf ~',
    'strace -f -o log rm -rf ~',
    'flock /tmp/l rm -rf ~',
    'taskset -c 0 rm -rf ~',
    "script -c 'rm -rf ~' log",
  ];
  test.each(refused)('%s', (command) => {
    for (const mode of ['plan', 'ask', 'auto-edit', 'yolo'] as const)
      expect(verdict(command, { mode, allow: ['bash', 'bash(*)', `bash(${command})`] }), mode).toBe('refuse');
  });
});

describe('harmless look-alikes are not refused', () => {
  const passed = [
    'rm -rf node_modules',
    'rm -rf ./dist build/*',
    'rm -rf node_modules/.cache /tmp/xz-test',
    'rm -rf vendor/lib/.git',
    'rm -rf *.log',
    'cd build && rm -rf *',
    'git commit -m "remove rm -rf / from the docs"',
    "git commit -m 'rm -rf ~'",
    'echo "rm -rf /"',
    "echo 'rm -rf /' > notes.txt",
    'grep -rn "rm -rf /" .',
    "cat <<'EOF' > doc.md\nrm -rf /\nEOF",
    'ls # rm -rf /',
    'rm file.txt',
    "find . -name '*.pyc' -delete",
    'find build -delete',
    'cd $(mktemp -d) && rm -rf *',
    'rm -rf "$(mktemp -d)"',
    'ls | xargs rm -rf',
    'echo build | xargs rm -rf',
    'x=build; rm -rf $x/*',
    'for d in a b; do rm -rf "$d"/; done',
    'rm -rf .venv* .*_cache',
    'rm -rf */node_modules .agents/data/outputs/*.txt',
    'rm -rf .git/rebase-merge',
    "find . -name '.*.swp' -exec rm -rf {} +",
    "find . -maxdepth 1 -name '*.log' -delete",
    'chmod -R u+w .',
    'chmod -R u+w * .git',
    'chmod +x script.sh',
    'dd if=/dev/zero of=disk.img bs=1M count=1',
    'git clean -n',
    'git clean -fd',
    'git clean -ndx',
    'git stash',
    'git stash list',
    'git push origin main',
    'git checkout main',
    'mv a b',
    'kill -9 1234',
    'npm run reboot',
    'echo shutdown',
  ];
  test.each(passed)('%s', (command) => {
    expect(verdict(command)).not.toBe('refuse');
    expect(verdict(command, { mode: 'yolo' })).toBe('allow');
  });
});

describe('in a worktree, what reaches other checkouts is refused', () => {
  test.each([
    'git stash',
    'git stash pop',
    'git worktree add ../x',
    'git push',
    'git -c a=b push -f',
    'git switch main',
    'git checkout main',
    'git checkout -b x',
    'cd src && git push',
  ])('%s', (command) => {
    expect(verdict(command, { inWorktree: true, mode: 'yolo' })).toBe('refuse');
    expect(verdict(command, { mode: 'yolo' })).toBe('allow');
  });
  test.each([
    'git status',
    'git checkout -- src/a.ts',
    'git checkout .',
    'git commit -m "push"',
    'git stash list',
    'git worktree list',
    'git restore a',
  ])('%s passes', (command) => {
    expect(verdict(command, { inWorktree: true, mode: 'yolo' })).toBe('allow');
  });
});

describe('every part of a command must be allowed', () => {
  const allow = ['bash(git status*)', 'bash(npm test*)', 'bash(ls *)', 'bash(grep *)'];
  test.each([
    'git status',
    'git status --short',
    'npm test && git status',
    'cd src && npm test; echo done',
    'CI=1 npm test 2>&1 | grep fail',
    'timeout 60 npm test',
    'npm test > /dev/null',
    "bash -c 'npm test'",
    'ls',
    'ls -la | xargs grep x',
    'if npm test; then git status; fi',
    'i=0; while [[ $i -lt 3 ]]; do npm test; i=$((i+1)); done',
    'for i in 1 2 3; do npm test; echo $((i * 2)); done',
    'x=$(git status); echo "$x" $((1 + 2))',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: shell text
    'x=$(git status); echo ${x:0:20}',
  ])('%s is allowed', (command) => {
    expect(shell(command, { allow })).toEqual({ verdict: 'allow' });
  });
  test.each([
    'npm test; rm x',
    'npm test && curl x',
    'npm test | tee out',
    'npm test & rm x',
    'npm test\nrm x',
    'git status $(rm x)',
    'git status "`rm x`"',
    'npm test > out.txt',
    'PATH=/tmp:$PATH git status',
    'GIT_PAGER=rm git status',
    'sudo npm test',
    "bash -c 'npm test; rm x'",
    'ls | xargs rm',
    'git status <(rm x)',
    'cat <<EOF\n$(rm x)\nEOF',
    'touch x',
    'npm test (',
    '$CMD',
    './timeout 5 npm test',
    "./bash -c 'npm test'",
    './env npm test',
    'nice a=/x npm test',
    "env -S 'npm test'",
    "timeout 5 env -iS'PATH=. git status'",
    'x=status; x=push; git $x',
    '(x=status); git $x push',
    'x=\'npm test\'; false && x=ls; bash -c "$x"',
    'for PATH in .; do git status; done',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: shell text
    'echo ${PATH:=.}; git status',
    'f() { local PATH=.; git status; }',
    'printf -v PATH .; git status',
    'set -k; git status PATH=.',
    "test -v 'a[$(touch x)]'; git status",
    "x='a[$(touch y)]'; echo $((x)); git status",
    'x=$(cat f); ((x)); git status',
    'x=$(cat f); [[ $x -eq 0 ]] && git status',
    "[[ 'a[$(touch y)]' -eq 0 ]]; git status",
    // biome-ignore lint/suspicious/noTemplateCurlyInString: shell text
    "x='$(touch y)'; echo ${x@P}; git status",
    // biome-ignore lint/suspicious/noTemplateCurlyInString: shell text
    "x='a[$(touch y)]'; echo ${!x}; git status",
    // biome-ignore lint/suspicious/noTemplateCurlyInString: shell text
    'x=$(cat f); echo ${a[x]}; git status',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: shell text
    'x=$(cat f); echo ${a:x}; git status',
    'x=$(cat f); a[x]=1; git status',
    'for x in *; do ((x++)); git status; done',
    "x='a[$(touch y)]' bash -c 'echo $((x)); git status'",
  ])('%s asks', (command) => {
    expect(verdict(command, { allow })).toBe('ask');
  });
  const dangerous =
    'PATH LD_PRELOAD LD_AUDIT DYLD_INSERT_LIBRARIES GIT_DIR GIT_EXTERNAL_DIFF GIT_SSH_COMMAND NODE_OPTIONS NODE_PATH BASH_ENV ENV SHELL SHELLOPTS IFS PS4 PROMPT_COMMAND PYTHONPATH PYTHONSTARTUP PYTHONWARNINGS PERL5LIB PERL5OPT RUBYOPT RUBYLIB EDITOR GIT_EDITOR VISUAL PAGER MANPAGER GH_PAGER LESSOPEN HOME XDG_CONFIG_HOME npm_config_script_shell NPM_CONFIG_NODE_OPTIONS MAKEFLAGS CC RUSTC_WRAPPER GOFLAGS JAVA_TOOL_OPTIONS CDPATH BROWSER SSH_ASKPASS RSYNC_RSH'.split(
      ' ',
    );
  test.each(dangerous)('with %s set no rule for the bare command holds, however it is carried', (name) => {
    for (const front of [
      `${name}=./x`,
      `env ${name}=./x`,
      `/usr/bin/env -i ${name}=./x`,
      `env A=1 "${name}"=./x`,
      `timeout 9 env ${name}=./x`,
      `timeout -k 1 9 nice -n 5 env -u B ${name}=./x nohup`,
      `nice env ${name}=./x setsid env A=1`,
      `stdbuf -o0 time env ${name}=./x`,
      `env ${name}=./x bash -c`,
      `${name}=./x bash -c`,
      `ls | xargs env ${name}=./x`,
      `${name}=./x eval`,
      `A=1 ${name}+=./x exec`,
    ]) {
      for (const command of [`${front} 'git status'`, `${front} git status`])
        expect(verdict(command, { allow: ['bash(git status*)', 'bash(npm test*)', 'bash(ls *)'] }), command).toBe('ask');
      for (const mode of ['plan', 'ask', 'auto-edit'] as const) expect(verdict(`${front} ls`, { mode }), front).not.toBe('allow');
    }
  });
  test('what says little holds no rule back', () => {
    for (const front of ['CI=1', 'env CI=1', 'timeout 60 env FOO=a NODE_ENV=test', 'PYTHONUNBUFFERED=1 nice', 'RUST_BACKTRACE=1 env -u A'])
      expect(verdict(`${front} npm test`, { allow }), front).toBe('allow');
    expect(verdict('env PATH=/x git log', { allow: ['bash(PATH=/x git log)'] })).toBe('allow');
  });
  test('a rule for find does not allow what find would run', () => {
    expect(verdict('find . -name x', { allow: ['bash(find *)'] })).toBe('allow');
    expect(verdict('find . -name x -exec rm {} +', { allow: ['bash(find *)'] })).toBe('ask');
    expect(verdict('find . -name x -delete', { allow: ['bash(find *)'] })).toBe('ask');
  });
  test.each([
    ['rm *', '/bin/rm x'],
    ['rm *', 'busybox rm x'],
    ['rm *', 'ls; strace -f rm x'],
    ['rm *', "script -qc 'rm x' log"],
    ['rm *', 'flock -c "rm x" f'],
    ['git push*', 'git -C . push'],
    ['git push*', '/usr/bin/git -c a.b=c --no-pager push origin'],
  ])('a deny rule for %s holds for %s', (rule, command) => {
    expect(verdict(command, { mode: 'yolo', deny: [`bash(${rule})`] })).toBe('refuse');
  });

  test('a deny rule says nothing of look-alikes, and leave for a carrier needs a rule of its own', () => {
    for (const command of ['git rm x', 'man rm', 'git log --grep push', 'npm run rm'])
      expect(verdict(command, { mode: 'yolo', deny: ['bash(rm *)', 'bash(git push*)'] }), command).toBe('allow');
    expect(verdict('strace ls', { allow: ['bash(ls*)'] })).toBe('ask');
    expect(verdict('/bin/rm x', { allow: ['bash(rm *)'] })).toBe('ask');
    expect(verdict('git -C /elsewhere push', { allow: ['bash(git push*)'] })).toBe('ask');
  });

  test('a deny rule beats allow and yolo, also for a part inside', () => {
    expect(verdict('ls && npm publish', { mode: 'yolo', deny: ['bash(npm publish*)'] })).toBe('refuse');
    expect(verdict("bash -c 'sudo npm publish'", { mode: 'yolo', deny: ['bash(npm publish*)'] })).toBe('refuse');
    expect(verdict('npm test', { mode: 'yolo', deny: ['bash(npm publish*)'] })).toBe('allow');
  });
  test('a deny rule holds by whatever path the program is called', () => {
    for (const command of ['/usr/bin/curl x', './curl x', 'timeout 5 ../bin/curl x'])
      expect(verdict(command, { mode: 'yolo', deny: ['bash(curl *)'] }), command).toBe('refuse');
  });
  test('a rule for a command does not allow the file that `time` writes', () => {
    expect(verdict('/usr/bin/time -v make all', { allow: ['bash(make all)'] })).toBe('allow');
    for (const command of ['/usr/bin/time -o src/a.ts make all', 'command time --output=src/a.ts make all'])
      expect(verdict(command, { allow: ['bash(make all)'] }), command).toBe('ask');
  });
  test('the rule to add would allow the call', () => {
    for (const command of [
      'npm test',
      'npm test && make all | wc -l',
      'ls -la /tmp',
      'rm *.o',
      'node -e "1*2"',
      'FOO=1 ./run.sh a',
      'echo hi > out.txt',
      'git log > out.txt',
      'PATH=/x git log',
      'timeout 5 env PATH=/x git log',
      "PATH=/x bash -c 'git log'",
      'x=a; npm test $x',
      'x=a; timeout 5 npm $x',
      './timeout 5 npm test',
      'npm test (',
      'find . -delete -name x',
    ]) {
      const asked = shell(command);
      if (asked.verdict !== 'ask') throw new Error(`${command}: ${asked.verdict}`);
      expect(shell(command, { allow: asked.rules }), command).toEqual({ verdict: 'allow' });
    }
    expect(shell('npm test')).toMatchObject({ rule: 'bash(npm test*)', summary: 'npm test' });
    expect(verdict('rm a.o', { allow: ['bash(rm \\*.o)'] })).toBe('ask');
  });
});

describe('modes', () => {
  const file = (tool: string, path: string, more: Partial<DecisionInput> = {}) =>
    decide({ ...base, tool, args: { path }, ...more }).verdict;
  test('plan reads only', () => {
    const mode = 'plan';
    expect(file('write_file', 'a', { mode, allow: ['write_file'] })).toBe('refuse');
    expect(file('read_file', 'a', { mode, readOnly: true })).toBe('allow');
    expect(verdict('touch x', { mode, allow: ['bash'] })).toBe('refuse');
    expect(verdict('ls > x', { mode, allow: ['bash'] })).toBe('refuse');
    expect(verdict('git status && ls', { mode, allow: ['bash'] })).toBe('allow');
    expect(verdict('git status', { mode })).toBe('allow');
    expect(verdict('cat ~/notes', { mode })).toBe('ask');
    expect(verdict('find . -exec cat {} + -fprint out', { mode, allow: ['bash'] })).toBe('refuse');
    expect(verdict('rg --pre ./x a', { mode, allow: ['bash'] })).toBe('refuse');
    for (const command of [
      "test -v 'a[$(touch x)]'",
      '/usr/bin/time -o README.md ls',
      "man -P 'touch x' ls",
      "man --html='touch x' ls",
      'date 010100002030',
    ])
      expect(verdict(command, { mode, allow: ['bash'] }), command).toBe('refuse');
    for (const command of ['test -v HOME', 'date -d 20260101 +%s', 'date +%F', 'man ls'])
      expect(verdict(command, { mode, allow: ['bash'] }), command).toBe('allow');
    expect(decide({ ...base, mode, tool: 'create_todo' }).verdict).toBe('allow');
    expect(decide({ ...base, mode, tool: 'schedule_task' }).verdict).toBe('refuse');
  });
  test('ask asks for edits and commands, never for reading, team, task and memory tools', () => {
    expect(file('write_file', 'src/a.ts')).toBe('ask');
    expect(file('edit_file', 'src/a.ts')).toBe('ask');
    expect(file('read_file', 'src/a.ts', { readOnly: true })).toBe('allow');
    for (const tool of ['create_task', 'spawn_teammate', 'merge_teammate', 'memory_append', 'send_notice', 'update_todo'])
      expect(decide({ ...base, tool }).verdict).toBe('allow');
    expect(decide({ ...base, tool: 'something_new' }).verdict).toBe('ask');
  });
  test('auto-edit edits inside the root and asks for the rest', () => {
    const mode = 'auto-edit';
    expect(file('write_file', 'src/a.ts', { mode })).toBe('allow');
    expect(file('edit_file', '/home/ann/work/app/src/a.ts', { mode })).toBe('allow');
    expect(file('write_file', '.git/hooks/pre-commit', { mode })).toBe('ask');
    expect(file('write_file', '../b', { mode })).toBe('ask');
    expect(file('write_file', 'src/../../b', { mode })).toBe('ask');
    expect(verdict('npm test', { mode })).toBe('ask');
    expect(verdict('npm test > out.txt', { mode, allow: ['bash(npm test*)'] })).toBe('allow');
  });
  test('yolo allows what is not refused', () => {
    expect(verdict('npm install', { mode: 'yolo' })).toBe('allow');
    expect(file('write_file', 'a', { mode: 'yolo' })).toBe('allow');
    expect(file('write_file', '.env', { mode: 'yolo', deny: ['write_file(.env)'] })).toBe('refuse');
  });
  test('file rules say paths relative to the root', () => {
    expect(file('write_file', 'src/a.ts', { allow: ['write_file(src/*)'] })).toBe('allow');
    expect(file('write_file', './src/x/b.ts', { allow: ['write_file(src/*)'] })).toBe('allow');
    expect(file('write_file', 'src/../b.ts', { allow: ['write_file(src/*)'] })).toBe('ask');
    expect(file('write_file', '/home/ann/work/app/src/a.ts', { allow: ['write_file(src/*)'] })).toBe('allow');
    expect(file('read_file', '.env', { readOnly: true, deny: ['read_file(.env*)'] })).toBe('refuse');
    expect(decide({ ...base, tool: 'edit_file', args: { path: 'a' } })).toMatchObject({ summary: 'a', rule: 'edit_file(a)' });
  });
});

describe('commands that only read below the root run unasked', () => {
  test.each([
    'git status',
    'git --no-pager diff HEAD~1 -- src',
    'git log --oneline -5 | head -3',
    'ls -la src && pwd; wc -l src/*.ts',
    'cat /home/ann/work/app/README.md 2>/dev/null',
    'grep -rn "/api" src || true',
    "find . -name '*.ts' | sort | uniq -c",
    'cd src && ls && cat a.ts',
    'timeout 5 cat a.txt 2>&1',
    'nice -n 5 timeout 5 git status',
    'echo "rm -rf /"',
    'LC_ALL=C sort a.txt',
  ])('%s', (command) => {
    for (const mode of ['plan', 'ask', 'auto-edit'] as const) expect(verdict(command, { mode }), mode).toBe('allow');
    expect(verdict(command, { deny: ['bash'] })).toBe('refuse');
  });
  test.each([
    'cat ../other/x',
    'cat ~/.ssh/id_rsa',
    'cat $HOME/x',
    'cat < /etc/passwd',
    'cat {/etc/passwd,x}',
    'cat src/../../x',
    'cd .. && cat x',
    'cd && cat x',
    'cd src && cat ../../x',
    'cd src && git status',
    'ls > out.txt',
    'ls | tee out',
    'ls | xargs cat',
    'ls; rm x',
    'ls $(rm x)',
    'PATH=. ls',
    'PATH=.; ls',
    "LESSOPEN='|x %s' less a",
    'GIT_EXTERNAL_DIFF=x git diff',
    'git -c core.pager=x log',
    'git --no-pager -C other status',
    'git --exec-path=. status',
    'git diff --output=x',
    'git grep -Ovi x',
    'git branch new',
    'env',
    'rg --pre ./x a',
    'fd -x rm',
    'sort -uo a a',
    'sort --compress-program=./x a',
    'uniq a b',
    'find -L . -type f',
    'grep -R x .',
    "bash -c 'ls'",
    'sudo ls',
    './ls',
    './timeout 5 ls',
    'timeout 9 env GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=core.fsmonitor GIT_CONFIG_VALUE_0="touch x; false" git status',
    'timeout 5 env ls',
    'timeout 5 nice env PATH=.:/bin ls',
    'nice a=/x ls',
    'timeout 5 printenv',
    'timeout 5 grep -R x .',
    'nice timeout 5 find -L . -type f',
    'timeout 5 git -C other status',
    'timeout 5 env -C src cat x',
    'x=a; cat $x',
    "x='a[$(touch y)]'; ls $((x))",
    'x=$(cat f); ((x)); ls',
    '(x=.); cat $x/etc/passwd',
  ])('%s asks', (command) => {
    expect(verdict(command)).toBe('ask');
  });
  test('not what a rule keeps from being read, nor through a link', () => {
    const deny = ['read_file(.env*)'];
    // By its name, or with all that is below a folder or in git.
    for (const command of ['cat .env', 'grep -r KEY .', 'rg KEY', 'grep -nR KEY src', 'git grep KEY', 'git log -p', 'git show HEAD'])
      expect(verdict(command, { deny }), command).toBe('ask');
    for (const command of ['cat a.txt', 'grep KEY a.txt', 'git status', 'ls -la'])
      expect(verdict(command, { deny }), command).toBe('allow');
    expect(verdict('cat link/x', { real: (path) => path.replace(/^link/, '/etc') })).toBe('ask');
  });
});

describe('what decides over later runs is asked for although edits are allowed', () => {
  const paths = [
    '.worktrees/setup.toml',
    '.agents/skills/x/SKILL.md',
    './.agents/hooks.toml',
    '.TASK/a.json',
    '.Mailbox/Lead/inbox/1.json',
    '.mailbox/x',
    '.MEMORY/notes.md',
    '.env',
    '.ENV',
    'a/../.env',
    'packages/a/.env.local',
    '/home/ann/work/app/.env',
    '.git',
    'vendor/.git/config',
    'src//../.agents/x',
  ];
  test.each(paths)('%s', (path) => {
    for (const tool of ['write_file', 'edit_file']) {
      const by = (mode: DecisionInput['mode']) => decide({ ...base, mode, tool, args: { path } }).verdict;
      expect([by('plan'), by('ask'), by('auto-edit'), by('yolo')]).toEqual(['refuse', 'ask', 'ask', 'allow']);
    }
    const redirected = (mode: DecisionInput['mode']) => verdict(`npm test > ${path}`, { mode, allow: ['bash(npm test*)'] });
    expect([redirected('plan'), redirected('auto-edit'), redirected('yolo')]).toEqual(['refuse', 'ask', 'allow']);
  });
  test('also through a link, and after a change of folder', () => {
    const mode = 'auto-edit';
    const real = (path: string) => path.replace(/^docs\//, '.agents/');
    expect(decide({ ...base, mode, real, tool: 'write_file', args: { path: 'docs/x' } }).verdict).toBe('ask');
    expect(decide({ ...base, real, allow: ['write_file(docs/*)'], tool: 'write_file', args: { path: 'docs/x' } }).verdict).toBe('ask');
    const allow = ['bash(npm test*)'];
    expect(verdict('npm test > docs/x', { mode, real, allow })).toBe('ask');
    expect(verdict('cd .agents && npm test > x', { mode, allow })).toBe('ask');
    expect(verdict('npm test > a/$X', { mode, allow })).toBe('ask');
    expect(verdict('npm test > $X/../a', { mode, allow })).toBe('ask');
    expect(verdict('npm test > src/../a', { mode, allow })).toBe('allow');
  });
});
