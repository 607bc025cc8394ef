import { expect, test } from 'vitest';
import { solveCosts, solveReading } from './calibration.ts';

const reading = { queries: 4, 'temporary-tables': 1 };
const window = (probes: number, queries: number) => ({
  probes,
  values: { queries, 'temporary-tables': 1 },
});

test('two windows and a third that confirms them give what a reading and a health check cost', () => {
  const costs = { own: reading, probe: { queries: 2, 'temporary-tables': 0 } };
  expect(solveCosts([window(0, 4), window(1, 6), window(0, 4)])).toEqual(costs);
  // No window needs to be without a check.
  expect(solveCosts([window(1, 6), window(3, 10), window(2, 8)])).toEqual(costs);
  // A window in which somebody else asked for something is outvoted.
  expect(solveCosts([window(0, 9), window(1, 6), window(0, 4), window(2, 8)])).toEqual(costs);
});

test('what nothing confirms, and halves of queries, are no costs', () => {
  expect(solveCosts([])).toBeNull();
  expect(solveCosts([window(0, 4), window(1, 6)])).toBeNull();
  expect(solveCosts([window(1, 6), window(1, 6), window(1, 6)])).toBeNull();
  expect(solveCosts([window(0, 4), window(2, 5), window(4, 6)])).toBeNull();
  expect(solveCosts([window(1, 1), window(2, 4), window(3, 7)])).toBeNull();
});

test('without health checks two windows have to agree', () => {
  expect(solveReading([window(0, 5)])).toBeNull();
  expect(solveReading([window(0, 5), window(0, 4)])).toBeNull();
  expect(solveReading([window(0, 5), window(0, 4), window(0, 4)])).toEqual({ own: reading, probe: {} });
});
