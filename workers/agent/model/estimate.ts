// Tokens before a provider has counted them. A character of the Chinese, Japanese and Korean scripts counts as one
// token, other text as a quarter of a token a character; where real usage was reported, context.ts estimates only what came
// after it.
import type { TSchema } from 'typebox';
import type { Content } from '../../../store/sessions/message.ts';

/** About what providers count for a large picture. */
const IMAGE_TOKENS = 1_500;
/** Roles and separators around each message. */
const MESSAGE_TOKENS = 4;

/** Estimated tokens of a text. */
export function estimateTokens(text: string): number {
  let wide = 0;
  let other = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code < 0x80) continue;
    if (isWide(code)) wide++;
    else other++;
  }
  return Math.ceil(wide + other / 2 + (text.length - wide - other) / 4);
}

/** Han, kana, Hangul and their punctuation; halves of surrogate pairs (rare Han, emoji) count half each as `other`. */
function isWide(code: number): boolean {
  return (
    (code >= 0x2e80 && code <= 0x9fff) ||
    (code >= 0xac00 && code <= 0xd7af) ||
    (code >= 0xf900 && code <= 0xfaff) ||
    (code >= 0xfe30 && code <= 0xffef)
  );
}

export interface FixedPart {
  readonly systemPrompt: string;
  readonly tools: ReadonlyArray<{ readonly name: string; readonly description: string; readonly parameters: TSchema }>;
}

/** Estimated tokens of one message as it is sent. */
export function estimateContent(content: Content): number {
  switch (content.role) {
    case 'user':
      return (
        MESSAGE_TOKENS +
        estimateTokens(content.text) +
        estimateTokens(content.background ?? '') +
        (content.images?.length ?? 0) * IMAGE_TOKENS
      );
    case 'tool':
      return MESSAGE_TOKENS + estimateTokens(content.text) + (content.images?.length ?? 0) * IMAGE_TOKENS;
    case 'assistant':
      return content.parts.reduce(
        (sum, part) =>
          sum + (part.type === 'call' ? 10 + estimateTokens(part.name + JSON.stringify(part.arguments)) : estimateTokens(part.text)),
        MESSAGE_TOKENS,
      );
  }
}

/** Estimated tokens of what stands before the messages. */
export function estimateFixed({ systemPrompt, tools }: FixedPart): number {
  return tools.reduce(
    (sum, tool) => sum + 10 + estimateTokens(tool.name + tool.description + JSON.stringify(tool.parameters)),
    estimateTokens(systemPrompt),
  );
}
