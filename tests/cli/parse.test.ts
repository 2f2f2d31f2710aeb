import { expect, test } from 'vitest';
import { parseCommandLine } from '../../cli/table/parse.ts';
import { commandTable } from '../../cli/table/table.ts';
import { COMMAND_WORDS } from '../../cli/table/words.ts';
import { nearest } from '../../cli/table/wrong-use.ts';
import { en } from '../../cli/text/en.ts';
import { zh } from '../../cli/text/zh.ts';

const parse = (...args: string[]) => parseCommandLine(args, en);

test('global options stand before or after the command', async () => {
  for (const args of [
    ['--json', '--workspace', '/w', 'once', 'go'],
    ['once', 'go', '--workspace', '/w', '--json'],
  ]) {
    expect(await parse(...args)).toMatchObject({
      kind: 'command',
      path: 'once',
      call: { args: { prompt: 'go' }, options: { json: true, workspace: '/w' } },
    });
  }
});

test('--resume of `once` takes no value, that of the screen does', async () => {
  expect(await parse('once', '--resume', 'go on')).toMatchObject({ call: { args: { prompt: 'go on' }, options: { resume: true } } });
  expect(await parse('--resume', '2026-01-01-abc')).toMatchObject({ kind: 'root', call: { options: { resume: '2026-01-01-abc' } } });
  expect(await parse('--resume')).toMatchObject({ kind: 'root', call: { options: { resume: true } } });
});

test('a wrong word or option is named with the nearest right one', async () => {
  expect(await parse('onec')).toEqual({ kind: 'wrong', text: expect.stringContaining('did you mean once?') });
  expect(await parse('once', '--sesion', 'x')).toEqual({ kind: 'wrong', text: expect.stringMatching(/--sesion[\s\S]*--session/) });
  expect(await parse('once', '--timeout')).toEqual({ kind: 'wrong', text: expect.stringContaining('needs a value') });
  expect(await parse('--mode', 'wild')).toEqual({ kind: 'wrong', text: expect.stringContaining('plan') });
  expect(await parse('task', 'bogus', 'more')).toEqual({ kind: 'wrong', text: expect.stringContaining('"task bogus"') });
  expect(nearest('shedule', ['schedule', 'skill'])).toBe('schedule');
  expect(nearest('xyz', ['schedule', 'skill'])).toBeUndefined();
});

test('a value that is no choice and words too many are told in both languages, with what to do', async () => {
  for (const [args, says] of [
    [['task', 'list', '--state', 'bogus'], /^xz: --state \S+ [^\n]*"bogus"[^\n]*completed[^\n]*\n\S/],
    [['--mode', 'pln'], /^xz: --mode <mode> [^\n]*"pln"[^\n]*auto-edit[^\n]*\n[^\n]*plan/],
    [['config', 'provider'], /^xz: provider [^\n]*\n\S|^xz: \S+ provider\n\S/],
    [['once', 'a', 'b', 'c'], /^xz: once [^\n]*3[^\n]*\n\S/],
    [['completion', "o'dd"], /^xz: shell [^\n]*"o'dd"[^\n]*bash[^\n]*\n\S/],
  ] as const)
    for (const text of [en, zh]) {
      const parsed = await parseCommandLine(args, text);
      expect(parsed).toEqual({ kind: 'wrong', text: expect.stringMatching(says) });
    }
  expect(await parseCommandLine(['--mode', 'wild'], zh)).toEqual({ kind: 'wrong', text: expect.stringContaining('可选 plan') });
});

test('help on a command is that of the command itself, however deep; of an unknown one it says so', async () => {
  const shown = async (...args: string[]) => {
    const parsed = await parse(...args);
    return parsed.kind === 'shown' || parsed.kind === 'wrong' ? parsed : { kind: parsed.kind, text: '' };
  };
  expect(await shown('help', 'task', 'list')).toEqual(await shown('task', 'list', '--help'));
  expect(await shown('--lang', 'en', 'help', 'task', 'list')).toEqual(await shown('task', 'list', '--help'));
  expect((await shown('help')).text).toMatch(/^Usage: xz \[options\] \[command\]\n/);
  expect((await shown('help', 'task')).text).toMatch(/^Usage: xz task \[options\] \[command\]\n/);
  expect(await shown('help', 'nosuch')).toEqual({ kind: 'wrong', text: 'xz: no command "nosuch"\nhint: see xz --help' });
  expect((await shown('help', 'task', 'lst')).text).toBe('xz: no command "task lst"\nhint: did you mean list?');
});

test('help comes in both languages from the one table', async () => {
  expect(await parse('once', '--help')).toMatchObject({ kind: 'shown', text: expect.stringContaining('--stream-json') });
  expect(await parseCommandLine(['once', '--help'], zh)).toMatchObject({ kind: 'shown', text: expect.stringContaining('用法') });
  expect(await parse('completion', '--help')).toMatchObject({
    text: expect.stringContaining('the shell (choices: "bash", "zsh", "fish")'),
  });
  const chinese = await Promise.all(
    [['--help'], ['task', 'list', '--help'], ['completion', '--help']].map((args) => parseCommandLine(args, zh)),
  );
  for (const help of chinese) expect('text' in help && help.text).not.toMatch(/choices:|default:|\[word/);
});

test('the first words known to the hand-over are the words of the table', () => {
  const lacking = commandTable.map((spec) => spec.name).filter((name) => !COMMAND_WORDS.has(name));
  expect(lacking).toEqual([]);
});
