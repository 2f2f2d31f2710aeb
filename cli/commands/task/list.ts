// `xz task list`
import type { TaskFilter, Tasks } from '../../../store/tasks/tasks.ts';
import { type Page, pageOf, printPageLines, wholeNumber } from '../../print/page.ts';
import type { CommandCall, RunCommand } from '../../table/command.ts';
import { chosen, TASK_STATE_NAMES } from './choice.ts';
import { countLine, taskLines, warnOfCycles } from './lines.ts';

export const runTaskList: RunCommand = async (app, call) => {
  const { print, text } = app;
  const tasks = await app.tasks();
  const filter = filterOf(call);
  const views = tasks.list(filter);
  const page: Page<(typeof views)[number]> = pageOf(views, wholeNumber(call, 'limit', 0), wholeNumber(call, 'page', 1, 1));
  warnOfCycles(print, text, tasks.graph());
  if (!print.json && views.length === 0) {
    print.line(emptyLine(tasks, filter, text.task));
    return 0;
  }
  printPageLines(print, text, page, () => [...taskLines(print, text, page.items), countLine(text, views)]);
  return 0;
};

function filterOf({ options }: CommandCall): TaskFilter {
  return {
    all: options.all === true,
    ready: options.ready === true,
    state: typeof options.state === 'string' ? chosen(options.state, TASK_STATE_NAMES) : undefined,
    assignee: typeof options.assignee === 'string' ? options.assignee : undefined,
  };
}

function emptyLine(
  tasks: Tasks,
  filter: TaskFilter,
  words: { readonly none: string; readonly noneAtAll: string; readonly noneFits: string },
): string {
  if (tasks.list({ all: true }).length === 0) return words.noneAtAll;
  return filter.state === undefined && filter.assignee === undefined && filter.ready !== true && filter.all !== true
    ? words.none
    : words.noneFits;
}
