// Any mixture of what people write: an edit does what it is meant to and nothing else, or refuses.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { XzError } from '../../../store/errors.ts';
import { type MemoryDocument, parseDocument } from '../../../store/memory/document.ts';
import { addEntry, addTopic, removeTopic } from '../../../store/memory/edit.ts';

const piece = fc.constantFrom(
  '## A',
  '## A ##',
  '## C#',
  '# Top',
  '### deep',
  'setext',
  '-----',
  '=====',
  '```',
  '````sh',
  '~~~',
  '<!--',
  '-->',
  '<div>',
  '- item',
  '* star',
  '1. one',
  '  nested',
  '    code',
  '> quote',
  '| a | b |',
  '[x]: y',
  '中文 ##',
  '\t## tab',
  '---',
  '',
  '',
  'words',
);
const document = fc
  .tuple(fc.array(piece, { maxLength: 14 }), fc.constantFrom('\n', '\r\n'), fc.boolean(), fc.boolean())
  .map(([lines, eol, mark, end]) => Buffer.from((mark ? '\ufeff' : '') + lines.join(eol) + (end ? eol : '')));
const content = fc.array(piece, { minLength: 1, maxLength: 4 }).map((lines) => `said: ${lines.join('\n').trim()}`.trim());

const slices = ({ bytes, offsets, topics }: MemoryDocument) =>
  topics.map(({ start, end }) => bytes.toString('latin1', offsets[start], offsets[end]));

/** The result, or undefined when the edit was refused. */
function attempt(edit: () => Buffer): MemoryDocument | undefined {
  try {
    return parseDocument(edit());
  } catch (error) {
    if (error instanceof XzError && error.code === 'conflict') return undefined;
    throw error;
  }
}

test('edits of any file touch one topic', () => {
  let [tried, refused, stuck] = [0, 0, 0];
  fc.assert(
    fc.property(document, content, (bytes, said) => {
      const before = parseDocument(bytes);
      for (const [n, topic] of before.topics.entries()) {
        const removed = attempt(() => removeTopic(before, topic));
        // An indented heading would become part of the list before the topic: that is refused.
        if (removed === undefined) {
          stuck++;
          continue;
        }
        expect(slices(removed).map((slice) => slice.trimEnd())).toEqual(
          slices(before)
            .filter((_, at) => at !== n)
            .map((slice) => slice.trimEnd()),
        );
        const added = attempt(() => addEntry(before, topic, said));
        tried++;
        if (added === undefined) {
          refused++;
          continue;
        }
        expect(slices(added).filter((_, at) => at !== n)).toEqual(slices(before).filter((_, at) => at !== n));
        expect(added.topics[n]?.entries.some((entry) => entry.text.trimEnd() === said)).toBe(true);
      }
      const grown = attempt(() => addTopic(before, 'Quite new', said));
      if (grown !== undefined)
        expect(grown.topics.map(({ title }) => title).filter((title) => title !== 'Quite new')).toEqual(
          before.topics.map(({ title }) => title),
        );
    }),
    { numRuns: 300 },
  );
  // Only where something is open from the heading on can nothing be added.
  expect(refused).toBeLessThan(tried / 5);
  expect(stuck).toBeLessThan(tried / 20);
});
