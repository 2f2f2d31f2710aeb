// Commands that run another command: what that other command is. A rule for `rm` must also see `sudo rm`, `xargs rm`,
// `find -exec rm` and `bash -c 'rm'`.

export interface Unwrapped {
  /** Shell texts that would be run. */
  readonly scripts: readonly string[];
  /** Argument lists that would be run. */
  readonly commands: ReadonlyArray<readonly string[]>;
  readonly needs: 'self' | 'either' | 'both';
  /** Variables that are set for what would be run, as `NAME=value`. */
  readonly assigns?: readonly string[];
}

const NONE: Unwrapped = { scripts: [], commands: [], needs: 'self' };

/** Options that take the next word as their value, by command. */
const VALUE_OPTIONS: Readonly<Record<string, readonly string[]>> = {
  sudo: ['-u', '-g', '-h', '-p', '-C', '-D', '-R', '-T', '-U', '--user', '--group'],
  doas: ['-u', '-C'],
  env: ['-u', '-C', '-P', '-a', '--unset', '--chdir', '--argv0'],
  nice: ['-n', '--adjustment'],
  ionice: ['-c', '-n', '-p'],
  timeout: ['-k', '-s', '--kill-after', '--signal'],
  stdbuf: ['-i', '-o', '-e'],
  xargs: ['-I', '-n', '-P', '-L', '-d', '-a', '-s', '-E', '--max-args', '--max-procs', '--delimiter', '--arg-file'],
  time: ['-f', '-o'],
  watch: ['-n', '-d', '--interval'],
  exec: ['-a'],
};

const SHELL_NAMES = new Set(['bash', 'sh', 'zsh', 'dash', 'ksh', 'ash']);
/** They change how, not what: allowing the command inside is enough. */
const TRANSPARENT = new Set([
  'env',
  'nice',
  'ionice',
  'timeout',
  'stdbuf',
  'nohup',
  'setsid',
  'time',
  'command',
  'builtin',
  'exec',
  'xargs',
]);

/** Their own options and arguments vary; any of the words behind them may begin the command that they run. */
const CARRIERS = new Set(
  'busybox toybox strace ltrace unshare nsenter chroot fakeroot taskset chrt numactl flock setpriv prlimit runuser gosu systemd-run unbuffer xvfb-run parallel valgrind'.split(
    ' ',
  ),
);

/** Where the system's programs are: `./env` may be any program. */
const SYSTEM_FOLDER = /^(\/usr(\/local)?)?\/s?bin\/[^/]+$/;

/** What the words would run besides their own first word. */
export function unwrap(words: readonly string[]): Unwrapped {
  const [first = ''] = words;
  const name = first.replace(/^.*\//, '');
  const found = unwrapNamed(name, words);
  // A program of that name elsewhere: what it carries counts, but leave for that is no leave for the program.
  return found.needs === 'either' && first.includes('/') && !SYSTEM_FOLDER.test(first) ? { ...found, needs: 'self' } : found;
}

function unwrapNamed(name: string, words: readonly string[]): Unwrapped {
  if (SHELL_NAMES.has(name)) return shellScript(words);
  if (name === 'su' || name === 'script') return { ...shellScript(words), needs: 'self' };
  if (CARRIERS.has(name)) return { ...shellScript(words), commands: endsOf(words), needs: 'self' };
  if (name === 'eval') return { scripts: [words.slice(1).join(' ')], commands: [], needs: 'either' };
  if (name === 'trap' && words.length > 2) return { scripts: [words[1] ?? ''], commands: [], needs: 'self' };
  if (name === 'find') return findCommands(words);
  if (name === 'watch') return { scripts: [afterOptions(name, words).join(' ')], commands: [], needs: 'either' };
  if (name === 'env') return behindEnv(words);
  if (name === 'sudo' || name === 'doas') {
    const [assigns, rest] = assignments(afterOptions(name, words));
    return { scripts: [], commands: some(rest), needs: 'self', assigns };
  }
  if (!TRANSPARENT.has(name)) return NONE;
  let rest = afterOptions(name, words);
  if (name === 'timeout') rest = rest.slice(1);
  // The one option among theirs that writes a file: leave for the command inside is none for that.
  const writes = name === 'time' && words.slice(1, words.length - rest.length).some((word) => /^(-[a-zA-Z]*o|--o)/.test(word));
  return rest.length === 0 ? NONE : { scripts: [], commands: [rest], needs: writes ? 'self' : 'either' };
}

/** `env` takes every word with a `=` for an assignment, whatever the name; with `-S` it splits a text into words. */
function behindEnv(words: readonly string[]): Unwrapped {
  const split = words.findIndex((word) => /^(-[0iv]*S|--s)/.test(word));
  const options = words.length - afterOptions('env', words).length;
  if (split > 0 && split <= options) {
    const [, attached = ''] = /^(?:-[0iv]*S|--[a-z-]*=?)([\s\S]*)$/.exec(words[split] ?? '') ?? [];
    const text = attached === '' ? words.slice(split + 1) : [attached, ...words.slice(split + 1)];
    // Its own rules of quoting: what is run is looked at, but never leave enough.
    return { scripts: [text.join(' ')], commands: [], needs: 'self' };
  }
  const [assigns, rest] = assignments(afterOptions('env', words));
  // On some systems it says where programs are looked for.
  const where = words.slice(0, options).some((word) => word.startsWith('-P')) ? ['PATH='] : [];
  return rest.length === 0 ? NONE : { scripts: [], commands: [rest], needs: 'either', assigns: [...where, ...assigns] };
}

/** The words that set variables, and the rest. */
function assignments(words: readonly string[]): readonly [readonly string[], readonly string[]] {
  const end = words.findIndex((word) => !word.includes('='));
  return end < 0 ? [words, []] : [words.slice(0, end), words.slice(end)];
}

/** The words behind the first, from each that is no option on. */
function endsOf(words: readonly string[]): ReadonlyArray<readonly string[]> {
  return words.slice(1, 12).flatMap((word, at) => (word.startsWith('-') ? [] : [words.slice(at + 1)]));
}

const some = (words: readonly string[]): ReadonlyArray<readonly string[]> => (words.length > 0 ? [words] : []);

/** The words after the options. */
function afterOptions(name: string, words: readonly string[]): readonly string[] {
  const takesValue = VALUE_OPTIONS[name] ?? [];
  let at = 1;
  for (; at < words.length; at++) {
    const word = words[at] ?? '';
    if (word === '--') return words.slice(at + 1);
    if (takesValue.includes(word)) at++;
    else if (!word.startsWith('-')) break;
  }
  return words.slice(at);
}

/** `bash -lc 'text'`: the text is the first word that is no option after the option group with `c`. */
function shellScript(words: readonly string[]): Unwrapped {
  const flag = words.findIndex((word, at) => at > 0 && /^-[a-z]*c[a-z]*$/i.test(word));
  if (flag < 0) return NONE;
  const script = words.slice(flag + 1).find((word) => !word.startsWith('-'));
  return script === undefined ? NONE : { scripts: [script], commands: [], needs: 'either' };
}

const FIND_RUNS = new Set(['-exec', '-execdir', '-ok', '-okdir']);

function findCommands(words: readonly string[]): Unwrapped {
  const commands: string[][] = [];
  for (let at = 1; at < words.length; at++) {
    if (FIND_RUNS.has(words[at] ?? '')) {
      const rest = words.slice(at + 1);
      const end = rest.findIndex((word) => word === ';' || word === '\\;' || word === '+');
      const argv = rest.slice(0, end < 0 ? undefined : end);
      if (argv.length > 0) commands.push(argv);
    }
    // What it deletes is what it finds: a rule for find alone is no leave to delete.
    if (words[at] === '-delete') commands.push(['rm', '{}']);
  }
  return commands.length === 0 ? NONE : { scripts: [], commands, needs: 'both' };
}
