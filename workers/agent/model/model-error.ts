// Why a request to a model failed, in kinds that decide what happens next: retry, compact, ask for a new key, or stop.
import { type Clock, systemClock } from '../../../store/clock.ts';
import { errnoOf, errorMessage, XzError } from '../../../store/errors.ts';
import { visibleText } from '../tools/visible-text.ts';
import { jsonOf, numberOf, recordOf, textOf } from './loose.ts';

export type ModelErrorKind =
  /** The stream ended, cleanly or not, without a finish reason. */
  | 'cut'
  /** A call's arguments are no whole JSON object although the reply was said to be complete. */
  | 'half_arguments'
  /** Nothing came for too long. */
  | 'idle'
  /** The request is larger than the model's window. */
  | 'overflow'
  | 'auth'
  /** The account has no credit left: waiting does not help. */
  | 'quota'
  | 'rate'
  | 'server'
  | 'network'
  | 'bad_request'
  /** The answer is not what the API promises: HTML, broken JSON. */
  | 'malformed';

export interface ModelErrorDetails {
  readonly status?: number | undefined;
  /** What the server asked to wait, in ms; not capped here. */
  readonly retryAfterMs?: number | undefined;
  readonly cause?: unknown;
}

const HINTS: Partial<Record<ModelErrorKind, string>> = {
  auth: 'check the key with `xz auth check`, or set another with `xz config setup`',
  network: 'check the network and the base URL (`xz config`); the session is kept: `xz once --resume`',
  malformed: 'check that the base URL is an API of the configured kind (`xz config`)',
};

export class ModelError extends XzError {
  readonly kind: ModelErrorKind;
  /** HTTP status, when there was an answer. */
  readonly status: number | undefined;
  readonly retryAfterMs: number | undefined;

  /** `endpoint` is named in the message, so that a person sees which address failed. */
  constructor(kind: ModelErrorKind, endpoint: string, what: string, details: ModelErrorDetails = {}) {
    const hint = HINTS[kind];
    // Also the words of a certificate or a name server may hold control codes.
    super('model_failed', `${endpoint}: ${visibleText(what)}`, {
      data: { kind, endpoint, status: details.status },
      ...(hint === undefined ? {} : { hint }),
      ...(details.cause === undefined ? {} : { cause: details.cause }),
    });
    this.kind = kind;
    this.status = details.status;
    this.retryAfterMs = details.retryAfterMs;
  }
}

// How servers word it; collected from the error texts of OpenAI, Anthropic, Kimi, Moonshot, DeepSeek, xAI, Groq,
// Mistral, MiniMax, z.ai, DashScope, Volcengine, SiliconFlow, Bedrock, TGI, OpenRouter, vLLM, SGLang, llama.cpp, LM Studio
// and Ollama.
const OVERFLOW: readonly RegExp[] = [
  /context[_ ](length|window|size|limit)|maximum (context|prompt|model) length|max_seq_len|max message tokens/i,
  /(prompt|input)( tokens?| token length| \([^)]*\))? (is |are )?too long|prompt exceeds max length|range of input length/i,
  /(prompt|input) length.{0,40}exceeds|(token count|input tokens).{0,80}exceed|exceeded model token limit|token limit exceeded/i,
  /too many (input )?tokens|reduce the length of the messages|request_too_large|inputs` (tokens \+|must have less than)/i,
  /(上下文|输入|prompt).{0,12}(超长|过长|超过|超出)/i,
];
const overflows = (text: string): boolean => OVERFLOW.some((words) => words.test(text));
const RATE = /rate.?limit|too many requests|throttl|overloaded|engine is currently/i;
const QUOTA =
  /insufficient_quota|exceeded_current_quota|insufficient balance|billing|credit balance|account.*(suspended|deactivated)|余额不足|欠费/i;

/** The kind of an HTTP error answer. */
export function kindOfStatus(status: number, text: string): ModelErrorKind {
  if (status === 401 || status === 403) return 'auth';
  if (status === 402) return 'quota';
  // Gemini words its limits of a minute as a used-up quota, but says when the minute is over.
  if (status === 429 && QUOTA.test(text)) return (retryTold(text) ?? Number.POSITIVE_INFINITY) <= SHORT_WAIT_MS ? 'rate' : 'quota';
  if (status === 429) return 'rate';
  if (status === 413) return 'overflow';
  // llama.cpp and proxies that pass a provider's refusal on say it with a 500, which no repeating makes right.
  if (status >= 500 && !RATE.test(text) && overflows(text)) return 'overflow';
  if (status === 408 || status === 409 || status === 425 || status >= 500) return 'server';
  // Some proxies put "rate limit" into a 400; "too many tokens per minute" must not count as an overflow.
  if ((status === 400 || status === 422) && !RATE.test(text) && overflows(text)) return 'overflow';
  return 'bad_request';
}

/** The kind of an error that came inside a stream: an object with `message`, `type` and perhaps a numeric `code`. */
export function kindOfStreamError(error: unknown): ModelErrorKind {
  const fields = recordOf(error);
  const text = fields ? JSON.stringify(fields) : String(error);
  const status = numberOf(fields?.status) ?? numberOf(fields?.code);
  if (status !== undefined && status >= 400 && status < 600) return kindOfStatus(status, text);
  if (QUOTA.test(text)) return 'quota';
  if (/authentication|permission_error|invalid.?api.?key/i.test(text)) return 'auth';
  if (/rate.?limit|too many requests/i.test(text)) return 'rate';
  if (overflows(text)) return 'overflow';
  return /invalid_request|not_found/i.test(text) ? 'bad_request' : 'server';
}

/**
 * What an error body says: the message of the usual JSON forms, else the text without tags. It is the server's own text:
 * shown only through `Told` (said.ts), which also shortens it.
 */
export function errorText(body: string): string {
  return saidIn(jsonOf(body), body)
    .replace(/<(style|script)[\s\S]*?<\/\1>|<[^>]*>/gi, ' ')
    .trim();
}

/** The words in a JSON error: in a list, in a message that is JSON itself, or what a router was told by the provider. */
function saidIn(value: unknown, otherwise: string): string {
  const fields = recordOf(Array.isArray(value) ? value[0] : value);
  const inner = recordOf(fields?.error);
  const said = textOf(inner?.message) ?? textOf(fields?.message) ?? textOf(fields?.error) ?? textOf(fields?.msg) ?? textOf(fields?.detail);
  if (said === undefined) return otherwise;
  const nested = /^\s*[{[]/.test(said) ? jsonOf(said) : undefined;
  const words = nested === undefined ? said : saidIn(nested, said);
  const raw = recordOf(inner?.metadata ?? fields?.metadata)?.raw;
  const cause = typeof raw === 'string' ? saidIn(jsonOf(raw), raw) : raw === undefined ? '' : saidIn(raw, '');
  return cause === '' || words.includes(cause) ? words : `${words}: ${cause}`;
}

const SHORT_WAIT_MS = 120_000;
const MS_OF: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };

/** Milliseconds that an error's own words ask to wait, such as "try again in 1m2.5s"; undefined when they ask nothing. */
export function retryTold(text: string): number | undefined {
  const told = /(?:"retryDelay"\s*:\s*"|(?:re)?try(?: again)? (?:in|after) )((?:\d+(?:\.\d+)? ?(?:ms|[smh])[a-z]* ?)+)/i.exec(text)?.[1];
  if (told === undefined) return undefined;
  return [...told.matchAll(/(\d+(?:\.\d+)?) ?(ms|[smh])/gi)].reduce(
    (sum, [, n, unit]) => sum + Number(n) * (MS_OF[unit?.toLowerCase() ?? ''] ?? 0),
    0,
  );
}

/**
 * Milliseconds that an answer's headers ask to wait: `retry-after-ms`, or `Retry-After` in seconds or as an HTTP date.
 * Undefined for none and for what makes no sense (negative, garbage, a date that is past).
 */
export function retryAfterOf(header: (name: string) => string | undefined, clock: Clock = systemClock): number | undefined {
  const inMs = Number(header('retry-after-ms') ?? Number.NaN);
  if (Number.isFinite(inMs) && inMs >= 0) return inMs;
  const said = header('retry-after')?.trim();
  if (said === undefined || said === '') return undefined;
  if (/^[+-]?[\d.]+$/.test(said)) return Number(said) >= 0 ? Number(said) * 1000 : undefined;
  const until = Date.parse(said) - clock.now();
  return Number.isFinite(until) && until >= 0 ? until : undefined;
}

/** The error of a request that got no answer: connection refused, reset, name not found, TLS. */
export function networkError(endpoint: string, error: unknown, started: boolean): ModelError {
  const causes: string[] = [];
  for (let at: unknown = error; at instanceof Error && causes.length < 4; at = at.cause) {
    const inner = at instanceof AggregateError ? at.errors.map(errorMessage).join(', ') : '';
    const text = [errnoOf(at), at.message || inner].filter((part) => part !== undefined && part !== '').join(' ');
    if (text !== '' && text !== 'fetch failed') causes.push(text);
  }
  const why = causes.at(-1) ?? errorMessage(error);
  return started
    ? new ModelError('cut', endpoint, `the connection broke off in mid-reply (${why})`, { cause: error })
    : new ModelError('network', endpoint, `cannot be reached (${why})`, { cause: error });
}
