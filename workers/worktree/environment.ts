// The environment of set-up and gate commands: the caller's, without the variables that tell git where to look and
// without keys, which such a command has no need of.

type Environment = Readonly<Record<string, string | undefined>>;

/** Variables that move git to another repository, index or object store; `git rev-parse --local-env-vars` and relatives. */
const LOCATION =
  /^GIT_(DIR|WORK_TREE|INDEX_FILE|INDEX_VERSION|OBJECT_DIRECTORY|ALTERNATE_OBJECT_DIRECTORIES|COMMON_DIR|NAMESPACE|PREFIX|CEILING_DIRECTORIES|GRAFT_FILE|SHALLOW_FILE|CONFIG|CONFIG_PARAMETERS|CONFIG_COUNT|CONFIG_KEY_\d+|CONFIG_VALUE_\d+|IMPLICIT_WORK_TREE|NO_REPLACE_OBJECTS|REPLACE_REF_BASE|INTERNAL_SUPER_PREFIX|QUARANTINE_PATH)$/;

const SECRET = /(^|_)(API_?KEY|AUTH_TOKEN|ACCESS_TOKEN|TOKEN|SECRET|PASSWORD|CREDENTIALS?)$/i;

/** What a command run for `agent` sees; it also learns the workspace, so that `xz …` inside reaches the shared stores. */
export function commandEnvironment(env: Environment, workspace: string, agent: string): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const [name, value] of Object.entries(env)) {
    if (value !== undefined && !LOCATION.test(name) && !SECRET.test(name)) kept[name] = value;
  }
  return { ...kept, XZ_WORKSPACE: workspace, XZ_AGENT: agent, GIT_TERMINAL_PROMPT: '0' };
}
