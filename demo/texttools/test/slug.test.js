import assert from 'node:assert/strict';
import { test } from 'node:test';
import { slug } from '../src/slug.js';

test('joins words', () => assert.equal(slug('Hello, World!'), 'hello-world'));
test('keeps every script', () => assert.equal(slug('部署 脚本'), '部署-脚本'));
