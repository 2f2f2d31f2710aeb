// What the teammates of the demo write. The first version of slug loses letters of other scripts, and its test says so:
// that is the point of the story.

export const MODULES = {
  slugAtFirst: "export const slug = (text) => text.toLowerCase().replace(/[^a-z0-9]+/g, '-').replace(/^-|-$/g, '');\n",
  slugBefore: '/[^a-z0-9]+/g',
  slugAfter: '/[^\\p{L}\\p{N}]+/gu',
  words: 'export const countWords = (text) => (text.match(/\\p{Script=Han}|[\\p{L}\\p{N}]+/gu) ?? []).length;\n',
  table: [
    'export function table(rows) {',
    '  const width = Math.max(...rows.map(([first]) => first.length));',
    "  return rows.map(([first, second]) => first.padEnd(width) + '  ' + second).join('\\n');",
    '}\n',
  ].join('\n'),
  report: [
    "import { table } from './table.js';",
    "import { countWords } from './words.js';\n",
    'export const report = (texts) => table(Object.entries(texts).map(([name, text]) => [name, String(countWords(text))]));\n',
  ].join('\n'),
} as const;
