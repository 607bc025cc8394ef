import { expect, test } from 'vitest';
import type { DotRow } from '../charts/chart.ts';
import { readDot } from './dots.ts';

const view = { name: 'RPS', axis: { label: 'requests per second', unit: 'rps' } } as const;
const row: DotRow = {
  ...{ variant: 1, starts: [[100, 110], [120]], instances: [0, 2] },
  ...{ value: 110, half: 5, text: '110 ± 5' },
};

test.each<[string, Partial<DotRow>, number, number, string]>([
  ['one of several slices of a start', {}, 0, 1, 'start 1, 2 of 2'],
  ['the only slice of a start, after a start without any', {}, 1, 0, 'start 3'],
  ['one of several values of no measured start', { instances: [] }, 0, 0, '1 of 2'],
  ['the only value of no measured start', { instances: [] }, 1, 0, 'RPS'],
])('the heading of %s', (_, change, start, slice, where) => {
  const value = row.starts[start]?.[slice] as number;
  expect(readDot(view, { ...row, ...change }, start, slice, 'apache')).toEqual({
    ...{ variant: 1, name: 'apache', value, text: `${value} rps`, isNear: true, where },
  });
});

test('a start has no dot beyond its last slice', () => {
  expect(readDot(view, row, 1, 1, 'apache')).toBeNull();
});
