import { expect, test } from 'vitest';
import type { Measurement } from '../../results/results.ts';
import { settleFor } from './count-services.ts';

const warmed = (...maxMs: (number | null)[]) =>
  maxMs.map((max) => ({
    latency: max === null ? null : ({ maxMs: max } as Measurement['latency']),
    interrupted: 0,
  }));

test('slow requests that the warm-up cut off end before the first reading', () => {
  expect(settleFor(warmed(20), 2000)).toBe(0);
  expect(settleFor(warmed(20, 700), 2000)).toBe(1400);
  expect(settleFor(warmed(1900), 2000)).toBe(2000);
  // Nothing was answered in time.
  expect(settleFor(warmed(null), 2000)).toBe(2000);
  expect(settleFor([], 2000)).toBe(2000);
  // All that were answered were fast, on a machine that then stood still.
  expect(settleFor([...warmed(20), { ...warmed(20)[0], interrupted: 3 } as Measurement], 2000)).toBe(2000);
});
