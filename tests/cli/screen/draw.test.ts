import { describe, expect, test } from 'vitest';
import type { ColourDepth } from '../../../cli/screen/colours.ts';
import { createPainter } from '../../../cli/screen/draw.ts';
import { frameOf } from '../../../cli/screen/frame.ts';
import type { State } from '../../../cli/screen/state.ts';
import { themeOf } from '../../../cli/screen/themes.ts';
import { createEmulator, type Emulator } from '../../helpers/emulator.ts';
import { drive, key, lead, picture, screenState, typed } from '../../helpers/screen-state.ts';
import { storyEvents } from '../../helpers/screen-story.ts';

interface Painted {
  readonly emulator: Emulator;
  /** Everything that was sent, a string a frame. */
  readonly sent: string[];
  show(state: State): Promise<number>;
}

function painted(columns: number, rows: number, depth: ColourDepth = 'true', theme = 'amber', colour = true): Painted {
  const emulator = createEmulator(columns, rows);
  const sent: string[] = [];
  let all = Promise.resolve();
  const painter = createPainter(themeOf(theme, colour), depth, (text) => {
    sent.push(text);
    all = all.then(() => emulator.write(text));
  });
  return {
    emulator,
    sent,
    async show(state) {
      const cells = painter.paint(frameOf(state));
      await all;
      return cells;
    },
  };
}

describe('a frame in a terminal', () => {
  test('is what the panes drew, cell by cell, with wide letters, accents and emoji', async () => {
    const { emulator, show } = painted(120, 36);
    const hard = lead({ type: 'text', agent: 'Lead', delta: '部署完成 ✅ 👩‍👩‍👧‍👦 🇨🇳 e\u0301 x\u0323\u0301 ㅤ ⚠️ ⏰ end\n\n' });
    const { state } = drive(screenState(), ...storyEvents(), hard, typed('再加一个'));
    await show(state);
    expect(emulator.screen()).toBe(picture(state));
  });

  test('follows every step by its difference alone, and never clears the screen again', async () => {
    const { emulator, sent, show } = painted(100, 30);
    let { state } = drive(
      screenState(100, 30),
      lead({ type: 'turn_start', agent: 'Lead', session: 's', turn: 1, prompt: '开始', origin: 'user' }),
    );
    await show(state);
    for (let step = 0; step < 120; step++) {
      state = drive(
        state,
        lead({ type: 'text', agent: 'Lead', delta: step % 7 === 0 ? '\n\n- 项目 ' : `word${step} 中文 ` }),
        typed(step % 5 ? 'x' : '字'),
      ).state;
      await show(state);
      if (step % 10 === 0) expect(emulator.screen()).toBe(picture(state));
    }
    state = drive(state, key('pageup'), key('pageup')).state;
    await show(state);
    expect(emulator.screen()).toBe(picture(state));
    expect(sent.filter((bytes) => bytes.includes('\x1b[2J'))).toHaveLength(1);
  });

  test('is right after any change of narrow and wide letters into each other', async () => {
    const { emulator, show } = painted(24, 6);
    const letters = ['a', 'b', ' ', '中', '文', '✅', 'é', '─'];
    let seed = 7;
    const next = (below: number) => {
      seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
      return Math.floor((seed / 2_147_483_648) * below);
    };
    for (let step = 0; step < 200; step++) {
      const text = Array.from({ length: next(60) }, () => letters[next(letters.length)]).join('');
      const { state } = drive(screenState(24, 6), typed(`x${text}`));
      await show(state);
      expect(emulator.screen()).toBe(picture(state));
    }
  });

  test('leaves the real cursor at the caret, also while text streams', async () => {
    const { emulator, show } = painted(100, 30);
    let { state } = drive(screenState(100, 30), typed('你好世界'), key('left'), key('left'));
    for (let step = 0; step < 5; step++) {
      state = drive(state, lead({ type: 'text', agent: 'Lead', delta: 'streaming ' })).state;
      await show(state);
      expect(emulator.cursor()).toEqual({ x: 3 + 4, y: 28 });
    }
  });

  test('sends nothing when nothing changed', async () => {
    const { sent, show } = painted(80, 24);
    const state = screenState(80, 24);
    await show(state);
    expect(await show({ ...state })).toBe(0);
    expect(sent).toHaveLength(1);
  });

  test('brings no escape sequence of a model or a tool to the terminal', async () => {
    const { sent, show } = painted(100, 30);
    const evil = 'a\x1b]0;title\x07b\x1b[2Jc\x9b31md\x1bPq\x1b\\e\x00\u202e';
    const { state } = drive(
      screenState(100, 30),
      lead({ type: 'text', agent: 'Lead', delta: `${evil}\n\n    ${evil}\n` }),
      lead({ type: 'tool_end', agent: 'Lead', key: 'k', name: evil, ok: false, preview: evil, lines: 3, ms: 1, diff: `+${evil}` }),
      { type: 'tasks', items: [{ id: evil, title: evil, state: 'pending', waitingFor: [evil] }] },
      key('ctrl+o'),
      typed(evil),
    );
    await show(state);
    expect(sent.join('').replace(/\x1b\[[\d;?]*[A-Za-z]/g, '')).not.toMatch(/[\p{Cc}\u202e]/u);
    expect(sent.join('').match(/\x1b\[2J/g)).toHaveLength(1);
  });
});

describe('colours', () => {
  test('are amber in 24 bit, near it in 256, and none at all without colour', async () => {
    const at = async (depth: ColourDepth, colour = true) => {
      const { emulator, sent, show } = painted(80, 24, depth, 'amber', colour);
      await show(screenState(80, 24));
      return { colour: emulator.colour(1, 0), sent: sent.join('') };
    };
    expect((await at('true')).colour).toBe('#d9a441');
    expect((await at('256')).colour).toBe(179);
    expect((await at('16')).colour).toBe(3);
    const none = await at('true', false);
    expect(none.colour).toBeUndefined();
    expect(none.sent).not.toMatch(/\x1b\[[\d;]*(?:38|48);/);
  });

  test('there is a light theme', async () => {
    const { emulator, show } = painted(80, 24, 'true', 'light');
    await show(screenState(80, 24));
    expect(emulator.colour(1, 0)).toBe('#9a6a0b');
  });
});
