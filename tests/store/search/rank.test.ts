// Ranking: scores of unlike scale are put on one before they are added, weights are checked, ties end the same way.
import { expect, test } from 'vitest';
import { fuse, inOrder, lendToNeighbours } from '../../../store/search/rank.ts';
import { checkWeights } from '../../../store/search/ways.ts';

const EXACT = 1;
const VECTOR_ONLY = 2;
const WEAK_BOTH = 3;
const corpus = (semantic: number, keyword: number) =>
  inOrder(
    fuse({
      keyword: new Map([
        [EXACT, 9],
        [WEAK_BOTH, 2],
      ]),
      semantic: new Map([
        [EXACT, 0.2],
        [VECTOR_ONLY, 0.9],
        [WEAK_BOTH, 0.3],
      ]),
      holdingAll: new Set([EXACT, WEAK_BOTH]),
      weights: { semantic, keyword },
      strong: 1,
    }),
  ).map(({ id }) => id);

test.each([
  [0.7, 0.3],
  [7, 3],
  [0.5, 0.5],
])('with weights %d and %d the literal hit is first, the likeness not below the weak one', (semantic, keyword) => {
  expect(corpus(semantic, keyword)).toEqual([EXACT, VECTOR_ONLY, WEAK_BOTH]);
});

test('one weight alone ranks by that score', () => {
  expect(corpus(0, 1).slice(0, 2)).toEqual([EXACT, WEAK_BOTH]);
  expect(corpus(1, 0)).toContain(VECTOR_ONLY);
});

test.each([
  [0, 0],
  [-1, 1],
  [1, -0.1],
  [Number.NaN, 1],
  [1, Number.POSITIVE_INFINITY],
])('weights %d and %d are refused', (semantic, keyword) => {
  expect(() => checkWeights({ semantic, keyword })).toThrow(/must be 0 or more, and not both 0/);
});

test('equal scores end newest first, whatever the order they came in', () => {
  expect(
    inOrder(
      new Map([
        [3, 1],
        [9, 1],
        [5, 2],
      ]),
    ).map(({ id }) => id),
  ).toEqual([5, 9, 3]);
  expect(
    inOrder(
      new Map([
        [9, 1],
        [5, 2],
        [3, 1],
      ]),
    ).map(({ id }) => id),
  ).toEqual([5, 9, 3]);
});

test('neighbours lend a share of their own score, not of what was lent to them', () => {
  const lent = lendToNeighbours(
    new Map([
      [1, 10],
      [2, 10],
      [3, 10],
      [7, 10],
    ]),
    new Map([
      [2, 1],
      [3, 2],
      [7, 6],
    ]),
  );
  expect(Object.fromEntries(lent)).toEqual({ 1: 13, 2: 16, 3: 13, 7: 10 });
});
