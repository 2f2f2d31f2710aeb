import { existsSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { Type } from 'typebox';
import { describe, expect, test } from 'vitest';
import { capFor, createFrame, NO_OUTPUT, type PermissionQuestion } from '../../../../workers/agent/tools/frame.ts';
import { openOutputs } from '../../../../workers/agent/tools/outputs.ts';
import { defineTool, type ToolContext } from '../../../../workers/agent/tools/tool.ts';
import { tempFolder } from '../../../helpers/temp.ts';
import { toolBench } from '../../../helpers/tools.ts';

const context = (root: string): ToolContext => ({
  origin: { session: 's', row: 7, index: 1 },
  agent: 'Lead',
  root,
  signal: new AbortController().signal,
});

/** A frame with one tool that says what it is given. */
function echoFrame(root: string, more: Partial<Parameters<typeof createFrame>[0]> = {}) {
  const say = defineTool({
    name: 'say',
    description: 'Says its text.',
    parameters: Type.Object({
      text: Type.String(),
      times: Type.Optional(Type.Integer()),
      loud: Type.Optional(Type.Boolean()),
      items: Type.Optional(Type.Array(Type.String())),
      tone: Type.Optional(Type.Union([Type.Literal('calm'), Type.Literal('cross')])),
      name: Type.Optional(Type.String({ minLength: 1 })),
    }),
    readOnly: true,
    keyed: false,
    run: async (args) => {
      if (args.text === 'throw') throw new TypeError('broken inside');
      return { text: args.items?.join('|') ?? args.text.repeat(args.times ?? 1) };
    },
  });
  return createFrame({
    tools: [say],
    permissions: () => ({ mode: 'ask', allow: [], deny: [] }),
    inWorktree: false,
    capBytes: () => 2_000,
    outputs: openOutputs(join(root, '.agents/data/outputs')),
    secrets: () => ['tvly-abcdef123456'],
    ...more,
  });
}

describe('the frame', () => {
  test('answers an unknown tool, bad arguments and a throwing tool with a readable result', async () => {
    const root = tempFolder();
    const frame = echoFrame(root);
    const run = (name: string, args: unknown) => frame.run({ name, args }, context(root));
    expect(await run('shout', {})).toMatchObject({ isError: true, text: 'there is no tool "shout"; the tools are: say' });
    expect((await run('say', {})).text).toContain('text is missing');
    expect((await run('say', {})).text).toContain('parameters: text, times?, loud?, items?, tone? (calm|cross), name?');
    expect((await run('say', { text: 'a', times: 'many' })).text).toMatch(/times must be integer/);
    expect((await run('say', { text: 'a', tone: 'sad' })).text).toContain('say: tone must be one of: calm, cross');
    expect((await run('say', { text: 'a', name: '' })).text).toContain('say: name must not be empty');
    expect((await toolBench({ root }).call('glob', { pattern: '' })).text).toContain('glob: the pattern is empty');
    expect((await run('say', null)).isError).toBe(true);
    expect((await run('say', [1])).isError).toBe(true);
    expect(await run('say', { text: 'throw' })).toMatchObject({ isError: true, text: 'broken inside' });
  });

  test('knows a tool by the names that models of other harnesses give it', async () => {
    const root = tempFolder();
    const frame = echoFrame(root, { aliases: { tell: 'say' } });
    for (const name of ['functions.say', 'functions.say:0', ' say', 'Say', 'default_api.say', 'functions.tell'])
      expect((await frame.run({ name, args: { text: 'a' } }, context(root))).text).toBe('a');
    expect((await frame.run({ name: 'functions.', args: {} }, context(root))).isError).toBe(true);
  });

  test('takes what models send by mistake', async () => {
    const root = tempFolder();
    const frame = echoFrame(root);
    const text = async (args: unknown) => (await frame.run({ name: 'say', args }, context(root))).text;
    expect(await text({ text: 'ab', times: '2' })).toBe('abab');
    expect(await text('{"text":"ab","times":3}')).toBe('ababab');
    expect(await text({ text: 'a', items: '["x","y"]' })).toBe('x|y');
    expect(await text({ text: 'a', times: null })).toBe('a');
    expect(await text({ text: '{"kept": "as text"}' })).toBe('{"kept": "as text"}');
  });

  test('never gives an empty, invalid or secret-bearing text', async () => {
    const root = tempFolder();
    const frame = echoFrame(root);
    const text = async (value: string) => (await frame.run({ name: 'say', args: { text: value } }, context(root))).text;
    expect(await text('')).toBe(NO_OUTPUT);
    expect(await text('\n\n')).toBe(NO_OUTPUT);
    expect(await text('a\ud800b')).toBe('a\ufffdb');
    expect(await text('key=tvly-abcdef123456;')).toBe('key=[secret];');
    expect(await text('\u001b]0;title\u0007\u001b[31mred\u001b[0m\u0007')).toBe('red');
  });

  test('caps a result by graphemes, tells the true size and stores the whole', async () => {
    const root = tempFolder();
    const frame = echoFrame(root);
    const family = '👩‍👩‍👧‍👦';
    const result = await frame.run({ name: 'say', args: { text: family, times: 1000 } }, context(root));
    expect(Buffer.byteLength(result.text)).toBeLessThanOrEqual(2_000);
    expect(result.text).toContain('25,000 bytes in all');
    const [head = '', notice = '', tail = ''] = result.text.split('\n');
    expect(head.replaceAll(family, '')).toBe('');
    expect(tail.replaceAll(family, '')).toBe('');
    const told = /whole text is in (\S+)/.exec(notice)?.[1] ?? '';
    expect(told).toBe('.agents/data/outputs/s-7-1.txt');
    expect(readFileSync(join(root, told), 'utf8')).toBe(family.repeat(1000));
    const bench = toolBench({ root });
    expect(await bench.text('read_file', { path: told })).toContain('cut]');
  });

  test('the cap is an eighth of the window, at most 50 KB', () => {
    expect(capFor(262_144)).toBe(50_000);
    expect(capFor(8_000)).toBe(4_000);
  });
});

describe('permission', () => {
  test('unattended, what would ask is refused with the rule to add, and the tool does not run', async () => {
    const root = tempFolder();
    const bench = toolBench({ root, permissions: () => ({ mode: 'ask', allow: [], deny: [] }) });
    const result = await bench.call('bash', { command: 'npm test' });
    expect(result.isError).toBe(true);
    expect(result.text).toContain('add "bash(npm test*)" to [permissions] allow');
    expect((await bench.call('write_file', { path: 'a.txt', content: 'x' })).text).toContain('"write_file(a.txt)"');
    expect(existsSync(join(root, 'a.txt'))).toBe(false);
  });

  test('the person is asked with the diff, and "always" is remembered', async () => {
    const root = tempFolder();
    const questions: PermissionQuestion[] = [];
    const bench = toolBench({
      root,
      permissions: () => ({ mode: 'ask', allow: [], deny: [] }),
      ask: async (question) => {
        questions.push(question);
        return question.summary === 'b.txt' ? { refuse: 'not there, please' } : 'always';
      },
    });
    expect((await bench.call('write_file', { path: 'a.txt', content: 'one\n' })).isError).toBeUndefined();
    expect(questions[0]).toMatchObject({ tool: 'write_file', agent: 'Lead', summary: 'a.txt', rule: 'write_file(a.txt)' });
    expect(questions[0]?.diff).toContain('+one');
    await bench.call('write_file', { path: 'a.txt', content: 'two\n' });
    expect(questions).toHaveLength(1);
    expect((await bench.call('write_file', { path: 'b.txt', content: '' })).text).toBe('the person refused this call: not there, please');
  });

  test('a link to what must be asked for is seen through', async () => {
    const root = tempFolder();
    mkdirSync(join(root, '.agents'));
    symlinkSync('.agents', join(root, 'docs'));
    symlinkSync('.env', join(root, 'settings'));
    symlinkSync('/etc', join(root, 'etc'));
    const bench = toolBench({ root, permissions: () => ({ mode: 'auto-edit', allow: [], deny: [] }) });
    for (const path of ['docs/x.md', 'settings', join(root, 'docs/y')])
      expect((await bench.call('write_file', { path, content: 'x' })).text, path).toContain('nobody is here to allow');
    expect((await bench.call('write_file', { path: 'plain.md', content: 'x' })).isError).toBeUndefined();
    expect((await bench.call('bash', { command: 'cat etc/passwd' })).text).toContain('nobody is here to allow');
    expect((await bench.call('bash', { command: 'cat plain.md' })).text).toContain('x');
  });

  test('a destructive command is refused although everything is allowed', async () => {
    const bench = toolBench({ root: tempFolder() });
    expect((await bench.call('bash', { command: 'rm -rf .' })).text).toContain('refused in every mode');
  });
});

describe('todos', () => {
  test('have ids 1 to n and one in progress', async () => {
    const bench = toolBench({ root: tempFolder() });
    expect(await bench.text('create_todo', { items: ['read', 'write', 'test'] })).toBe('1. [ ] read\n2. [ ] write\n3. [ ] test');
    expect(await bench.text('update_todo', { id: '1', state: 'in_progress' })).toContain('1. [>] read');
    expect(await bench.text('update_todo', { id: 2, state: 'in_progress' })).toBe(
      'update_todo: todo 1 is in progress; complete it or set it to pending first',
    );
    await bench.call('update_todo', { id: 1, state: 'completed' });
    expect(await bench.text('update_todo', { id: 2, state: 'in_progress' })).toBe('1. [x] read\n2. [>] write\n3. [ ] test');
    expect(await bench.text('update_todo', { id: 9, state: 'completed' })).toContain('ids are 1 to 3');
    expect(await bench.text('list_todos')).toContain('[>] write');
    expect((await bench.call('update_todo', { id: 1, state: 'done' })).isError).toBe(true);
  });
});
