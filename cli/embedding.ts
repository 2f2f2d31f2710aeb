// How the search commands compare texts: the configured embedder, its weights, and what a person is told when vectors
// cannot take part.
import { errorMessage, XzError } from '../store/errors.ts';
import type { Embedder } from '../store/search/embedder.ts';
import type { Comparing, Way, WayNotice } from '../store/search/ways.ts';
import type { App } from './compose.ts';
import type { CommandCall } from './table/command.ts';
import { VERSION } from './version.ts';

/** Seconds between two lines about a rebuild. */
const PROGRESS_EVERY_MS = 2_000;

/**
 * The way that the options ask for: `--keyword` words, `--semantic` the vectors as `semantic` says, both or neither as
 * `otherwise`.
 */
export function wayAsked(call: CommandCall, semantic: Way, otherwise: Way): Way {
  const [words, vectors] = [call.options.keyword === true, call.options.semantic === true];
  if (words === vectors) return words ? 'hybrid' : otherwise;
  return words ? 'keyword' : semantic;
}

/** What a search by vectors needs; undefined, with a word to the person, when the settings name no usable embedder. */
export async function comparingOf(app: App): Promise<Comparing | undefined> {
  const config = await app.config();
  const { semanticWeight, keywordWeight } = config.memory;
  let embedder: Embedder;
  try {
    embedder = await configuredEmbedder(app);
  } catch (error) {
    if (!(error instanceof XzError) || !['not_configured', 'bad_config'].includes(error.code)) throw error;
    tellNotice(app, { code: 'embedding_failed', detail: errorMessage(error) });
    return undefined;
  }
  let toldAt = app.clock.now();
  return {
    embedder,
    weights: { semantic: semanticWeight, keyword: keywordWeight },
    now: app.clock.now(),
    progress(reached, newest) {
      if (app.clock.now() - toldAt < PROGRESS_EVERY_MS) return;
      toldAt = app.clock.now();
      app.print.warn(app.text.memory.embedding(reached, newest));
    },
  };
}

/** The embedder of `[memory.embedding]`, or the built-in one. Throws `not_configured` or `bad_config`. */
async function configuredEmbedder(app: App): Promise<Embedder> {
  const [config, { resolveEmbedding }] = await Promise.all([app.config(), import('../store/config/resolve.ts')]);
  const endpoint = resolveEmbedding(config);
  if (endpoint === undefined) return (await import('../store/search/hash-embedder.ts')).hashEmbedder();
  const [{ endpointEmbedder }, { authOf }] = await Promise.all([
    import('../store/search/endpoint-embedder.ts'),
    import('../workers/agent/model/from-config.ts'),
  ]);
  const authorization = async () => {
    const { apiKey, bearer } = await authOf(endpoint.auth, app.identity());
    const token = bearer ?? apiKey;
    return token === undefined ? undefined : `Bearer ${token}`;
  };
  const { model, baseUrl, dimensions } = endpoint;
  return endpointEmbedder({ model, baseUrl, dimensions, authorization, headers: { 'user-agent': `xz/${VERSION}` } }, app.clock);
}

/** One line on stderr: why vectors did not take part, or not all of them. */
export function tellNotice(app: App, notice: WayNotice | undefined): void {
  if (notice !== undefined) app.print.warn(`xz: ${app.text.memory.notices[notice.code]} (${notice.detail})`);
}
