// Variables that decide what a command runs or which settings it reads: with one of them set, `git status` is not just
// `git status`. No rule for the bare command covers it then, wherever in front of the command it was set.

/** By what they are for: where programs and modules are found, what is loaded first, what is started for a task. */
const TELLING = new RegExp(
  `^(${[
    // The loader, the shell and where things are found.
    '.*PATH|.*_HOME|HOME|USERPROFILE|ZDOTDIR|XDG_.*|LD_.*|DYLD_.*|GLIBC_.*|MALLOC_.*',
    'BASH.*|ENV|SHELL|SHELLOPTS|IFS|PS[0-4]|PROMPT_COMMAND|GLOBIGNORE|EXECIGNORE|COMSPEC|.*_SHELL',
    // What is opened or asked for a person.
    '.*EDITOR|VISUAL|.*PAGER|.*BROWSER|.*ASKPASS|.*_RSH|.*_SSH|LESS.*|VIMINIT|EXINIT|INPUTRC|npm_.*',
    // Options that a program takes from its surroundings.
    '.*FLAGS|.*_?OPTS|.*_?OPTIONS|.*_ARGS|.*_CONFIG|.*_CONFIG_.*|.*_RC|(WGET|CURL|PHP|NPM|YARN|VIM|MYVIM|SCREEN)RC|.*_WRAPPER|.*_LAUNCHER|.*_RUNNER|.*_COMMAND|.*_CMD|.*_HOOKS?|.*_PLUGINS?',
    // Languages, their tools, compilers.
    'GIT_.*|GH_.*|NODE_.*|NPM_.*|PNPM_.*|YARN_.*|BUN_.*|DENO_.*|TS_NODE_.*|COREPACK_.*|PYTHON.*|PYTEST_.*|PIP_.*|UV_.*|PERL.*|RUBY.*|GEM_.*|BUNDLE_.*|LUA_.*|PHP.*',
    'CC|CXX|CPP|LD|AR|AS|NM|MAKE|MAKEFILES|MAKESHELL|CMAKE_.*|RUST.*|CARGO_.*|GO(FLAGS|ROOT|PATH|ENV|PROXY|TOOLCHAIN|WORK)|CGO_.*|CORECLR_.*|COMPlus_.*|DOTNET_.*|OPENSSL_.*|DOCKER_.*|COMPOSE_.*|KUBE.*',
  ].join('|')})$`,
);

/** They only say how much is printed or kept. */
const HARMLESS =
  /^(PYTHON(UNBUFFERED|DONTWRITEBYTECODE|HASHSEED|UTF8|IOENCODING)|NODE_ENV|NODE_NO_WARNINGS|RUST_(BACKTRACE|LOG)|CARGO_TERM_.*|DOTNET_(NOLOGO|CLI_TELEMETRY_OPTOUT))$/;

/** True for such a variable, and for what is no plain name: bash keeps functions in variables with other names. */
export function isTelling(name: string): boolean {
  return !/^[A-Za-z_]\w*$/.test(name) || (TELLING.test(name) && !HARMLESS.test(name));
}
