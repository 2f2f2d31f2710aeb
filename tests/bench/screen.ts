// What a frame of the screen costs while the lead and three teammates stream 200 tokens a second each: the events of one
// frame's time through the reducer, the frame, and its bytes. Run by `npm run bench`; no figure here is a test.
import { createPainter } from '../../cli/screen/draw.ts';
import { frameOf } from '../../cli/screen/frame.ts';
import { loadHighlighter } from '../../cli/screen/highlight.ts';
import { reduce } from '../../cli/screen/reduce.ts';
import type { ScreenEvent, State } from '../../cli/screen/state.ts';
import { themeOf } from '../../cli/screen/themes.ts';
import { createMessages } from '../helpers/message-rows.ts';
import { lead, screenState } from '../helpers/screen-state.ts';
import { storyEvents } from '../helpers/screen-story.ts';

export interface Figure {
  readonly name: string;
  readonly value: number;
  readonly unit: string;
  /** The value to stay below, or at. */
  readonly limit: number;
}

const AGENTS = ['Lead', 'ann', 'bob', 'cid'];
const TOKENS_PER_SECOND = 200;
const FRAMES_PER_SECOND = 60;
/** Streamed in turn, so that headings, lists, tables, code and Chinese are all on their way at some time. */
const TEXT = [
  '## What was found\n\n',
  'The **lexer** reads `tokens` one at a time, and the parser 先看一个词法单元再决定 which rule applies.\n\n',
  '- first point with some more words in it\n- second point\n  - nested 嵌套\n\n',
  '| part | state | notes |\n|---|---|---|\n| lexer | done | 14 passed |\n| 解析器 | open | waits |\n\n',
  '```ts\nexport function next(source: string): Token {\n  return { kind: "word", text: source.slice(0, 4) };\n}\n```\n\n',
].join('');

/** Measures `seconds` of streaming on a screen of 120×36 over a conversation of `messages` messages. */
export async function benchScreen(seconds = 20, messages = 10_000): Promise<readonly Figure[]> {
  await loadHighlighter();
  let bytes = 0;
  let clears = 0;
  const painter = createPainter(themeOf('amber', true), 'true', (text) => {
    bytes += text.length;
    clears += text.split('\x1b[2J').length - 1;
  });
  const rows = createMessages(
    's',
    Array.from({ length: messages }, (_, index) => ({
      role: index % 2 === 0 ? 'user' : 'assistant',
      text: `message ${index} with **some** words`,
    })),
  );
  let state: State = reduce(screenState(120, 36), { type: 'session', id: 's', rows }).state;
  for (const event of storyEvents()) state = reduce(state, event).state;
  painter.paint(frameOf(state));
  const pieces = TEXT.match(/[\s\S]{1,5}/g) ?? [];
  const times: number[] = [];
  let sent = 0;
  let due = 0;
  for (let frame = 0; frame < seconds * FRAMES_PER_SECOND; frame++) {
    due += (AGENTS.length * TOKENS_PER_SECOND) / FRAMES_PER_SECOND;
    const events: ScreenEvent[] = [];
    for (; sent < due; sent++) {
      const delta = pieces[Math.floor(sent / AGENTS.length) % pieces.length] ?? '';
      events.push(lead({ type: 'text', agent: AGENTS[sent % AGENTS.length] ?? '', delta }, 1_000 + frame * 16));
    }
    const begun = performance.now();
    for (const event of events) state = reduce(state, event).state;
    painter.paint(frameOf(state));
    times.push(performance.now() - begun);
  }
  const scrolling = scrollTimes(state);
  return [
    { name: 'screen: frame, four agents streaming, p95', value: percentile(times, 0.95), unit: 'ms', limit: 16 },
    { name: 'screen: frame, four agents streaming, p50', value: percentile(times, 0.5), unit: 'ms', limit: 16 },
    { name: 'screen: full clears while streaming', value: clears - 1, unit: '', limit: 0 },
    { name: 'screen: bytes a frame', value: bytes / times.length, unit: 'bytes', limit: 20_000 },
    { name: `screen: a page up over ${messages} messages, p95`, value: percentile(scrolling, 0.95), unit: 'ms', limit: 16 },
  ];
}

function scrollTimes(start: State): number[] {
  const times: number[] = [];
  let state = start;
  for (let page = 0; page < 200; page++) {
    const begun = performance.now();
    state = reduce(state, { type: 'input', input: { type: 'key', name: 'pageup' }, at: state.now }).state;
    frameOf(state);
    times.push(performance.now() - begun);
  }
  return times;
}

function percentile(values: readonly number[], share: number): number {
  return values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * share))] ?? 0;
}
