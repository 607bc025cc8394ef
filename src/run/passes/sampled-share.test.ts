import { expect, test } from 'vitest';
import { chooseEvery } from './sampled-share.ts';

test.each([
  [[20_000], 1],
  [[4000], 2],
  [[2100], 2],
  [[1500], 3],
  [[1000], 4],
  [[500], 6],
  [[50], 8],
  // The same for all: the one that costs the most decides.
  [[20_000, 1000], 4],
  [[], 1],
  [[0], 1],
])('before anything is measured, requests of %j µs: one of %i', (us, every) => {
  expect(chooseEvery(us, [])).toBe(every);
});

test.each([
  [[{ every: 1, overhead: 0.04 }], 1],
  [[{ every: 1, overhead: 0.13 }], 4],
  [[{ every: 3, overhead: 0.03 }], 3],
  [[{ every: 8, overhead: 0.004 }], 1],
  // Between what is aimed at and what is allowed, half of the starts would have more.
  [[{ every: 1, overhead: 0.049 }], 2],
  [[{ every: 1, overhead: -0.2 }], 1],
  [[{ every: 2, overhead: 0.5 }], 8],
  // One start of three was disturbed.
  [[0.06, 0.9, 0.07].map((overhead) => ({ every: 1, overhead })), 2],
])('by what starts cost: %j: one of %i', (costs, every) => {
  expect(chooseEvery([500], [costs])).toBe(every);
});

test('by the variant that costs the most, and those without a number do not count', () => {
  const costs = [[], [{ every: 1, overhead: 0.02 }], [{ every: 1, overhead: 0.1 }]];
  expect(chooseEvery([5000, 1000, 1000], costs)).toBe(3);
});

test('what it chooses stays below 4 % where starts cost what they did', () => {
  for (let permille = 0; permille <= 320; permille++) {
    const cost = permille / 1000;
    const every = chooseEvery([1000], [[{ every: 1, overhead: cost }]]);
    expect(cost / every).toBeLessThan(0.0401);
  }
});
