// HTML to Markdown with mdream, kept linear on hostile input: elements nested deeper than any real page count as their
// text alone, and only a bounded beginning is converted.
import type { Plugin } from '@mdream/js/core';

/** Deeper elements lose their markup, not their text: nested quotes and lists would multiply the output otherwise. */
const DEEPEST = 48;
/** Characters of HTML that are converted. */
const MOST_HTML = 2_000_000;

export interface Converted {
  readonly markdown: string;
  readonly title: string | undefined;
  /** True when the page is longer than what was converted. */
  readonly cut: boolean;
}

/** The readable text of a page; links and images are made absolute against `base`. */
export async function htmlToMarkdown(html: string, base: URL): Promise<Converted> {
  const { htmlToMarkdown: convert } = await import('@mdream/js/core');
  const whole = html.slice(0, MOST_HTML);
  const markdown = convert(whole, { plugins: [flatten, absolute(base)] });
  return { markdown: tidy(markdown), title: titleOf(whole), cut: html.length > MOST_HTML };
}

const flatten: Plugin = {
  beforeNodeProcess: ({ node }) => (node.type === 1 && node.depth > DEEPEST ? { skip: true } : undefined),
};

function absolute(base: URL): Plugin {
  return {
    processAttributes({ name, attributes }) {
      const attribute = name === 'a' ? 'href' : name === 'img' ? 'src' : undefined;
      const value = attribute === undefined ? undefined : attributes[attribute];
      if (attribute === undefined || value === undefined || value.startsWith('#')) return;
      // A picture inside an address is thousands of characters that say nothing.
      if (/^\s*data:/i.test(value)) attributes[attribute] = 'data:';
      else if (URL.canParse(value, base.href)) attributes[attribute] = new URL(value, base).href;
    },
  };
}

/** Three or more line breaks say no more than two. */
function tidy(markdown: string): string {
  return markdown.replace(/\n{3,}/g, '\n\n').trim();
}

function titleOf(html: string): string | undefined {
  const start = /<title\b[^>]{0,200}>/i.exec(html.slice(0, 100_000));
  if (start === null) return undefined;
  const from = start.index + start[0].length;
  const title = /^[^<]*/
    .exec(html.slice(from, from + 500))?.[0]
    .replace(/\s+/g, ' ')
    .trim();
  return title || undefined;
}
