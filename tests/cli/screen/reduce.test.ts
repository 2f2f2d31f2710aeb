import { describe, expect, test } from 'vitest';
import type { State } from '../../../cli/screen/state.ts';
import type { Question } from '../../../lead/events.ts';
import { drive, key, lead, NOW, pasted, picture, screenState, typed } from '../../helpers/screen-state.ts';
import { storyEvents } from '../../helpers/screen-story.ts';

const facts = (over: { running?: boolean; queued?: readonly string[]; questions?: readonly Question[] } = {}) => ({
  type: 'facts' as const,
  model: screenState().model,
  mode: 'ask' as const,
  running: over.running ?? false,
  queued: over.queued ?? [],
  questions: over.questions ?? [],
});

const question = (id: string, agent = 'cid'): Question => ({
  ...{ id, agent, tool: 'bash', summary: `run ${id}`, rule: 'bash(npm*)', expiresAt: NOW + 600_000 },
});
const asked = (id: string, agent?: string) => lead({ type: 'question', question: question(id, agent), status: 'asked' });

const busy = (): State => drive(screenState(), facts({ running: true })).state;

describe('sending', () => {
  test('Enter sends, clears the input and remembers the text', () => {
    const { state, effects } = drive(screenState(), typed('hello'), key('enter'));
    expect(effects).toEqual([
      { type: 'remember', text: 'hello' },
      { type: 'submit', text: 'hello' },
    ]);
    expect(state.editor.text).toBe('');
    expect(state.history.at(-1)).toBe('hello');
  });

  test('Ctrl+J and Alt+Enter break the line', () => {
    const { effects } = drive(screenState(), typed('a'), key('ctrl+j'), typed('b'), key('alt+enter'), typed('c'), key('enter'));
    expect(effects.at(-1)).toEqual({ type: 'submit', text: 'a\nb\nc' });
  });

  test('nothing is sent for blanks', () => {
    expect(drive(screenState(), typed('  '), key('enter')).effects).toEqual([]);
  });

  test('a command inside a paste is text', () => {
    const { effects } = drive(screenState(), pasted('/quit\nsecond line'), key('enter'));
    expect(effects.at(-1)).toEqual({ type: 'submit', text: '/quit\nsecond line' });
  });

  test('a path that begins with a slash is text', () => {
    expect(drive(screenState(), typed('/usr/bin/tar fails'), key('enter')).effects.at(-1)).toEqual({
      type: 'submit',
      text: '/usr/bin/tar fails',
    });
  });
});

describe('slash commands and completion', () => {
  test('Enter on an exact command sends it, whatever the completion shows', () => {
    for (const line of ['/team', '/team on', '/TASK show lexer', '/quit', '/memory o'])
      expect(drive(screenState(), typed(line), key('enter')).effects.at(-1)).toEqual({ type: 'slash', line });
  });

  test('Enter on the beginning of one takes the completion; arrows choose', () => {
    expect(drive(screenState(), typed('/cro'), key('enter')).state.editor.text).toBe('/crontab ');
    const { state } = drive(screenState(), typed('/'), key('down'), key('tab'));
    expect(state.editor.text).toBe('/task ');
    expect(picture(drive(screenState(), typed('/')).state)).toContain('/crontab');
  });

  test('first words of a command are offered', () => {
    const { state } = drive(screenState(), typed('/team o'));
    expect(state.completion?.items.map((item) => item.value)).toEqual(['on', 'off']);
    expect(drive(state, key('down'), key('tab')).state.editor.text).toBe('/team off ');
  });

  test('Escape closes the popup and the text stays', () => {
    const { state } = drive(screenState(), typed('/te'), key('escape'));
    expect(picture(state)).not.toContain('the team: on');
    expect(state.editor.text).toBe('/te');
  });

  test('an unknown command is still a command, so that the person is told', () => {
    expect(drive(screenState(), typed('/nonsense'), key('enter')).effects.at(-1)).toEqual({ type: 'slash', line: '/nonsense' });
  });

  test('@ asks for the files once and completes the best match', () => {
    const { state, effects } = drive(screenState(), typed('see @pars'), typed('e'));
    expect(effects).toEqual([{ type: 'list_files' }]);
    const listed = drive(state, { type: 'files', items: ['docs/spares.md', 'src/parser.ts', 'tests/parser.test.ts'] }).state;
    expect(listed.completion?.items.map((item) => item.value)).toEqual(['src/parser.ts', 'tests/parser.test.ts']);
    expect(drive(listed, key('tab')).state.editor.text).toBe('see @src/parser.ts ');
  });
});

describe('leaving and interrupting', () => {
  test('idle: Ctrl+C clears, then warns, then leaves with 0', () => {
    let step = drive(screenState(), typed('half'), key('ctrl+c'));
    expect(step.state.editor.text).toBe('');
    step = drive(step.state, key('ctrl+c'));
    expect(step.effects).toEqual([]);
    expect(picture(step.state)).toContain('again to leave');
    expect(drive(step.state, key('ctrl+c')).effects).toEqual([{ type: 'exit', code: 0 }]);
  });

  test('the second Ctrl+C must follow soon', () => {
    const { state } = drive(screenState(), key('ctrl+c', 1_000));
    expect(drive(state, key('ctrl+c', 20_000)).effects).toEqual([]);
  });

  test('busy: Ctrl+C interrupts once, and a hanging interrupt does not lock the person in', () => {
    const first = drive(busy(), key('ctrl+c'));
    expect(first.effects).toEqual([{ type: 'interrupt' }]);
    expect(drive(first.state, key('ctrl+c'), key('ctrl+c')).effects).toEqual([{ type: 'exit', code: 0 }]);
  });

  test('Escape takes back what is queued, and with nothing queued interrupts', () => {
    const queued = drive(busy(), facts({ running: true, queued: ['later'] })).state;
    expect(picture(queued)).toContain('queued  later');
    expect(drive(queued, key('escape')).effects).toEqual([{ type: 'take_back' }]);
    expect(drive(queued, key('up')).effects).toEqual([{ type: 'take_back' }]);
    expect(drive(queued, { type: 'taken_back', text: 'later' }).state.editor.text).toBe('later');
    expect(drive(busy(), key('escape')).effects).toEqual([{ type: 'interrupt' }]);
    expect(drive(screenState(), key('escape')).effects).toEqual([]);
  });

  test('text that was taken back goes before what is being written', () => {
    const { state } = drive(screenState(), typed('new'), { type: 'taken_back', text: 'old' });
    expect(state.editor.text).toBe('old\nnew');
  });
});

describe('questions', () => {
  test('come one at a time and are answered by one key', () => {
    const { state } = drive(screenState(), asked('q1'), asked('q2', 'bob'));
    expect(picture(state)).toMatch(/\? cid asks {3}bash {3}1 more waiting/);
    const first = drive(state, typed('y'));
    expect(first.effects).toEqual([{ type: 'answer', id: 'q1', verdict: 'allow' }]);
    expect(picture(first.state)).toContain('? bob asks');
    expect(drive(first.state, typed('a')).effects).toEqual([{ type: 'answer', id: 'q2', verdict: 'always' }]);
    expect(drive(first.state, typed('n')).effects).toEqual([{ type: 'answer', id: 'q2', verdict: 'refuse' }]);
  });

  test('a letter of what is being typed answers nothing', () => {
    const writing = drive(screenState(), typed('ma', 10_000), asked('q1'), typed('y', 10_050));
    expect(writing.effects).toEqual([]);
    expect(writing.state.editor.text).toBe('may');
    const justErased = drive(screenState(), typed('m', 10_000), key('backspace', 10_020), asked('q1'), typed('y', 10_050));
    expect(justErased.effects).toEqual([]);
  });

  test('show the diff, and the keys stay in sight however long it is', () => {
    const diff = `@@ -1 +1 @@\n${Array.from({ length: 300 }, (_, line) => `+added ${line}`).join('\n')}`;
    const event = lead({ type: 'question', status: 'asked', question: { ...question('q1'), diff } });
    const text = picture(drive(screenState(100, 24), event).state);
    expect(text).toContain('+added 0');
    expect(text).toMatch(/… \d+ more lines/);
    expect(text).toContain('y allow');
  });

  test('an answered or expired question leaves one line behind', () => {
    const { state } = drive(screenState(), asked('q1'), lead({ type: 'question', question: question('q1'), status: 'expired' }));
    expect(state.questions).toEqual([]);
    expect(picture(state)).toContain('not answered in time');
  });
});

describe('the team panel', () => {
  const withTeam = (): State => drive(screenState(), ...storyEvents(), typed('y')).state;

  test('Tab moves there, Enter opens a transcript, Escape comes back', () => {
    const focused = drive(withTeam(), key('tab'), key('down'));
    expect(focused.state.focus).toBe('team');
    expect(picture(focused.state)).toContain('▸bob');
    expect(picture(focused.state)).toContain('xz/bob/1');
    const opened = drive(focused.state, key('enter'));
    expect(opened.effects).toEqual([{ type: 'open_transcript', name: 'bob' }]);
    const seen = drive(
      opened.state,
      lead({ type: 'text', agent: 'bob', delta: 'reading the **lexer**' }),
      { type: 'transcript', name: 'bob', rows: [] },
      lead({ type: 'text', agent: 'bob', delta: ' now' }),
    ).state;
    expect(picture(seen)).toContain("bob's conversation");
    expect(picture(seen)).toContain('reading the lexer now');
    expect(drive(seen, typed('hurry'), key('enter')).effects.at(-1)).toEqual({ type: 'message', name: 'bob', text: 'hurry' });
    expect(picture(drive(seen, key('escape')).state)).toContain('Three parts are independent');
  });

  test('keys message, interrupt, merge and release', () => {
    const { state } = drive(withTeam(), key('tab'));
    expect(drive(state, typed('i')).effects).toEqual([{ type: 'teammate', action: 'interrupt', name: 'ann' }]);
    expect(drive(state, typed('g')).effects).toEqual([{ type: 'teammate', action: 'merge', name: 'ann' }]);
    expect(drive(state, typed('r')).effects).toEqual([{ type: 'teammate', action: 'release', name: 'ann' }]);
    const message = drive(state, typed('m'), typed('use the new API'), key('enter'));
    expect(message.effects.at(-1)).toEqual({ type: 'message', name: 'ann', text: 'use the new API' });
    expect(message.state.addressee).toBeUndefined();
  });

  test('a teammate that ended is gone from the panel', () => {
    const ended = lead({
      ...{ type: 'teammate', name: 'ann', state: 'ended', activity: 'waiting', since: NOW, tokens: 1, costUsd: null, files: [] },
    });
    expect(drive(withTeam(), ended).state.team.map((mate) => mate.name)).toEqual(['bob', 'cid']);
  });
});

describe('the conversation', () => {
  test('a call is folded with its verdict and unfolds by key', () => {
    const { state } = drive(screenState(), ...storyEvents(), typed('y'));
    expect(picture(state)).toMatch(/⚙ bash\(npm test\) {2}✗ exit 1 {2}4\.2 s {2}▸ 38 lines/);
    const there = drive(state, key('tab'), key('tab'));
    expect(there.state.focus).toBe('log');
    expect(picture(drive(there.state, key('enter')).state)).toContain('expected 3, got 4');
    expect(picture(drive(state, key('ctrl+o')).state)).toContain('expected 3, got 4');
    expect(picture(drive(state, key('ctrl+o'), key('ctrl+o')).state)).not.toContain('expected 3, got 4');
  });

  test('calls that a stopped turn left are marked', () => {
    const { state } = drive(
      screenState(),
      lead({ type: 'tool_start', agent: 'Lead', key: 'k', name: 'bash', args: { command: 'sleep 9' } }),
      lead({ type: 'turn_end', agent: 'Lead', turn: 1, stopReason: 'interrupted', text: '' }),
    );
    expect(picture(state)).toMatch(/⚙ bash\(sleep 9\) {2}■ interrupted/);
    expect(picture(state)).toContain('files changed so far stay');
  });

  test('escape sequences of a tool or a model never reach a line', () => {
    const evil = 'ok\x1b]0;title\x07\x1b[2Jgone\x9b31m';
    const { state } = drive(
      screenState(),
      lead({ type: 'text', agent: 'Lead', delta: `${evil}\n\n\`\`\`\n${evil}\n\`\`\`` }),
      lead({ type: 'tool_end', agent: 'Lead', key: 'k', name: `bash${evil}`, ok: false, preview: evil, lines: 2, ms: 1 }),
      key('ctrl+o'),
    );
    expect(picture(state).replaceAll('\n', '')).not.toMatch(/\p{Cc}/u);
  });
});

describe('history', () => {
  test('is walked with the arrows and the draft comes back', () => {
    const up = drive(screenState(), typed('draft'), key('up'));
    expect(up.state.editor.text).toBe('second thing');
    expect(drive(up.state, key('up')).state.editor.text).toBe('first thing');
    expect(drive(up.state, key('down')).state.editor.text).toBe('draft');
  });

  test('inside lines the arrows move the caret first', () => {
    const { state } = drive(screenState(), typed('a'), key('ctrl+j'), typed('b'), key('up'));
    expect(state.editor.text).toBe('a\nb');
    expect(state.editor.caret).toBe(1);
  });
});

describe('lists to pick from', () => {
  test('one that another puts away is answered with nothing', () => {
    const pick = (id: string) => ({ type: 'pick' as const, picker: { id, title: '', items: [], selected: 0, filter: '' } });
    const step = drive(screenState(), pick('a'), pick('b'));
    expect(step.effects).toEqual([{ type: 'picked', picker: 'a', value: undefined }]);
    expect(step.state.picker?.id).toBe('b');
  });

  const list = {
    type: 'pick' as const,
    picker: {
      id: 'p',
      title: 'Sessions',
      filter: '',
      selected: 0,
      items: [
        { value: '1', label: 'parser' },
        { value: '2', label: '词法' },
      ],
    },
  };

  test('take the arrows, a filter, Enter and Escape', () => {
    expect(drive(screenState(), list, key('down'), key('enter')).effects).toEqual([{ type: 'picked', picker: 'p', value: '2' }]);
    expect(drive(screenState(), list, typed('词'), key('enter')).effects).toEqual([{ type: 'picked', picker: 'p', value: '2' }]);
    expect(drive(screenState(), list, key('escape')).effects).toEqual([{ type: 'picked', picker: 'p', value: undefined }]);
    expect(picture(drive(screenState(), list).state)).toContain('▸ parser');
  });
});

test('a skill that came while the screen runs is completed: commands are asked for anew when a slash is typed', () => {
  const slash = drive(screenState(), typed('/'));
  expect(slash.effects).toEqual([{ type: 'list_commands' }]);
  expect(drive(slash.state, typed('d')).effects).toEqual([]);
  const skill = { name: 'deploy', help: 'ships it', aliases: [], args: '…', choices: [] };
  const known = drive(slash.state, typed('dep'), { type: 'commands', items: [...slash.state.slash, skill] }).state;
  expect(known.completion?.items.map((item) => item.value)).toEqual(['/deploy']);
});

test('another session brings its own figures: those of the one before are not shown beside it', () => {
  const used = lead({
    ...{ type: 'usage', agent: 'Lead', contextTokens: 41_200, window: 262_144, costUsd: 1.5 },
    usage: { input: 1, output: 1, cacheRead: 0, cacheWrite: 0, total: 2 },
  });
  const { state } = drive(screenState(), used, { type: 'session', id: 'new', rows: [] });
  expect(state).toMatchObject({ contextTokens: 0, costUsd: null });
});
