import { describe, expect, it } from 'vitest';
import type { AssistantContent, Content } from '../../../../store/sessions/message.ts';
import { contextTokens, estimateTokens } from '../../../../workers/agent/model/estimate.ts';
import { user } from './asking.ts';

const FIXED = { systemPrompt: 's'.repeat(400), tools: [] };
const reply = (total: number): AssistantContent => ({
  role: 'assistant',
  parts: [{ type: 'text', text: 'ok' }],
  provider: 'custom',
  model: 'm',
  api: 'openai-completions',
  finish: 'stop',
  usage: { input: total, output: 0, cacheRead: 0, cacheWrite: 0, total },
  costUsd: null,
});
const rows = (...contents: Content[]) => contents.map((content, at) => ({ id: at + 1, content }));

describe('an estimate', () => {
  it('counts a Han character as one token, a Latin one as a quarter', () => {
    expect(estimateTokens('部署脚本'.repeat(1000))).toBe(4000);
    expect(estimateTokens('abcd'.repeat(1000))).toBe(1000);
    expect(estimateTokens('かなカナ한글')).toBe(6);
    expect(estimateTokens('')).toBe(0);
  });

  it('of a conversation without reported usage covers all of it', () => {
    expect(contextTokens(rows(user('字'.repeat(60_000))), FIXED)).toBe(60_000 + 4 + 100);
  });

  it('is anchored to what was reported, also when that is less', () => {
    expect(contextTokens(rows(user('字'.repeat(60_000)), reply(45_000), user('四个汉字')), FIXED)).toBe(45_000 + 4 + 4);
  });

  it('does not take the usage of a conversation that a summary has replaced since', () => {
    const summary: Content = { role: 'user', text: 'short', origin: { type: 'summary', throughMessage: 1 } };
    const after = [
      { id: 9, content: summary },
      { id: 2, content: reply(150_000) },
      { id: 3, content: user('go on') },
    ];
    expect(contextTokens(after, FIXED)).toBeLessThan(200);
    expect(contextTokens([...after, { id: 10, content: reply(900) }], FIXED)).toBe(900);
  });
});
