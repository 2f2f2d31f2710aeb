// A search by Tavily: one POST, a page of results. Its answer's shape: Tavily's API reference, "Search".
import { type Static, Type } from 'typebox';
import type { Clock } from '../../../store/clock.ts';
import { XzError } from '../../../store/errors.ts';
import { parserOf } from '../../../store/schema.ts';
import { allowAll } from './address.ts';
import { FETCH_LIMITS, type Fetched, fetchFollowing } from './follow.ts';
import { type ResolveHost, systemResolver } from './resolve.ts';

const DEFAULT_BASE = 'https://api.tavily.com';

const nullable = Type.Optional(Type.Union([Type.String(), Type.Null()]));
const Found = Type.Object({ title: nullable, url: Type.String(), content: nullable, published_date: nullable });
const Answer = Type.Object({ results: Type.Array(Found) });

export type SearchHit = Static<typeof Found>;

const answer = parserOf(Answer, "Tavily's answer");

export interface SearchInput {
  readonly query: string;
  readonly maxResults: number;
  readonly key: string;
  readonly baseUrl: string | undefined;
  readonly version: string;
  readonly resolve?: ResolveHost;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** Searches; throws XzError in words for the model. */
export async function searchTavily(input: SearchInput): Promise<readonly SearchHit[]> {
  const base = (input.baseUrl || DEFAULT_BASE).replace(/\/+$/, '');
  const fetched = await fetchFollowing({
    url: new URL(base.endsWith('/search') ? base : `${base}/search`),
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json',
      'accept-encoding': 'gzip, deflate, br',
      authorization: `Bearer ${input.key}`,
      'user-agent': `xz-agent/${input.version}`,
    },
    body: JSON.stringify({ query: input.query, max_results: input.maxResults, search_depth: 'basic', include_answer: false }),
    resolve: input.resolve ?? systemResolver,
    // The person chose this address; a page cannot lead here, and the key follows no redirect.
    judge: allowAll,
    limits: { ...FETCH_LIMITS, redirects: 0 },
    clock: input.clock,
    signal: input.signal,
  });
  if (fetched.status !== 200) throw refusal(fetched);
  return answer.parseJson(fetched.bytes.toString('utf8')).results;
}

function refusal({ status, bytes }: Fetched): XzError {
  const said = bytes.toString('utf8').replace(/\s+/g, ' ').slice(0, 300);
  const told = `web_search: Tavily answered ${status}${said === '' ? '' : `: ${said}`}`;
  switch (status) {
    case 401:
    case 403:
      return new XzError('not_configured', told, {
        hint: 'the key was not accepted: the person should check TAVILY_API_KEY or [web] tavily_api_key',
      });
    case 429:
      return new XzError('refused', told, { hint: 'too many searches at once: wait a little, then try again' });
    case 432:
    case 433:
      return new XzError('refused', told, {
        hint: "the limit of the person's Tavily plan is reached; fetch known addresses with web_fetch instead",
      });
    default:
      return new XzError('not_found', told, { hint: 'try again later, or fetch a known address with web_fetch' });
  }
}
