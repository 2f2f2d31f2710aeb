// Tools in a folder of their own, whose shells are closed when the test is over.
import { onTestFinished } from 'vitest';
import { tempFolder } from './temp.ts';
import { type BenchOptions, type ToolBench, toolBench } from './tools.ts';

export function shellBench(more: Partial<BenchOptions> = {}): ToolBench & { root: string } {
  const root = more.root ?? tempFolder();
  const made = toolBench({ ...more, root });
  onTestFinished(() => made.shell.shells.closeAll());
  return { ...made, root };
}
