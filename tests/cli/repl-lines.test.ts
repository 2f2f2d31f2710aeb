import { expect, test } from 'vitest';
import { eventLine } from '../../cli/repl/lines.ts';
import { entryLines } from '../../cli/screen/panes/entry.ts';
import { en } from '../../cli/text/en.ts';
import type { LeadEvent } from '../../lead/events.ts';

type MailEvent = Extract<LeadEvent, { type: 'mail' }>;

const NOTICE: MailEvent = {
  type: 'mail',
  from: 'ann',
  to: 'Lead',
  mailType: 'notice',
  subject: 'lexer',
  at: 0,
  claim: 'the API\nhas changed',
};
const RESULT: MailEvent = {
  ...NOTICE,
  mailType: 'result',
  evidence: { commands: [{ command: 'npm test', exitCode: 1 }], tests: [], diffstat: '', files: [], tokens: 10, costUsd: null, seconds: 2 },
};

const line = (event: LeadEvent) => eventLine(event, en)?.split('\n');
const drawn = ({ type, ...mail }: MailEvent) =>
  entryLines({ kind: type, id: 1, ...mail }, undefined, 80, { text: en, now: 0, speaker: 'xz', focused: false })
    .map((spans) => spans.map(({ text }) => text).join(''))
    .filter((text) => text !== '');

test('what a notice says is in its line; only a result claims something, and what was seen stands below it', () => {
  expect(line(NOTICE)).toEqual(['⇄ ann → Lead   notice: lexer · the API has changed']);
  expect(line({ ...NOTICE, subject: '' })).toEqual(['⇄ ann → Lead   notice: the API has changed']);
  expect(line(RESULT)).toEqual([
    '⇄ ann → Lead   result: lexer',
    '  claimed: "the API has changed"',
    expect.stringContaining('  observed: npm test exit 1'),
  ]);
  expect(drawn(NOTICE)).toEqual(['⇄ ann → Lead   notice: lexer · the API has changed']);
  expect(drawn(RESULT).slice(0, 2)).toEqual(['⇄ ann → Lead   result: lexer', '  claimed    "the API has changed"']);
});
