// One run of the program: language, command line, command, exit code. The only place that turns errors into words and
// an exit code.
import { errnoOf } from '../store/errors.ts';
import { faultHookFromSpec, installFaultHook } from '../store/faults.ts';
import { composeApp, type GlobalOptions } from './compose.ts';
import { languageFor } from './language.ts';
import { exitCodeOf, printError } from './print/error.ts';
import { createPrinter } from './print/printer.ts';
import { refuseFilesForFolders } from './stores-read.ts';
import type { CommandCall, RunCommand } from './table/command.ts';
import { parseCommandLine } from './table/parse.ts';
import { loadText } from './text/text.ts';

/** Runs the command line; resolves to the exit code once all output has left the process. */
export async function runProgram(args: readonly string[]): Promise<number> {
  const { env } = process;
  if (env.XZ_FAULT) installFaultHook(faultHookFromSpec(env.XZ_FAULT));
  const language = await languageFor(args, env);
  const text = await loadText(language);
  const print = createPrinter({
    stdout: process.stdout,
    stderr: process.stderr,
    json: args.includes('--json'),
    colour: process.stdout.isTTY === true && !env.NO_COLOR && env.TERM !== 'dumb' && !args.includes('--no-color'),
  });
  const parsed = await parseCommandLine(args, text);
  if (parsed.kind === 'shown' || parsed.kind === 'wrong') {
    (parsed.kind === 'shown' ? print.line : print.warn)(parsed.text.trimEnd());
    await print.drained();
    return parsed.kind === 'shown' ? 0 : 2;
  }
  const load = parsed.kind === 'root' ? async () => (await import('./root.ts')).runRoot : parsed.spec.load;
  const command = parsed.kind === 'command' ? parsed.path : parsed.call.options.daemon === true ? '--daemon' : '';
  const cwd = workingFolder();
  if (cwd === undefined) {
    print.warn(`xz: ${text.errors.folderGone}`);
    print.warn(`${text.common.hint}: ${text.errors.folderGoneHint}`);
    await print.drained();
    return 2;
  }
  const app = composeApp({ env, cwd, globals: globalsOf(parsed.call), language, text, print, command });
  let code: number;
  try {
    const run: RunCommand | undefined = await load?.();
    refuseFilesForFolders(command, app.layout);
    code = run === undefined ? 2 : await run(app, parsed.call);
  } catch (error) {
    printError(print, text, error);
    code = exitCodeOf(error);
  } finally {
    app.close();
  }
  await print.drained();
  return code;
}

/** Where this process was started; undefined when that folder has been removed or may not be looked at. */
function workingFolder(): string | undefined {
  try {
    return process.cwd();
  } catch (error) {
    if (errnoOf(error) !== undefined) return undefined;
    throw error;
  }
}

function globalsOf({ options }: CommandCall): GlobalOptions {
  const text = (name: string) => {
    const value = options[name];
    return typeof value === 'string' ? value : undefined;
  };
  const globals = {
    workspace: text('workspace'),
    provider: text('provider'),
    model: text('model'),
    baseUrl: text('baseUrl'),
    apiKey: text('apiKey'),
    useOauth: options.useOauth === true ? (true as const) : undefined,
    mode: text('mode'),
    team: options.team === true ? (true as const) : undefined,
    lang: text('lang'),
    color: options.noColor === true ? (false as const) : undefined,
    json: options.json === true ? (true as const) : undefined,
  };
  return globals;
}
