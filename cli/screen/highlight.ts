// Colours for code. The highlighter is large, so it is loaded after the first frame and code is plain until then.
import type { Span, StyleName } from './spans.ts';

type Paint = (language: string, code: string) => readonly Span[] | undefined;

let paint: Paint | undefined;

/** Loads the highlighter once; resolves when `highlighted` can use it. */
export async function loadHighlighter(): Promise<void> {
  if (paint !== undefined) return;
  const { common, createLowlight } = await import('lowlight');
  const lowlight = createLowlight(common);
  paint = (language, code) => {
    if (!lowlight.registered(language)) return undefined;
    const out: Span[] = [];
    collect(lowlight.highlight(language, code).children, 'text', out);
    return out;
  };
}

/** Longer code is shown without colours: nobody reads it here, and colouring it would hold up the frame. */
const LONGEST_CODE = 20_000;

/** The code as coloured spans, newlines inside; undefined when the language is unknown or nothing is loaded yet. */
export function highlighted(language: string, code: string): readonly Span[] | undefined {
  if (paint === undefined || language === '' || code.length > LONGEST_CODE) return undefined;
  return paint(language.toLowerCase(), code);
}

interface Node {
  readonly type: string;
  readonly value?: string;
  readonly properties?: { readonly className?: unknown };
  readonly children?: readonly Node[];
}

function collect(nodes: readonly Node[], style: StyleName, out: Span[]): void {
  for (const node of nodes) {
    if (node.value !== undefined) out.push({ text: node.value, style });
    else if (node.children !== undefined) collect(node.children, styleOfClass(node.properties?.className) ?? style, out);
  }
}

const STYLES: Readonly<Record<string, StyleName>> = {
  keyword: 'keyword',
  built_in: 'keyword',
  literal: 'number',
  number: 'number',
  string: 'string',
  regexp: 'string',
  symbol: 'string',
  comment: 'comment',
  quote: 'comment',
  doctag: 'comment',
  title: 'name',
  function: 'name',
  class: 'name',
  type: 'name',
  attr: 'name',
  attribute: 'name',
  property: 'name',
  section: 'accent',
  meta: 'hunk',
  addition: 'added',
  deletion: 'removed',
  tag: 'keyword',
  name: 'keyword',
  variable: 'text',
};

function styleOfClass(className: unknown): StyleName | undefined {
  const first: unknown = Array.isArray(className) ? className[0] : className;
  return typeof first === 'string' ? STYLES[first.replace(/^hljs-/, '')] : undefined;
}
