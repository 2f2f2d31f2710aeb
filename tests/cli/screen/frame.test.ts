import { describe, expect, test } from 'vitest';
import { frameOf } from '../../../cli/screen/frame.ts';
import { textWidth } from '../../../cli/screen/width.ts';
import { drive, key, lead, NOW, pasted, picture, screenState, typed } from '../../helpers/screen-state.ts';
import { storyEvents } from '../../helpers/screen-story.ts';

/** Ann asks whether she may write. */
function asks(id: string, diff: string) {
  const asked = { id, agent: 'ann', tool: 'write_file', summary: 'part.txt', diff };
  return lead({ type: 'question', status: 'asked', question: { ...asked, rule: 'write_file(part.txt)', expiresAt: NOW + 60_000 } });
}

test('a question shows its whole diff where there is room, and says what is left out where there is none', () => {
  const diff = `--- /dev/null\n+++ "b/\\351\\203\\250.txt"\n@@ -0,0 +1,9 @@\n${Array.from({ length: 9 }, (_, n) => `+line ${n}`).join('\n')}\n`;
  const asked = (rows: number) => picture(drive(screenState(100, rows), asks('q', diff)).state);
  expect(asked(36)).toContain('+line 8');
  expect(asked(36)).not.toMatch(/more line|dev.null|351/);
  const short = asked(16);
  const shown = short.match(/\+line \d/g)?.length ?? 0;
  expect(shown).toBeGreaterThan(0);
  expect(short).toContain(`… ${9 - shown} more lines`);
});

test('a question that does not fit is paged through to its last line, and then forgotten with its page', () => {
  const diff = `@@ -0,0 +1,90 @@\n${Array.from({ length: 90 }, (_, n) => `+line ${n}.`).join('\n')}\n`;
  const ask = (id: string) => asks(id, diff);
  let { state } = drive(screenState(100, 30), ask('q1'), ask('q2'));
  const seen = new Set<string>();
  for (let page = 0; page < 8; page++) {
    for (const line of picture(state).match(/\+line \d+/g) ?? []) seen.add(line);
    expect(picture(state)).toContain('y allow');
    state = drive(state, key('pagedown')).state;
  }
  expect(seen.size).toBe(90);
  expect(picture(state)).toContain('+line 89.');
  expect(picture(drive(state, ...Array.from({ length: 9 }, () => key('pageup'))).state)).toContain('+line 0.');
  expect(picture(drive(state, typed('y')).state)).toContain('+line 0.');
});

test('the whole team story stands on one screen of 120 columns', () => {
  const { state } = drive(screenState(), ...storyEvents(), typed('再加一个性能测试'));
  const text = picture(state);
  for (const part of [
    '◆ xz   kimi-for-coding · api.kimi.com',
    'STATUS',
    'TASKS',
    'TEAM',
    'MEMORY',
    'CRON',
    '⇄ ann → Lead',
    '? cid asks',
    '再加一个性能测试',
    'RUNNING',
  ])
    expect(text).toContain(part);
});

const HARD = '部署完成 ✅ 👩‍👩‍👧‍👦 🇨🇳 e\u0301 ㅤ\tx\x1b[31mred';
const HARD_MARKDOWN = [
  `# ${HARD}`,
  `- ${HARD}\n  - ${HARD}\n    1. nested ${'y'.repeat(90)}\n- [x] done`,
  `| 名字 | 状态 | ${HARD} |\n|---|:-:|--:|\n| 解析器解析器解析器解析器 | ✅ | ${'z'.repeat(60)} |`,
  `> quote ${HARD}\n> > deeper`,
  `\`\`\`ts\nconst a = "${HARD}";\n\tindented\n\`\`\``,
  'x'.repeat(5_000),
  '---',
  `[link ${HARD}](https://example.invalid/very/long) ![image](x.png) <b>html</b>`,
].join('\n\n');

describe('at every size', () => {
  const hard = [
    lead({ type: 'turn_start', agent: 'Lead', session: 's', turn: 1, prompt: HARD, origin: 'user' }),
    lead({ type: 'text', agent: 'Lead', delta: HARD_MARKDOWN }),
    lead({ type: 'tool_start', agent: 'Lead', key: 'k', name: 'bash', args: { command: HARD } }),
    lead({
      type: 'tool_end',
      agent: 'Lead',
      key: 'k',
      name: 'bash',
      ok: false,
      preview: HARD.repeat(20),
      lines: 1,
      ms: 1,
      diff: `@@\n+${HARD}\n-${HARD}`,
    }),
    ...storyEvents(),
    { type: 'tasks' as const, items: [{ id: '🎉🎉🎉', title: HARD, state: 'pending', waitingFor: [HARD] }] },
    pasted(`${HARD}\n${HARD}`),
    key('ctrl+o'),
  ];

  for (const columns of [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 79, 80, 120])
    test(`no line is wider than ${columns} columns and the cursor is on the screen`, () => {
      for (const rows of [1, 2, 3, 5, 8, 24, 50]) {
        const { state } = drive(screenState(columns, rows), ...hard);
        for (const sidebar of ['auto', 'shown', 'hidden'] as const) {
          const frame = frameOf({ ...state, sidebar });
          expect(frame.lines).toHaveLength(rows);
          for (const line of frame.lines) expect(textWidth(line.map((part) => part.text).join(''))).toBeLessThanOrEqual(columns);
          if (frame.cursor !== undefined) {
            expect(frame.cursor.x).toBeLessThan(columns);
            expect(frame.cursor.y).toBeLessThan(rows);
          }
        }
      }
    });
});

test('below 80 columns the panels are one key away', () => {
  const { state } = drive(screenState(70, 30), ...storyEvents());
  expect(picture(state)).not.toContain('TASKS');
  expect(picture(drive(state, key('ctrl+t')).state)).not.toContain('TASKS'); // a question is open and must stay in sight
  const answered = drive(state, typed('y'), key('ctrl+t')).state;
  for (const card of ['STATUS', 'TASKS', 'TEAM', 'MEMORY', 'CRON']) expect(picture(answered)).toContain(card);
});

test('the caret stands behind the wide letters that were typed', () => {
  const { state } = drive(screenState(), typed('你好'));
  expect(frameOf(state).cursor).toEqual({ x: 3 + 4, y: 34 });
});

test('streamed Markdown looks the same as when it is complete', () => {
  const start = lead({ type: 'turn_start', agent: 'Lead', session: 's', turn: 1, prompt: 'go', origin: 'user' });
  const text = HARD_MARKDOWN.replace('x'.repeat(5_000), 'end');
  const pieces = [...text].map((delta) => lead({ type: 'text', agent: 'Lead', delta }));
  let streamed = drive(screenState(100, 200), start).state;
  for (const piece of pieces) {
    streamed = drive(streamed, piece).state;
    picture(streamed);
  }
  const end = lead({ type: 'turn_end', agent: 'Lead', turn: 1, stopReason: 'done', text: '' });
  const whole = drive(screenState(100, 200), start, lead({ type: 'text', agent: 'Lead', delta: text }), end).state;
  expect(picture({ ...streamed, running: false })).toBe(picture(whole));
});

test('a view that was scrolled up stays where it is while more is written', () => {
  const lines = Array.from({ length: 200 }, (_, index) => `line ${index}`).join('\n\n');
  const begun = drive(screenState(100, 20), lead({ type: 'text', agent: 'Lead', delta: lines }), key('pageup'), key('pageup')).state;
  const before = picture(begun).split('\n').slice(2, 14);
  const after = picture(drive(begun, lead({ type: 'text', agent: 'Lead', delta: '\n\nmore\n\nand more' })).state)
    .split('\n')
    .slice(2, 14);
  expect(after).toEqual(before);
  expect(picture(drive(begun, key('ctrl+end')).state)).toContain('line 199');
});

test('ten thousand messages are scrolled from end to start', () => {
  const events = Array.from({ length: 10_000 }, (_, index) => index).map((index) => ({
    ...{ id: index + 1, session: 's', turn: 1, createdAt: NOW },
    content: { role: 'user' as const, text: `message ${index}` },
  }));
  let { state } = drive(screenState(100, 30), { type: 'session', id: 's', rows: events });
  expect(picture(state)).toContain('message 9999');
  for (let page = 0; page < 50; page++) state = drive(state, key('pageup')).state;
  expect(picture(state)).not.toContain('message 9999');
  state = drive(state, key('ctrl+home')).state;
  expect(picture(state)).toContain('message 0');
});
