// archive_tasks: takes finished work out of the graph.
import { Type } from 'typebox';
import type { Tasks } from '../../store/tasks/tasks.ts';
import { defineTool } from '../../workers/agent/tools/tool.ts';

export function createArchiveTasks(tasks: Tasks) {
  return defineTool({
    name: 'archive_tasks',
    description:
      'Moves a completed task and its completed blockers out of the graph into one archive file, so that the list stays short. ' +
      'A task that an unfinished task still needs stays. Archived tasks count as done for whatever names them as a blocker.',
    parameters: Type.Object({
      root: Type.String({ description: 'Id of the completed task at the end of the work' }),
    }),
    readOnly: false,
    keyed: true,
    async run({ root }, { signal }) {
      const { ids } = await tasks.archive(root, signal);
      return { text: ids.length === 0 ? `${root} is archived already.` : `Archived ${ids.join(', ')}.` };
    },
  });
}
