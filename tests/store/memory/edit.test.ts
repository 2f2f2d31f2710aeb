// Hand-written files, edited: what the edit is not about stays as it is, byte for byte.
import { describe, expect, test } from 'vitest';
import { entryKey, parseDocument } from '../../../store/memory/document.ts';
import { addEntry, addTopic, cleanTitle, removeTopic, replaceBody, replaceEntry, topicsTitled } from '../../../store/memory/edit.ts';

const FILES: Readonly<Record<string, string>> = {
  plain: '# Work\n\nText before any topic.\n\n## Deploy\n\n- from main\n- on Fridays never\n\n## Database\n\nPostgres 16.\n',
  fences:
    '## Steps\n\n```bash\n# step one\n## not a topic\nmake\n```\n\n````md\n```\n## inside four\n```\n````\n\n~~~\n## tilde\n~~~\n\n## C#\n\n- use records\n\n    ## indented code\n\n## After\n\n- x\n',
  setext: 'Intro\n\nRelease notes\n-------------\n\n- one\n\nBig title\n=========\n\nbelongs to no topic\n\n## Next ##\n\ntext\n',
  comment: '---\ntitle: x\n# x: y\n---\n\n<!--\n## hidden\n-->\n\n## Seen\n\n- a\n\n<!-- ## also hidden -->\n\n## Other\n\n* star\n',
  open: '## First\n\n- a\n\n## Last\n\n```sh\nnever closed\n## swallowed\n',
  crlf: '\ufeff## 部署\r\n\r\n- 从 main 部署\r\n\r\n## 数据库\r\n\r\n- Postgres\r\n',
  noEnd: '## A\n\n- one\n\n## B\n\n- two',
  empty: '## Nothing\n\n## Nothing\n\n- said\n## deploy\n## Deploy\n## ＤＥＰＬＯＹ\n',
};

const titles = (text: string | Buffer) => parseDocument(Buffer.from(text)).topics.map(({ title }) => title);

test('topics begin where Markdown says so', () => {
  expect(titles(FILES.fences ?? '')).toEqual(['Steps', 'C#', 'After']);
  expect(titles(FILES.setext ?? '')).toEqual(['Release notes', 'Next']);
  expect(titles(FILES.comment ?? '')).toEqual(['Seen', 'Other']);
  expect(titles(FILES.open ?? '')).toEqual(['First', 'Last']);
  expect(titles(FILES.crlf ?? '')).toEqual(['部署', '数据库']);
  expect(titles(FILES.empty ?? '')).toEqual(['Nothing', 'Nothing', 'deploy', 'Deploy', 'ＤＥＰＬＯＹ']);
});

describe.each(Object.entries(FILES))('%s', (_name, text) => {
  const bytes = Buffer.from(text);
  const document = parseDocument(bytes);
  const bytesUpTo = (line: number) => bytes.subarray(0, document.offsets[line]);

  test('forgetting a topic leaves the other bytes', () => {
    for (const topic of document.topics) {
      const rest = Buffer.concat([bytesUpTo(topic.start), bytes.subarray(document.offsets[topic.end])]);
      expect(removeTopic(document, topic).toString()).toBe(rest.toString());
    }
  });

  test('adding to a topic changes no line that was there', () => {
    for (const [at, topic] of document.topics.entries()) {
      const next = parseDocument(addEntry(document, topic, 'a new fact\nwith `code`\n\n```\n## fence\n```'));
      expect(next.topics.map(({ title }) => title)).toEqual(document.topics.map(({ title }) => title));
      expect(next.topics[at]?.entries.some((entry) => entry.text.startsWith('a new fact'))).toBe(true);
      expect(containsInOrder(next.bytes, bytes)).toBe(true);
      expect(
        next.bytes.includes('\r\n') === bytes.includes('\r\n') && !/[^\r]\n/.test(bytes.includes('\r\n') ? next.bytes.toString() : ''),
      ).toBe(true);
    }
  });

  test('a new topic is one, also behind something left open', () => {
    const next = parseDocument(addTopic(document, 'Brand new', 'it is here'));
    expect(next.topics.filter(({ title }) => title === 'Brand new')).toHaveLength(1);
    expect(next.topics).toHaveLength(document.topics.length + 1);
    expect(containsInOrder(next.bytes, bytes)).toBe(true);
  });

  test('replacing an entry or a body leaves the neighbours', () => {
    for (const [at, topic] of document.topics.entries()) {
      const [entry] = topic.entries;
      if (entry !== undefined && entry.end < document.lines.length) {
        const next = replaceEntry(document, topic, entry, 'said anew');
        expect(next.subarray(0, document.offsets[entry.start]).toString()).toBe(bytesUpTo(entry.start).toString());
        expect(next.toString().endsWith(bytes.subarray(document.offsets[entry.end]).toString())).toBe(true);
      }
      const rewritten = parseDocument(replaceBody(document, topic, ['only this']));
      expect(rewritten.topics[at]?.entries.map(({ text }) => text)).toEqual(['only this']);
      expect(rewritten.bytes.toString().endsWith(bytes.subarray(document.offsets[topic.end]).toString())).toBe(true);
    }
  });
});

test('bytes that are no UTF-8 survive an edit beside them', () => {
  const bytes = Buffer.concat([Buffer.from('## A\n\n- '), Buffer.from([0xff, 0xfe, 0x80]), Buffer.from('\n\n## B\n\n- two\n')]);
  const document = parseDocument(bytes);
  const [, topic] = document.topics;
  if (topic === undefined) throw new Error('no topic');
  expect(addEntry(document, topic, 'three').subarray(0, bytes.length).equals(bytes)).toBe(true);
});

test('two megabytes are parsed and edited', () => {
  const text = Array.from({ length: 8_000 }, (_, n) => `## Topic ${n}\n\n- ${'word '.repeat(48)}\n`).join('\n');
  const document = parseDocument(Buffer.from(text));
  const topic = document.topics[4_000];
  if (topic === undefined) throw new Error('no topic');
  const next = addEntry(document, topic, 'one more');
  expect(next.length).toBe(text.length + '- one more\n'.length);
});

test('titles: what is written can be found again', () => {
  expect(['  # C#  ', 'two\nlines', 'closed ##'].map(cleanTitle)).toEqual(['C#', 'two lines', 'closed']);
  const document = parseDocument(Buffer.from(FILES.empty ?? ''));
  expect(topicsTitled(document, 'Deploy')).toHaveLength(1);
  expect(topicsTitled(document, 'DEPLOY')).toHaveLength(3);
  expect(entryKey('Uses  Postgres. (2026-03-03, 2026-03-03-abc123)')).toBe('uses postgres');
});

/** Whether the lines of `small` stand in `large` in the same order. */
function containsInOrder(large: Buffer, small: Buffer): boolean {
  const rest = large.toString('latin1').split(/\r?\n/);
  return small
    .toString('latin1')
    .replace(/\r?\n$/, '')
    .split(/\r?\n/)
    .every((line) => {
      const at = rest.indexOf(line);
      rest.splice(0, at + 1);
      return at >= 0;
    });
}
