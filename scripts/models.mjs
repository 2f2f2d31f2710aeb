// Writes workers/agent/model/known-models.ts from pi-ai's table: id, window, output, reasoning, images, and the four
// prices in US dollars per million tokens. Run it after pi-ai has been updated; a test compares the two.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { getModels } from '@mariozechner/pi-ai';

const PROVIDERS = ['openai', 'anthropic', 'moonshotai', 'deepseek', 'zai', 'minimax', 'xai', 'groq', 'mistral', 'cerebras', 'google'];

export function knownTable() {
  return Object.fromEntries(PROVIDERS.map((provider) => [provider, getModels(provider).map(row)]));
}

function row({ id, contextWindow, maxTokens, reasoning, input, cost }) {
  const prices = [cost.input, cost.output, cost.cacheRead, cost.cacheWrite];
  return [id, contextWindow, maxTokens, Number(reasoning), Number(input.includes('image')), ...prices];
}

const HEAD = `// Made by scripts/models.mjs from pi-ai's table; do not edit. A row: id, window, output, reasoning, images, and US dollars
// per 1,000,000 tokens of input, output, cache reads and cache writes.

export type KnownRow = readonly [string, number, number, 0 | 1, 0 | 1, number, number, number, number];
`;

if (import.meta.filename === process.argv[1]) {
  const lines = Object.entries(knownTable()).map(
    ([name, rows]) => `  ${name}: [\n${rows.map((each) => `    ${JSON.stringify(each)},`).join('\n')}\n  ],`,
  );
  const text = `${HEAD}\nexport const KNOWN_MODELS: Readonly<Record<string, readonly KnownRow[]>> = {\n${lines.join('\n')}\n};\n`;
  writeFileSync(join(import.meta.dirname, '..', 'workers/agent/model/known-models.ts'), text);
}
