// The graph for programs that draw: Mermaid and Graphviz. Titles are people's own words, so all that either language
// would read as syntax is escaped, and nodes get plain names.
import type { TaskGraph, TaskView } from '../../../store/tasks/graph.ts';
import { taskMark } from './words.ts';

/** State of a node as a class name. */
function kindOf(view: TaskView): string {
  return view.ready ? 'ready' : view.state;
}

/** Every blocker that is no active task: archived ones count as done and are left out, missing ones are drawn. */
function missingOf(graph: TaskGraph): string[] {
  return [...new Set(graph.views.flatMap((view) => view.waits.filter(({ why }) => why === 'missing').map(({ id }) => id)))];
}

interface Drawing {
  readonly nodes: ReadonlyArray<{ readonly name: string; readonly label: string; readonly kind: string; readonly critical: boolean }>;
  readonly edges: ReadonlyArray<{ readonly from: string; readonly to: string; readonly critical: boolean }>;
}

function drawingOf(graph: TaskGraph): Drawing {
  const names = new Map<string, string>();
  const nameOf = (id: string) => {
    const name = names.get(id) ?? `t${names.size}`;
    names.set(id, name);
    return name;
  };
  const place = new Map(graph.criticalPath.map((id, at) => [id, at]));
  const nodes = graph.views.map((view) => ({
    name: nameOf(view.id),
    label: `${taskMark(view)} ${view.title === view.id ? view.id : `${view.id}: ${view.title}`}`,
    kind: kindOf(view),
    critical: place.has(view.id),
  }));
  const missing = missingOf(graph).map((id) => ({ name: nameOf(id), label: `? ${id}`, kind: 'missing', critical: false }));
  const edges = graph.views.flatMap((view) =>
    view.blockedBy
      .filter((blocker) => names.has(blocker))
      .map((blocker) => ({
        from: nameOf(blocker),
        to: nameOf(view.id),
        critical: place.has(blocker) && place.get(view.id) === (place.get(blocker) ?? 0) + 1,
      })),
  );
  return { nodes: [...nodes, ...missing], edges };
}

const MERMAID_CLASSES = [
  'classDef ready stroke:#d9a441,stroke-width:2px',
  'classDef pending stroke:#888888',
  'classDef in_progress fill:#f6e3b4,stroke:#d9a441,color:#222222',
  'classDef completed fill:#cfe8cf,stroke:#4a8f4a,color:#222222',
  'classDef failed fill:#f3c6c6,stroke:#b04a4a,color:#222222',
  'classDef missing stroke-dasharray:4',
  'classDef critical stroke-width:4px',
];

/** A Mermaid flowchart; edges of the critical path are thick. */
export function mermaidLines(graph: TaskGraph): string[] {
  const { nodes, edges } = drawingOf(graph);
  const critical = nodes.filter((node) => node.critical).map(({ name }) => name);
  return [
    'flowchart LR',
    ...nodes.map(({ name, label, kind }) => `  ${name}["${escapeMermaid(label)}"]:::${kind}`),
    ...edges.map(({ from, to, critical: thick }) => `  ${from} ${thick ? '==>' : '-->'} ${to}`),
    ...MERMAID_CLASSES.map((line) => `  ${line}`),
    ...(critical.length > 0 ? [`  class ${critical.join(',')} critical`] : []),
  ];
}

const DOT_STYLES: Readonly<Record<string, string>> = {
  ready: 'color="#d9a441", penwidth=2',
  pending: 'color="#888888"',
  in_progress: 'style="rounded,filled", fillcolor="#f6e3b4", color="#d9a441"',
  completed: 'style="rounded,filled", fillcolor="#cfe8cf", color="#4a8f4a"',
  failed: 'style="rounded,filled", fillcolor="#f3c6c6", color="#b04a4a"',
  missing: 'style="rounded,dashed"',
};

/** A Graphviz digraph; the critical path is bold. */
export function dotLines(graph: TaskGraph): string[] {
  const { nodes, edges } = drawingOf(graph);
  return [
    'digraph tasks {',
    '  rankdir=LR;',
    '  node [shape=box, style=rounded];',
    ...nodes.map(
      ({ name, label, kind, critical }) =>
        `  ${name} [label="${escapeDot(label)}", ${DOT_STYLES[kind] ?? ''}${critical ? ', penwidth=3' : ''}];`,
    ),
    ...edges.map(({ from, to, critical }) => `  ${from} -> ${to}${critical ? ' [penwidth=3]' : ''};`),
    '}',
  ];
}

/** Mermaid reads HTML entities written with `#` in quoted labels. */
function escapeMermaid(label: string): string {
  return label.replace(/[#"<>&`\\]/g, (char) => `#${char.codePointAt(0)};`);
}

function escapeDot(label: string): string {
  return label.replace(/["\\]/g, '\\$&');
}
