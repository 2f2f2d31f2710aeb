// The completion scripts of bash, zsh and fish. They are static: completing a word starts no Node. For what xz does not
// know itself (a file, an id) the shell's own file completion remains, since `xz` is also the compressor's name.
import type { Place, Word } from './words.ts';

const NAMES = ['xz', 'xz-agent'] as const;

export function bashScript(places: readonly Place[]): string {
  const words = (list: readonly Word[]) => list.map(({ word }) => word).join(' ');
  const cases = places.map(
    ({ path, commands, options, values }) =>
      `    '${path}') words='${[words(commands), values.join(' ')].join(' ').trim()}' options='${words(options)}' ;;`,
  );
  return `# bash completion for xz: source <(xz completion bash)
_xz_agent() {
  local current=\${COMP_WORDS[COMP_CWORD]} previous=\${COMP_WORDS[COMP_CWORD-1]} path='' word i words='' options=''
  case $previous in
${choiceLines(places, (flags, choices) => `    ${flags.join('|')}) COMPREPLY=($(compgen -W '${choices.join(' ')}' -- "$current")); return ;;`).join('\n')}
  esac
  for ((i = 1; i < COMP_CWORD; i++)); do
    word=\${COMP_WORDS[i]}
    case " ${places
      .map(({ path }) => path)
      .filter(Boolean)
      .map((path) => path.replaceAll(' ', '/'))
      .join(' ')} " in
      *" \${path:+\${path// //}/}$word "*) path="\${path:+$path }$word" ;;
    esac
  done
  case $path in
${cases.join('\n')}
  esac
  if [[ $current == -* ]]; then
    COMPREPLY=($(compgen -W "$options" -- "$current"))
  else
    COMPREPLY=($(compgen -W "$words" -- "$current"))
  fi
}
complete -o default -F _xz_agent ${NAMES.join(' ')}
`;
}

export function zshScript(places: readonly Place[]): string {
  const described = (list: readonly Word[]) => list.map(({ word, help }) => `'${word.replaceAll(':', '\\:')}:${quoted(help)}'`).join(' ');
  const cases = places.map(
    ({ path, commands, options, values }) =>
      `    '${path}') words_here=(${[described(commands), values.map((value) => `'${value}'`).join(' ')].filter(Boolean).join(' ')}) options_here=(${described(options)}) ;;`,
  );
  return `#compdef ${NAMES.join(' ')}
# zsh completion for xz: source <(xz completion zsh)
_xz_agent() {
  local place='' word i
  local -a words_here options_here
  case $words[CURRENT-1] in
${choiceLines(places, (flags, choices) => `    ${flags.join('|')}) compadd -- ${choices.join(' ')}; return ;;`).join('\n')}
  esac
  for ((i = 2; i < CURRENT; i++)); do
    word=$words[i]
    case " ${places
      .map(({ path }) => path)
      .filter(Boolean)
      .map((path) => path.replaceAll(' ', '/'))
      .join(' ')} " in
      *" \${place:+\${place// //}/}$word "*) place="\${place:+$place }$word" ;;
    esac
  done
  case $place in
${cases.join('\n')}
  esac
  if [[ $words[CURRENT] == -* ]]; then
    _describe option options_here
  elif (( $#words_here )); then
    _describe command words_here
  else
    _files
  fi
}
compdef _xz_agent ${NAMES.join(' ')}
`;
}

export function fishScript(places: readonly Place[]): string {
  const lines: string[] = [];
  for (const name of NAMES) {
    for (const { path, commands, options, values, valued } of places) {
      const at = path === '' ? '__fish_use_subcommand' : `__xz_agent_at ${path}`;
      for (const { word, help } of commands) lines.push(`complete -c ${name} -n '${at}' -f -a '${word}' -d '${quoted(help)}'`);
      if (values.length > 0) lines.push(`complete -c ${name} -n '${at}' -f -a '${values.join(' ')}'`);
      for (const { word, help } of options) {
        const flag = word.startsWith('--') ? `-l ${word.slice(2)}` : `-s ${word.slice(1)}`;
        const value = valued.find(({ flags }) => flags.includes(word));
        const takes = value === undefined ? '' : value.choices.length > 0 ? ` -x -a '${value.choices.join(' ')}'` : ' -r';
        lines.push(`complete -c ${name} -n '${at}' ${flag}${takes} -d '${quoted(help)}'`);
      }
    }
  }
  return `# fish completion for xz: xz completion fish | source
function __xz_agent_at
  set -l typed (commandline -opc | string match -v -- '-*')
  test (count $typed) -gt (count $argv); or return 1
  test "$typed[2..(math 1 + (count $argv))]" = "$argv"
end
${lines.join('\n')}
`;
}

/** One line for each set of flags with fixed choices. */
function choiceLines(places: readonly Place[], line: (flags: readonly string[], choices: readonly string[]) => string): string[] {
  const valued = places.flatMap((place) => place.valued).filter(({ choices }) => choices.length > 0);
  return [...new Set(valued.map(({ flags, choices }) => line(flags, choices)))];
}

/** Inside single quotes of any of the three shells. */
function quoted(text: string): string {
  return text.replaceAll(/['\\]/g, '’').replaceAll(/\s+/g, ' ');
}
