// bash: one command in its own process group, without a terminal; what it prints, and how it ended.
import { Type } from 'typebox';
import { XzError } from '../../../store/errors.ts';
import { endNote, type Run, type ShellDeps, type Shells } from '../shell/shells.ts';
import { headOf, joinCapped, tailOf } from './cap.ts';
import { defineTool, type Tool, type ToolResult } from './tool.ts';
import { visibleText } from './visible-text.ts';

const DEFAULT_SECONDS = 60;
const MOST_SECONDS = 600;

export function bashTool(deps: ShellDeps, shells: Shells): Tool {
  return defineTool({
    name: 'bash',
    description:
      'Runs a command with bash in your root folder and returns what it printed (standard output and error together) and its exit code. Each call is a new shell: cd and variables do not carry over. There is no terminal and no input: pass -y or --no-edit where a program would ask. timeout is in seconds (60, at most 600); the whole process group is killed then. For servers and watchers use background: true, then bash_output and bash_stop. To read, search and change files use the file tools.',
    parameters: Type.Object({
      command: Type.String({ description: 'The command' }),
      timeout: Type.Optional(Type.Number({ description: 'Seconds, 60 if not given, at most 600' })),
      background: Type.Optional(Type.Boolean({ description: 'Return at once with an id' })),
    }),
    readOnly: false,
    keyed: false,
    async run(args, context) {
      if (args.command.trim() === '') throw new XzError('bad_input', 'bash: the command is empty');
      if (args.command.includes('\0')) throw new XzError('bad_input', 'bash: the command holds a NUL character');
      const run = shells.start(args.command, context);
      if (args.background === true) {
        const id = shells.keep(run);
        return {
          text: `started in the background as ${id}; read it with bash_output, end it with bash_stop`,
          facts: { command: args.command, background: id },
        };
      }
      // Elsewhere 0 or less means "no limit of mine", and never "end it at once".
      const asked = args.timeout ?? 0;
      const seconds = Math.min(MOST_SECONDS, asked > 0 ? asked : DEFAULT_SECONDS);
      const onAbort = () => void run.shell.stop('interrupted');
      if (context.signal.aborted) onAbort();
      context.signal.addEventListener('abort', onAbort, { once: true });
      const cancel = deps.clock.after(seconds * 1000, () => void run.shell.stop('timeout'));
      try {
        await run.settled;
      } finally {
        cancel();
        context.signal.removeEventListener('abort', onAbort);
      }
      return finished(run, seconds, deps);
    },
  });
}

function finished(run: Run, seconds: number, deps: ShellDeps): ToolResult {
  run.spool.end();
  const note = endNote(run.end, seconds);
  const text = [outputText(run, deps, note?.length ?? 0), note].filter((part) => part).join('\n');
  const code = run.end?.exitCode;
  return {
    text,
    isError: code !== 0,
    ...(code === undefined ? {} : { exitCode: code }),
    ...(run.spool.file === undefined ? {} : { stored: { path: deps.outputs.told(run.spool.file), bytes: run.spool.bytes } }),
    facts: { command: run.command, exitCode: code ?? null, bytes: run.spool.bytes, reason: run.end?.reason ?? 'failed' },
  };
}

/** All that was printed, or its two ends with the true size. A final line break says nothing. */
function outputText(run: Run, deps: ShellDeps, reserved: number): string {
  const text = run.spool.text();
  if ('whole' in text) return text.whole.replace(/\n$/, '');
  const room = Math.max(200, deps.capBytes() - 500 - reserved);
  const file = run.spool.file;
  return joinCapped(
    {
      head: headOf(visibleText(text.head), Math.floor(room * 0.6)),
      tail: tailOf(visibleText(text.tail).replace(/\n$/, ''), Math.floor(room * 0.4)),
      bytes: run.spool.bytes,
    },
    file === undefined ? undefined : deps.outputs.told(file),
  );
}
