import { expect, test } from 'vitest';
import { openMode } from '../../lead/mode.ts';

test('a narrowed turn may do no more than it was made for, and no more than the person allows now', () => {
  const mode = openMode('yolo');
  mode.narrow('ask');
  expect([mode.inForce(), mode.get()]).toEqual(['ask', 'yolo']);
  mode.set('plan');
  expect(mode.inForce()).toBe('plan');
  mode.set('auto-edit');
  mode.narrow(undefined);
  expect(mode.inForce()).toBe('auto-edit');
  mode.narrow('yolo');
  expect(mode.inForce()).toBe('auto-edit');
});
