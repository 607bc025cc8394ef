import { describe, expect, test } from 'vitest';
import { statistics } from '../../test/fixtures/statistics/statistics.ts';
import { estimate, halfInterval } from './estimate.ts';

test.each(statistics.halfIntervals)("the 95 % t interval is SciPy's: $half", ({ values, half }) => {
  expect((halfInterval(values) as number) / half).toBeCloseTo(1, 9);
});

describe('estimates', () => {
  test('several instances: the interval is over their means', () => {
    // Means 10, 11, 12: s = 1, half = 4.303 / √3.
    const found = estimate([
      [9, 11],
      [10, 12],
      [12, 12],
    ]);
    expect(found).toMatchObject({ value: 11, over: 'instances', n: 3 });
    expect(found?.half).toBeCloseTo(2.484, 3);
  });
  test('slices of one start say nothing of other starts, and it says so', () => {
    expect(estimate([[9, 10, 11]])).toMatchObject({ value: 10, over: 'slices', n: 3 });
  });
  test('one number has no interval', () => {
    expect(estimate([[7]])).toEqual({ value: 7, half: null, over: 'nothing', n: 1 });
  });
  test('instances without values do not count', () => {
    expect(estimate([[], [9, 11], []])).toMatchObject({ value: 10, over: 'slices', n: 2 });
    expect(estimate([[], []])).toBeNull();
  });
});
