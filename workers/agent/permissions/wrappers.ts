// Commands that run another command: what that other command is. A rule for `rm` must also see `sudo rm`, `xargs rm`,
// `find -exec rm` and `bash -c 'rm'`.

export interface Unwrapped {
  /** Shell texts that would be run. */
  readonly scripts: readonly string[];
  /** Argument lists that would be run. */
  readonly commands: ReadonlyArray<readonly string[]>;
  readonly needs: 'self' | 'either' | 'both';
}

const NONE: Unwrapped = { scripts: [], commands: [], needs: 'self' };

/** Options that take the next word as their value, by command. */
const VALUE_OPTIONS: Readonly<Record<string, readonly string[]>> = {
  sudo: ['-u', '-g', '-h', '-p', '-C', '-D', '-R', '-T', '-U', '--user', '--group'],
  doas: ['-u', '-C'],
  env: ['-u', '-C', '-S', '--unset', '--chdir'],
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

/** What the words would run besides their own first word. */
export function unwrap(words: readonly string[]): Unwrapped {
  const name = words[0]?.replace(/^.*\//, '') ?? '';
  if (SHELL_NAMES.has(name)) return shellScript(words);
  if (name === 'su') return flagScript(words, '-c');
  if (name === 'eval') return { scripts: [words.slice(1).join(' ')], commands: [], needs: 'either' };
  if (name === 'trap' && words.length > 2) return { scripts: [words[1] ?? ''], commands: [], needs: 'self' };
  if (name === 'find') return findCommands(words);
  if (name === 'watch') return { scripts: [afterOptions(name, words).join(' ')], commands: [], needs: 'either' };
  if (name === 'sudo' || name === 'doas') return { scripts: [], commands: some(afterOptions(name, words)), needs: 'self' };
  if (!TRANSPARENT.has(name)) return NONE;
  let rest = afterOptions(name, words);
  if (name === 'timeout') rest = rest.slice(1);
  return rest.length === 0 ? NONE : { scripts: [], commands: [rest], needs: 'either' };
}

const some = (words: readonly string[]): ReadonlyArray<readonly string[]> => (words.length > 0 ? [words] : []);

/** The words after the options (and, for env and sudo, after variables being set). */
function afterOptions(name: string, words: readonly string[]): readonly string[] {
  const takesValue = VALUE_OPTIONS[name] ?? [];
  let at = 1;
  for (; at < words.length; at++) {
    const word = words[at] ?? '';
    if (word === '--') return words.slice(at + 1);
    if (takesValue.includes(word)) at++;
    else if (!word.startsWith('-') && !/^[A-Za-z_]\w*=/.test(word)) break;
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

function flagScript(words: readonly string[], flag: string): Unwrapped {
  const script = words[words.indexOf(flag) + 1];
  return words.includes(flag) && script !== undefined ? { scripts: [script], commands: [], needs: 'self' } : NONE;
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
