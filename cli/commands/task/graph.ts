// `xz task graph --format tree|mermaid|dot`
import type { TaskGraph } from '../../../store/tasks/graph.ts';
import type { RunCommand } from '../../table/command.ts';
import { dotLines, mermaidLines } from './diagrams.ts';
import { warnOfCycles } from './lines.ts';
import { treeLines } from './tree.ts';

export const runTaskGraph: RunCommand = async (app, call) => {
  const { print, text } = app;
  const graph = (await app.tasks()).graph();
  warnOfCycles(print, text, graph);
  if (print.json) {
    print.value({ items: graph.views, edges: edgesOf(graph), criticalPath: graph.criticalPath, cycles: graph.cycles });
    return 0;
  }
  if (call.options.format === 'mermaid') for (const line of mermaidLines(graph)) print.line(line);
  else if (call.options.format === 'dot') for (const line of dotLines(graph)) print.line(line);
  else if (graph.views.length === 0) print.line(text.task.noneAtAll);
  else for (const line of treeLines(print, text, graph)) print.styled(line);
  return 0;
};

function edgesOf(graph: TaskGraph): Array<{ readonly from: string; readonly to: string }> {
  return graph.views.flatMap((view) => view.blockedBy.map((blocker) => ({ from: blocker, to: view.id })));
}
