// bash_output and bash_stop: what a background command printed since the last look, and its end.
import { Type } from 'typebox';
import { XzError } from '../../../store/errors.ts';
import { endNote, type Run, type ShellDeps, type Shells } from '../shell/shells.ts';
import { defineTool, type Tool, type ToolResult } from './tool.ts';

const parameters = Type.Object({ id: Type.String({ description: 'The id that bash gave, such as sh1' }) });

export function bashOutputTool(deps: ShellDeps, shells: Shells): Tool {
  return defineTool({
    name: 'bash_output',
    description: 'Returns what a background command printed since you last looked, and whether it still runs. Call it again for more.',
    parameters,
    readOnly: false,
    keyed: false,
    run: async ({ id }) => report(runOf(shells, id), id, deps),
  });
}

export function bashStopTool(deps: ShellDeps, shells: Shells): Tool {
  return defineTool({
    name: 'bash_stop',
    description: 'Ends a background command and everything it started, and returns its last output.',
    parameters,
    readOnly: false,
    keyed: false,
    async run({ id }) {
      const run = runOf(shells, id);
      await run.shell.stop('stopped');
      // The end is noted right after; a command that could not be started has none.
      await run.shell.ended.then(
        () => {},
        () => {},
      );
      return report(run, id, deps);
    },
  });
}

function runOf(shells: Shells, id: string): Run {
  const run = shells.kept(id);
  if (run === undefined) {
    const known = shells.running().map((other) => other.id);
    throw new XzError('not_found', `there is no background command "${id.slice(0, 40)}"`, {
      hint: known.length === 0 ? 'nothing runs in the background' : `running: ${known.join(', ')}`,
    });
  }
  return run;
}

function report(run: Run, id: string, deps: ShellDeps): ToolResult {
  const room = Math.max(200, Math.floor((deps.capBytes() - 500) / 3));
  const { text, skipped, more } = run.spool.takeNew(room);
  const file = run.spool.file;
  const lost =
    skipped === 0
      ? ''
      : `[… ${skipped.toLocaleString('en-US')} bytes went by${file === undefined ? '' : `; all of it is in ${deps.outputs.told(file)}`} …]\n`;
  const seconds = Math.round((deps.clock.now() - run.startedAt) / 1000);
  const state = run.end === undefined ? `[${id} runs since ${seconds} s]` : (endNote(run.end, seconds) ?? `[${id} ended with exit code 0]`);
  const rest = more ? '\n[there is more; call bash_output again]' : '';
  const code = run.end?.exitCode;
  return {
    text: `${lost}${text.replace(/\n$/, '')}${text === '' ? '' : '\n'}${state}${rest}`,
    ...(code === undefined ? {} : { exitCode: code }),
    facts: { command: run.command, background: id, running: run.end === undefined },
  };
}
