import { describe, expect, it } from 'vitest';
import { KNOWN_MODELS } from '../../../../workers/agent/model/known-models.ts';
import { cleanBaseUrl, knownModel } from '../../../../workers/agent/model/settings.ts';

describe('what is known of models', () => {
  it('is what pi-ai knows today', async () => {
    const made: { knownTable(): unknown } = await import(new URL('../../../../scripts/models.mjs', import.meta.url).href);
    expect(KNOWN_MODELS).toEqual(made.knownTable());
  });

  it('has Kimi as a subscription, others with their price, and the unknown as unknown', () => {
    expect(knownModel('kimi', 'kimi-for-coding')).toEqual({
      contextWindow: 262_144,
      maxOutput: 65_536,
      reasoning: true,
      images: true,
      price: 'subscription',
    });
    expect(knownModel('anthropic', 'claude-sonnet-4-5')).toMatchObject({
      maxOutput: 64_000,
      price: { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 },
    });
    expect(knownModel('openai', 'no-such-model')).toBeUndefined();
    expect(knownModel('custom', 'gpt-4.1')).toMatchObject({ contextWindow: 1_047_576, price: undefined });
  });
});

describe('a base URL', () => {
  it.each([
    ['openai-completions', 'https://h/v1/', 'https://h/v1'],
    ['openai-completions', 'https://h/v1/chat/completions', 'https://h/v1'],
    ['openai-completions', 'http://127.0.0.1:8080', 'http://127.0.0.1:8080'],
    ['anthropic-messages', 'https://api.anthropic.com/v1/messages', 'https://api.anthropic.com'],
    ['anthropic-messages', 'https://api.kimi.com/coding/', 'https://api.kimi.com/coding'],
  ] as const)('for %s: %s is %s', (api, given, wanted) => expect(cleanBaseUrl(api, given)).toBe(wanted));

  it.each(['', 'api.openai.com/v1', 'ftp://h/v1', 'http://'])('"%s" is refused', (given) => {
    expect(() => cleanBaseUrl('openai-completions', given)).toThrow(expect.objectContaining({ code: 'bad_config' }));
  });
});
