// The secret values in force: what must never be stored, shown, or handed to a command.
import type { Config } from './config.ts';

/** Shorter values would mask ordinary words. */
const SHORTEST = 6;

/** Every key and token that the settings or the environment hold. */
export function secretValues(config: Config): string[] {
  const { auth, team, memory, embedding, web, variables } = config;
  const keys = Object.entries(variables).flatMap(([name, value]) => (/(KEY|TOKEN)$/.test(name) ? [value] : []));
  const all = [auth.apiKey, team.apiKey, memory.apiKey, embedding.apiKey, web.tavilyApiKey, ...Object.values(auth.headers ?? {}), ...keys];
  return [...new Set(all.flatMap((value) => (value !== undefined && value.length >= SHORTEST ? [value] : [])))];
}
