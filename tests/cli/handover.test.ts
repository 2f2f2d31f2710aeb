import { describe, expect, test } from 'vitest';
import { type FirstLook, firstLook } from '../../cli/beside/handover.ts';
import { COMMAND_WORDS } from '../../cli/table/words.ts';

const look = (args: string, over: Partial<FirstLook> = {}) =>
  firstLook({
    args: args.split(' ').filter(Boolean),
    stdinIsTerminal: true,
    stdoutIsTerminal: true,
    inToolShell: false,
    commands: COMMAND_WORDS,
    fileExists: (name) => name === 'notes',
    ...over,
  }).kind;
const piped = { stdinIsTerminal: false, stdoutIsTerminal: false };

describe('whose command line is it', () => {
  test.each(['-d', '-dc', '-9', '-T0 -c', '--decompress', '-k a.txt', '--threads=4', '-vd', '-V', '-l a.xz', '-z'])(
    '%s is the compressor',
    (args) => {
      expect(look(args)).toBe('compressor');
      expect(look(args, piped)).toBe('compressor');
    },
  );

  test.each([
    'once fix it -c',
    'task list -l 5',
    '--json history list',
    '--workspace /x task list',
    '--lang zh',
    '-h',
    '--help',
    '-v',
    'tsak list',
    '--repl',
    '--resume 2026-01',
    '--daemon --all',
  ])('%s is ours', (args) => {
    expect(look(args)).toBe('ours');
    expect(look(args, piped)).toBe('ours');
  });

  test('nothing at all: the screen at a terminal, the compressor in a pipe', () => {
    expect(look('')).toBe('ours');
    expect(look('', { stdinIsTerminal: false })).toBe('ours');
    expect(look('', piped)).toBe('compressor');
  });

  test('a file: a hint at a terminal, the compressor where none is attached', () => {
    expect(look('notes')).toBe('hint');
    expect(look('a.tar')).toBe('hint');
    expect(look('a.tar', piped)).toBe('compressor');
    expect(look('notes -', piped)).toBe('compressor');
  });

  test('in a tool shell everything but our own commands and the version', () => {
    const shell = { inToolShell: true };
    expect(look('', shell)).toBe('compressor');
    expect(look('anything', shell)).toBe('compressor');
    expect(look('task list', shell)).toBe('ours');
    expect(look('--version', shell)).toBe('ours');
  });
});
