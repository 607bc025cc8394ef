import { expect, test } from 'vitest';
import { clopperPearson, pooledSd } from './statistics.ts';

test.each([
  // Closed forms: 1 − 0.025^(1/n) and 0.025^(1/n).
  [0, 60, 0, 1 - 0.025 ** (1 / 60)],
  [30, 30, 0.025 ** (1 / 30), 1],
  // Printed by R in the example of ?binom.test.
  [682, 925, 0.7076683, 0.7654066],
  [0, 0, 0, 1],
])('Clopper–Pearson of %d in %d', (found, n, low, high) => {
  const range = clopperPearson(found, n);
  expect(range.low).toBeCloseTo(low, 6);
  expect(range.high).toBeCloseTo(high, 6);
});

test('the interval turns round with what is counted', () => {
  const [found, missed] = [clopperPearson(28, 30), clopperPearson(2, 30)];
  expect(found.low).toBeCloseTo(1 - missed.high, 9);
  expect(found.high).toBeCloseTo(1 - missed.low, 9);
});

test('the pooled SD knows only differences within groups', () => {
  expect(pooledSd([])).toBeNull();
  expect(pooledSd([[1], [5]])).toBeNull();
  expect(pooledSd([[1, 3], [101, 103], [7]])).toBeCloseTo(Math.SQRT2, 12);
  // Variances 2 and 1 with 1 and 2 degrees of freedom.
  expect(
    pooledSd([
      [1, 3],
      [1, 2, 3],
    ]),
  ).toBeCloseTo(Math.sqrt(4 / 3), 12);
});
