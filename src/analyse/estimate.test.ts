import { describe, expect, test } from 'vitest';
import { estimate, t975 } from './estimate.ts';

describe("Student's t", () => {
  // scipy.stats.t.ppf(0.975, df)
  test.each([
    [1, 12.7062],
    [2, 4.3027],
    [10, 2.2281],
    [11, 2.201],
    [15, 2.1314],
    [30, 2.0423],
    [100, 1.984],
    [10_000, 1.9602],
  ])('df %i: %f', (df, expected) => {
    expect(t975(df)).toBeCloseTo(expected, 2);
  });
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
