// From stored rows to a list that every provider accepts: each call has exactly one result, in order and straight after
// it; nothing is empty; all text is valid Unicode; the first and the last word are not the assistant's. Sessions stored
// with a fault heal here, because nothing on disk is touched.
import { stableHash } from '../../../store/ids.ts';
import {
  type AssistantContent,
  type Content,
  callsOf,
  type Part,
  type ToolContent,
  type UserContent,
} from '../../../store/sessions/message.ts';
import { fewImages } from './images.ts';
import type { ModelApi } from './settings.ts';

/** A stored row. Without ids, results belong to the nearest reply before them. */
export interface RequestRow {
  readonly id?: number;
  readonly content: Content;
}

/** Which model will read the list: reasoning and ids of another one are adapted. */
export interface RequestTarget {
  readonly provider: string;
  readonly model: string;
  readonly api: ModelApi;
}

export const INTERRUPTED = 'interrupted, outcome unknown: the program ended or was stopped while this call ran';
export const NOT_EXECUTED =
  'not executed: the reply was cut off before this call was complete; make the call again, in smaller pieces if it was long';
export const NO_OUTPUT = '(no output)';
const EMPTY_MESSAGE = '(empty message)';
const CONTINUE = '(continue)';

/** The list to send. Pure; the same rows give the same list, so that a provider's cache keeps matching. */
export function wellFormed(rows: readonly RequestRow[], target: RequestTarget): Content[] {
  const results = resultsByCall(rows);
  const out: Content[] = [];
  const ids = idAdapter(target);
  rows.forEach((row, place) => {
    const { content } = row;
    if (content.role === 'user') pushUser(out, cleanUser(content));
    if (content.role !== 'assistant') return;
    const reply = cleanReply(content, target, (index) => results.get(keyOf(row, place, index)) !== undefined);
    if (reply.parts.length === 0) return;
    // Two replies in a row, or a reply at the very start, are refused by some providers.
    if (out.at(-1)?.role !== 'user' && out.at(-1)?.role !== 'tool') pushUser(out, { role: 'user', text: CONTINUE });
    const answered = answer(reply, content, (index) => results.get(keyOf(row, place, index)), ids);
    out.push(...answered);
  });
  if (out.length === 0 || out.at(-1)?.role === 'assistant') pushUser(out, { role: 'user', text: CONTINUE });
  return fewImages(out);
}

/** Text without lone halves of surrogate pairs, which are no Unicode and which servers refuse. */
export function validUnicode(text: string): string {
  // Most text has no surrogate at all, and this test is many times quicker than the replacing.
  return /[\ud800-\udfff]/.test(text) ? text.replace(/\p{Surrogate}/gu, '\uFFFD') : text;
}

const keyOf = (row: RequestRow, place: number, index: number): string => `${row.id ?? `at ${place}`}/${index}`;

/** The first result of each call. A result whose call is not there is not in the map, and so is dropped. */
function resultsByCall(rows: readonly RequestRow[]): Map<string, ToolContent> {
  const results = new Map<string, ToolContent>();
  const withId = new Set(rows.filter(({ content }) => content.role === 'assistant').map(({ id }) => id));
  let nearest = '';
  rows.forEach((row, place) => {
    const { content } = row;
    if (content.role === 'assistant') nearest = `${row.id ?? `at ${place}`}`;
    if (content.role !== 'tool') return;
    const known = row.id !== undefined;
    if (known && !withId.has(content.callRow)) return;
    const key = `${known ? content.callRow : nearest}/${content.callIndex}`;
    if (!results.has(key)) results.set(key, content);
  });
  return results;
}

/** Consecutive words of the person become one message: some providers want roles to alternate. */
function pushUser(out: Content[], content: UserContent): void {
  const last = out.at(-1);
  if (last?.role !== 'user') {
    out.push(content);
    return;
  }
  const { background: before, images: older, ...rest } = last;
  const background = [before, content.background].filter((part) => part !== undefined).join('\n\n');
  const images = [...(older ?? []), ...(content.images ?? [])];
  out[out.length - 1] = {
    ...rest,
    text: `${last.text}\n\n${content.text}`,
    ...(background === '' ? {} : { background }),
    ...(images.length === 0 ? {} : { images }),
  };
}

function cleanUser(content: UserContent): UserContent {
  const text = validUnicode(content.text);
  const alone = (content.images?.length ?? 0) === 0 && (content.background?.trim() ?? '') === '';
  return {
    ...content,
    text: text.trim() === '' && alone ? EMPTY_MESSAGE : text,
    ...(content.background === undefined ? {} : { background: validUnicode(content.background) }),
  };
}

/** A reply without what must not be sent again. Calls keep their place, so that results still find them. */
interface CleanReply {
  readonly content: AssistantContent;
  readonly parts: Array<{ readonly part: Part; readonly callIndex: number }>;
}

function cleanReply(content: AssistantContent, target: RequestTarget, hasResult: (index: number) => boolean): CleanReply {
  const broken = content.finish === 'error' || content.finish === 'aborted';
  const same = content.provider === target.provider && content.model === target.model && content.api === target.api;
  const parts: CleanReply['parts'] = [];
  let callIndex = -1;
  for (const part of content.parts) {
    if (part.type === 'call') callIndex++;
    if (part.type === 'text' && part.text.trim() !== '') parts.push({ part: { ...part, text: validUnicode(part.text) }, callIndex });
    if (part.type === 'thinking' && !broken && same && isReplayable(part, target)) parts.push({ part, callIndex });
    // Calls of a broken reply were never executed, unless a result says otherwise.
    if (part.type === 'call' && (!broken || hasResult(callIndex))) {
      const { signature, ...call } = part;
      const cleaned = { ...call, name: cleanName(part.name), arguments: cleanRecord(part.arguments) };
      parts.push({ part: same && signature !== undefined ? { ...cleaned, signature } : cleaned, callIndex });
    }
  }
  // Reasoning alone is no message.
  const said = parts.some(({ part }) => part.type !== 'thinking');
  return { content, parts: said ? parts : [] };
}

/** Anthropic takes reasoning back only with its signature; the others take the text. */
function isReplayable(part: Extract<Part, { type: 'thinking' }>, target: RequestTarget): boolean {
  if (part.redacted === true) return part.signature !== undefined;
  if (part.text.trim() === '') return false;
  return target.api !== 'anthropic-messages' || (part.signature ?? '').trim() !== '';
}

/** The reply with ids as they will be sent, and one result for each call. */
function answer(
  reply: CleanReply,
  content: AssistantContent,
  resultOf: (index: number) => ToolContent | undefined,
  ids: IdAdapter,
): Content[] {
  const idFor = ids(content);
  const parts: Part[] = [];
  const results: ToolContent[] = [];
  for (const { part, callIndex } of reply.parts) {
    if (part.type !== 'call') {
      parts.push(part);
      continue;
    }
    const id = idFor(part.id);
    parts.push({ ...part, id });
    const result = resultOf(callIndex);
    const place = results.length;
    results.push(result === undefined ? syntheticResult(content, part.name, id, place) : cleanResult(result, part.name, id, place));
  }
  const finish = callsOf({ ...content, parts }).length > 0 ? 'calls' : 'stop';
  return [{ ...content, parts, finish }, ...results];
}

function syntheticResult(content: AssistantContent, name: string, callId: string, callIndex: number): ToolContent {
  const text = content.finish === 'length' ? NOT_EXECUTED : INTERRUPTED;
  return { role: 'tool', callRow: 0, callIndex, callId, name, text, isError: true };
}

/** `callIndex` is the call's place among those that are sent, which may be fewer than those stored. */
function cleanResult(result: ToolContent, name: string, callId: string, callIndex: number): ToolContent {
  const text = validUnicode(result.text);
  const empty = text.trim() === '' && (result.images?.length ?? 0) === 0;
  return { ...result, callIndex, name, callId, text: empty ? NO_OUTPUT : text };
}

/** Gives each call of one reply the id to send. */
type IdAdapter = (content: AssistantContent) => (id: string) => string;

/**
 * A provider's own ids are echoed unchanged, also when they repeat in later turns. Only within one reply, where equal
 * ids would make the results ambiguous, and for ids that another provider made, is one replaced.
 */
function idAdapter(target: RequestTarget): IdAdapter {
  const usedBefore = new Set<string>();
  const strict = isMistral(target);
  return (content) => {
    const foreign = content.provider !== target.provider || content.api !== target.api;
    const usedHere = new Set<string>();
    return (given) => {
      if (strict && (!/^[A-Za-z0-9]{9}$/.test(given) || usedHere.has(given))) {
        const id = nineLetters(given, usedBefore);
        usedHere.add(id);
        return id;
      }
      const fit = foreign ? given.replace(/[^A-Za-z0-9_-]/g, '_').slice(0, 40) : given;
      const taken = (id: string) => id === '' || usedHere.has(id) || (foreign && usedBefore.has(id));
      let id = fit;
      for (let n = 1; taken(id); n++) id = `${fit === '' ? 'call' : fit}_${n}`;
      usedHere.add(id);
      usedBefore.add(id);
      return id;
    };
  };
}

/** Mistral's models and their chat templates take only ids of nine letters and digits. */
function nineLetters(given: string, used: Set<string>): string {
  for (let n = 0; ; n++) {
    const id = stableHash('call', given, `${n}`).slice(0, 9);
    if (used.has(id)) continue;
    used.add(id);
    return id;
  }
}

/** True for a model of Mistral's, whoever serves it. */
export function isMistral({ provider, model }: Pick<RequestTarget, 'provider' | 'model'>): boolean {
  return provider === 'mistral' || /(^|[^a-z])(mistral|ministral|mixtral|magistral|devstral|codestral|pixtral|voxtral)/i.test(model);
}

function cleanName(name: string): string {
  return name.replace(/[^A-Za-z0-9_-]/g, '_').slice(0, 64) || 'unknown';
}

function cleanRecord(record: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [validUnicode(key), cleanValue(value)]));
}

function cleanValue(value: unknown): unknown {
  if (typeof value === 'string') return validUnicode(value);
  if (Array.isArray(value)) return value.map(cleanValue);
  return typeof value === 'object' && value !== null ? cleanRecord({ ...value }) : value;
}
