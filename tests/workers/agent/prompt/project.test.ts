import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { installFaultHook } from '../../../../store/faults.ts';
import { projectInstructions } from '../../../../workers/agent/prompt/project.ts';
import { tempFolder } from '../../../helpers/temp.ts';

afterEach(() => installFaultHook(undefined));

test('the first of AGENTS.md and CLAUDE.md that says something, cut with a word and never within a character', () => {
  const root = tempFolder();
  expect(projectInstructions(root)).toBeUndefined();
  writeFileSync(join(root, 'CLAUDE.md'), 'Use tabs.\n');
  expect(projectInstructions(root)).toBe('(from CLAUDE.md)\nUse tabs.');
  mkdirSync(join(root, 'AGENTS.md'));
  expect(projectInstructions(root)).toContain('Use tabs.');
  writeFileSync(join(root, 'CLAUDE.md'), `x${'😀'.repeat(20_000)}`);
  const long = projectInstructions(root) ?? '';
  expect(long).toContain('[CLAUDE.md is longer; the rest was not loaded: read it with read_file]');
  expect(long).not.toMatch(/\p{Surrogate}/u);
});

test('a file that may not be read keeps no agent from starting (I3)', () => {
  const root = tempFolder();
  writeFileSync(join(root, 'AGENTS.md'), 'secret');
  writeFileSync(join(root, 'CLAUDE.md'), 'Use tabs.');
  installFaultHook(({ op, path }) => {
    if (op === 'read' && path.endsWith('AGENTS.md')) throw Object.assign(new Error('EACCES'), { code: 'EACCES' });
    return undefined;
  });
  expect(projectInstructions(root)).toBe('(AGENTS.md cannot be read: EACCES)\n(from CLAUDE.md)\nUse tabs.');
});
