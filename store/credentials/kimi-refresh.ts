// One refresh of a Kimi token over the network. Endpoint, client id and field names are those of the official programs.
import { type Clock, sleep } from '../clock.ts';
import { errorMessage, throwIfAborted, XzError } from '../errors.ts';
import { fetchByProxy } from '../proxies.ts';
import type { FreshToken } from './kimi-file.ts';

export const KIMI_OAUTH_HOST = 'https://auth.kimi.com';
/** The public client of Kimi Code's device login. */
const CLIENT_ID = '17e5f671-d194-4dfb-9706-5516cb48c098';
const TRIES = 3;
const LIMIT_MS = 15_000;

export type RefreshAnswer =
  | { readonly kind: 'fresh'; readonly token: FreshToken }
  /** The refresh token is no longer good: used, revoked, or expired. */
  | { readonly kind: 'rejected'; readonly why: string };

export interface RefreshInput {
  readonly host: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly refreshToken: string;
  readonly clock: Clock;
  readonly signal?: AbortSignal | undefined;
}

/** Asks for a new token; 429, 5xx and network errors are tried three times. Throws `model_failed` when no answer can be had. */
export async function refreshKimiToken(input: RefreshInput): Promise<RefreshAnswer> {
  let why = '';
  for (let attempt = 0; attempt < TRIES; attempt++) {
    if (attempt > 0) await sleep(input.clock, 300 * 2 ** attempt * (0.5 + Math.random()), input.signal);
    throwIfAborted(input.signal);
    const answer = await ask(input);
    if (answer.kind !== 'again') return answer;
    why = answer.why;
  }
  throw new XzError('model_failed', `the Kimi login could not be renewed at ${input.host}: ${why}`, {
    hint: 'check the network, then try again',
  });
}

async function ask(input: RefreshInput): Promise<RefreshAnswer | { readonly kind: 'again'; readonly why: string }> {
  const limit = AbortSignal.timeout(LIMIT_MS);
  let response: Response;
  let text: string;
  try {
    response = await fetchByProxy(`${input.host}/api/oauth/token`, {
      method: 'POST',
      headers: { ...input.headers, 'Content-Type': 'application/x-www-form-urlencoded', Accept: 'application/json' },
      body: new URLSearchParams({ client_id: CLIENT_ID, grant_type: 'refresh_token', refresh_token: input.refreshToken }).toString(),
      redirect: 'error',
      signal: input.signal === undefined ? limit : AbortSignal.any([input.signal, limit]),
    });
    text = await response.text();
  } catch (error) {
    throwIfAborted(input.signal);
    const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
    return { kind: 'again', why: errorMessage(cause) };
  }
  if (response.status === 429 || response.status >= 500) return { kind: 'again', why: `HTTP ${response.status}` };
  if (response.status === 401 || response.status === 403 || (response.status === 400 && text.includes('invalid_grant')))
    return { kind: 'rejected', why: `HTTP ${response.status}` };
  const token = response.ok ? freshToken(text) : undefined;
  if (token !== undefined) return { kind: 'fresh', token };
  throw new XzError('model_failed', `${input.host}/api/oauth/token answered HTTP ${response.status} without a token`, {
    hint: 'check auth.oauth_host or KIMI_CODE_OAUTH_HOST',
  });
}

function freshToken(text: string): FreshToken | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
  if (typeof value !== 'object' || value === null || !('access_token' in value) || typeof value.access_token !== 'string') return undefined;
  const refreshToken = 'refresh_token' in value && typeof value.refresh_token === 'string' ? value.refresh_token : undefined;
  const seconds = 'expires_in' in value ? Number(value.expires_in) : Number.NaN;
  return {
    accessToken: value.access_token,
    refreshToken: refreshToken || undefined,
    expiresIn: Number.isFinite(seconds) && seconds > 0 ? seconds : undefined,
    fields: { ...value },
  };
}
