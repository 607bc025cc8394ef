import { expect, test } from 'vitest';
import { welch } from '../analyse/warn/earlier.ts';
import { compareLevels } from './trend-levels.ts';
import type { TrendPoint } from './trend-model.ts';

const on = (machine: string, ...values: number[]): TrendPoint[] =>
  values.map((value) => ({ date: '', run: '', commit: null, machine, value, half: null }));

test('on machines of one kind it is the test of Welch', () => {
  const [before, behind] = [
    [100, 103, 99, 101],
    [91, 88, 90],
  ];
  const { ratio, interval } = welch(behind, before);
  const found = compareLevels(on('a', ...before), on('a', ...behind));
  expect(found.ratio).toBeCloseTo(ratio as number, 12);
  expect(found.interval?.low).toBeCloseTo(interval?.low as number, 12);
  expect(found.interval?.high).toBeCloseTo(interval?.high as number, 12);
});

test('each kind is compared with itself, and one that was on one side alone says nothing', () => {
  const before = [...on('a', 100, 100), ...on('b', 300), ...on('c', 7)];
  const { ratio, interval } = compareLevels(before, [...on('b', 270, 270), ...on('a', 90), ...on('d', 1, 2)]);
  expect(ratio).toBeCloseTo(0.9, 12);
  // No two values of a kind differ.
  expect(interval).toBeNull();
  expect(compareLevels(on('a', 1, 2, 3), on('b', 1, 2, 3))).toEqual({ ratio: null, interval: null });
});
