// Writes workers/agent/model/known-models.json from pi-ai's table: id, window, output, reasoning, images, and the four
// prices in US dollars per million tokens. Run it after pi-ai has been updated; a test compares the two.
import { writeFileSync } from 'node:fs';
import { getModels } from '@mariozechner/pi-ai';

const PROVIDERS = ['openai', 'anthropic', 'moonshotai', 'deepseek', 'zai', 'minimax', 'xai', 'groq', 'mistral', 'cerebras', 'google'];

export function knownTable() {
  return Object.fromEntries(PROVIDERS.map((provider) => [provider, getModels(provider).map(row)]));
}

function row({ id, contextWindow, maxTokens, reasoning, input, cost }) {
  const prices = [cost.input, cost.output, cost.cacheRead, cost.cacheWrite];
  return [id, contextWindow, maxTokens, Number(reasoning), Number(input.includes('image')), ...prices];
}

if (import.meta.filename === process.argv[1]) {
  const providers = Object.entries(knownTable()).map(
    ([name, rows]) => `  ${JSON.stringify(name)}: [\n${rows.map((each) => `    ${JSON.stringify(each)}`).join(',\n')}\n  ]`,
  );
  writeFileSync('workers/agent/model/known-models.json', `{\n${providers.join(',\n')}\n}\n`);
}
