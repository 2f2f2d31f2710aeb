import assert from 'node:assert/strict';
import { test } from 'node:test';
import { report } from '../src/report.js';

test('counts words of each text', () => assert.equal(report({ one: 'a b', two: 'c' }), 'one  2\ntwo  1'));
