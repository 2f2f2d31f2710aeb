import assert from 'node:assert/strict';
import { test } from 'node:test';
import { table } from '../src/table.js';

test('aligns columns', () =>
  assert.equal(
    table([
      ['a', '1'],
      ['long', '22'],
    ]),
    'a     1\nlong  22',
  ));
