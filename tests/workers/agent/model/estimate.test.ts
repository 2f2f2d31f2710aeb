import { describe, expect, it } from 'vitest';
import { estimateContent, estimateFixed, estimateTokens } from '../../../../workers/agent/model/estimate.ts';
import { GREP, user } from './asking.ts';

describe('an estimate', () => {
  it('counts a Han character as one token, a Latin one as a quarter', () => {
    expect(estimateTokens('部署脚本'.repeat(1000))).toBe(4000);
    expect(estimateTokens('abcd'.repeat(1000))).toBe(1000);
    expect(estimateTokens('かなカナ한글')).toBe(6);
    expect(estimateTokens('')).toBe(0);
  });

  it('of a message counts all that is sent with it, of what stands before the messages the tools too', () => {
    expect(estimateContent(user('字'.repeat(60)))).toBe(60 + 4);
    expect(estimateContent({ role: 'user', text: '字', background: '背景', images: [{ data: 'x', mediaType: 'image/png' }] })).toBe(
      1 + 2 + 1_500 + 4,
    );
    expect(estimateFixed({ systemPrompt: 's'.repeat(400), tools: [] })).toBe(100);
    expect(estimateFixed({ systemPrompt: '', tools: [GREP] })).toBeGreaterThan(10);
  });
});
