import { describe, expect, it } from 'vitest';
import { ModelError, type ModelErrorKind } from '../../../../workers/agent/model/model-error.ts';
import { toldOnce, waitBefore, withRetry } from '../../../../workers/agent/model/retry.ts';
import { fakeClock } from '../../../helpers/clock.ts';

const fault = (kind: ModelErrorKind, retryAfterMs?: number) => new ModelError(kind, 'http://h', 'no', { retryAfterMs });

describe('the wait before a retry', () => {
  it('doubles, with jitter', () => {
    const waits = (random: number) => [1, 2, 3, 4, 5, 6].map((retry) => waitBefore(retry, fault('server'), () => random));
    expect(waits(0)).toEqual([375, 750, 1_500, 3_000, 6_000, undefined]);
    expect(waits(0.5)).toEqual([500, 1_000, 2_000, 4_000, 8_000, undefined]);
  });

  it('is never shorter than what the server asks, never longer than 37.5 s', () => {
    expect(waitBefore(1, fault('rate', 2_000), () => 0)).toBe(2_000);
    expect(waitBefore(1, fault('rate', 99_999_000), () => 0.99)).toBeLessThanOrEqual(37_500);
    expect(waitBefore(1, fault('rate', 0), () => 0)).toBe(500);
  });

  it.each(['auth', 'quota', 'bad_request', 'overflow'] as const)('does not exist for %s', (kind) => {
    expect(waitBefore(1, fault(kind), () => 0)).toBeUndefined();
  });
});

describe('retrying', () => {
  it('ends with the last fault after five retries of a server that never recovers', async () => {
    const clock = fakeClock();
    let tries = 0;
    const done = withRetry(() => Promise.reject(fault('rate', tries++)), { clock, signal: new AbortController().signal });
    const settled = done.catch((error: unknown) => error);
    await clock.advance(600_000);
    expect(await settled).toBeInstanceOf(ModelError);
    expect(tries).toBe(6);
  });

  it('gives up before all waits together pass 90 s', async () => {
    const clock = fakeClock();
    const waits: number[] = [];
    const done = withRetry(() => Promise.reject(fault('rate', 99_999_000)), {
      clock,
      signal: new AbortController().signal,
      random: () => 0,
      onRetry: (_n, ms) => waits.push(ms),
    });
    const settled = done.catch((error: unknown) => error);
    await clock.advance(600_000);
    expect(await settled).toMatchObject({ kind: 'rate' });
    expect(waits).toEqual([30_000, 30_000, 30_000]);
  });

  it('leaves faults of the program alone', async () => {
    const clock = fakeClock();
    await expect(withRetry(() => Promise.reject(new TypeError('bug')), { clock, signal: new AbortController().signal })).rejects.toThrow(
      'bug',
    );
  });
});

describe('words told over several tries', () => {
  const listen = () => {
    const heard: string[] = [];
    const begin = toldOnce(
      ({ type, delta }) => heard.push(`${type}:${delta}`),
      () => heard.push('restart'),
    );
    return { heard, begin };
  };

  it('are told once when the next try repeats them', () => {
    const { heard, begin } = listen();
    const first = begin();
    first({ type: 'thinking', delta: 'hm' });
    first({ type: 'text', delta: 'Hello wor' });
    const second = begin();
    second({ type: 'thinking', delta: 'hm' });
    second({ type: 'text', delta: 'Hel' });
    second({ type: 'text', delta: 'lo world' });
    second({ type: 'text', delta: '!' });
    expect(heard).toEqual(['thinking:hm', 'text:Hello wor', 'text:ld', 'text:!']);
  });

  it('are declared void when the next try says something else', () => {
    const { heard, begin } = listen();
    begin()({ type: 'text', delta: 'Hello' });
    const second = begin();
    second({ type: 'text', delta: 'He' });
    second({ type: 'text', delta: 'y you' });
    expect(heard).toEqual(['text:Hello', 'restart', 'text:Hey you']);
  });
});
