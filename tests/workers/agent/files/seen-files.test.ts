import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createSeenFiles } from '../../../../workers/agent/files/seen-files.ts';
import { tempFolder } from '../../../helpers/temp.ts';

const bytes = (text: string) => Buffer.from(text);

test('a change from outside is told from one that a command of the agent made', () => {
  const file = join(tempFolder(), 'a.txt');
  const seen = createSeenFiles();
  expect(seen.compare(file, bytes('one'))).toBe('unseen');
  seen.note(file, bytes('one'));
  expect(seen.compare(file, bytes('one'))).toBe('same');
  expect(seen.compare(file, bytes('two'))).toBe('changed');
  writeFileSync(file, 'two');
  seen.commandEnded();
  expect(seen.compare(file, bytes('two'))).toBe('commanded');
  expect(seen.compare(file, bytes('three'))).toBe('changed');
  seen.note(file, bytes('TWO'), true);
  expect(seen.compare(file, bytes('TWO'))).toBe('commanded');
  seen.note(file, bytes('TWO'));
  expect(seen.compare(file, bytes('TWO'))).toBe('same');
});

test('what had changed before a command began, or may be somebody else’s doing, is not its own', () => {
  const file = join(tempFolder(), 'a.txt');
  const seen = createSeenFiles();
  seen.note(file, bytes('one'));
  writeFileSync(file, 'two');
  seen.commandBegins();
  seen.commandEnded();
  expect(seen.compare(file, bytes('two'))).toBe('changed');
  writeFileSync(file, 'three');
  seen.commandEnded();
  expect(seen.compare(file, bytes('three'))).toBe('changed');
  seen.note(file, bytes('three'));
  seen.commandBegins();
  writeFileSync(file, 'four');
  seen.commandEnded(() => false);
  expect(seen.compare(file, bytes('four'))).toBe('changed');
});
