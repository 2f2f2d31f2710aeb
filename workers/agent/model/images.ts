// How many pictures a request carries. All that a conversation ever showed would be sent again each time: Anthropic takes
// large ones only in requests with at most twenty, and gateways limit a request's bytes, which pictures use up long before
// the tokens do. A session must not become unusable by what it once looked at.
import type { Content } from '../../../store/sessions/message.ts';
import { ModelError } from './model-error.ts';

/** Pictures in one request. */
export const MOST_IMAGES = 20;
/** Characters of base64 in one request. */
const MOST_CHARS = 20_000_000;
/** Left out in steps, so that a provider's cache is not spoilt by each new picture. */
const STEP = 10;

const NOTE = '[the picture is not sent again, as newer ones are; to see it once more, read the file again]';

/** The contents with the oldest pictures left out where there are too many. Pure. */
export function fewImages(contents: readonly Content[]): Content[] {
  const sizes = contents.flatMap((content) => imagesOf(content).map(({ data }) => data.length));
  let left = Math.max(0, Math.ceil((sizes.length - MOST_IMAGES) / STEP) * STEP);
  while (left < sizes.length - 1 && sizes.slice(left).reduce((sum, size) => sum + size, 0) > MOST_CHARS) left++;
  if (left === 0) return [...contents];
  return contents.map((content) => {
    const images = imagesOf(content);
    if (content.role === 'assistant' || images.length === 0 || left === 0) return content;
    const dropped = Math.min(left, images.length);
    left -= dropped;
    const { images: _all, ...rest } = content;
    const kept = images.slice(dropped);
    return { ...rest, text: `${content.text}\n${NOTE}`, ...(kept.length > 0 ? { images: kept } : {}) };
  });
}

const REFUSED = '[the picture is not sent: the model, or its provider, did not take it]';

/** A content without its pictures, since a request with them was refused. */
export function withoutImages(content: Content): Content {
  if (content.role === 'assistant' || imagesOf(content).length === 0) return content;
  const { images: _all, ...rest } = content;
  return { ...rest, text: `${content.text}\n${REFUSED}` };
}

/** True for an answer that says that a picture is what was wrong with the request. */
export function isAboutImages(error: unknown): boolean {
  return (
    error instanceof ModelError &&
    (error.kind === 'bad_request' || error.kind === 'server') &&
    /\b(images?|image_url|pictures?|vision|multi-?modal|media.?type)\b|图片|图像|多模态/i.test(error.message)
  );
}

const imagesOf = (content: Content) => (content.role === 'assistant' ? [] : (content.images ?? []));
