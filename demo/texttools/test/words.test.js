import assert from 'node:assert/strict';
import { test } from 'node:test';
import { countWords } from '../src/words.js';

test('counts words', () => assert.equal(countWords('one two  three'), 3));
test('counts each Han character', () => assert.equal(countWords('测试 ok'), 3));
