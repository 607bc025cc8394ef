import { expect, test } from 'vitest';
import type { Slice } from '../../plan/timeline/slices.ts';
import type { K6Summary } from '../load/k6.ts';
import { countDropped } from './dropped.ts';

const slice = (number: number, startMs: number, more: Partial<Slice> = {}): Slice => ({
  ...{ number, variant: `v${number}`, block: 0, warmup: false, startMs, durationMs: 1000 },
  ...{ turns: [0], turnMs: 200, duet: null },
  steps: [{ offsetMs: 0, durationMs: 1000, rps: 50, vus: 6, requests: null }],
  ...more,
});

/** A warm-up, a block of two in turns, another one, and a duet. */
const slices = [
  slice(0, 0, { warmup: true, turns: null, turnMs: null }),
  ...[slice(1, 1000), slice(2, 1000), slice(3, 4000), slice(4, 4000)],
  ...[slice(5, 7000, { duet: 'v1', turns: null }), slice(6, 7000, { duet: 'v1', turns: null })],
];

/** What each slice lost of these drops of two lanes, if so many requests of it began. */
function lost(lanes: readonly number[], started: readonly number[]): number[] {
  const metrics: K6Summary['metrics'] = {};
  lanes.forEach((count, i) => {
    metrics[`dropped_iterations{scenario:lane${i}}`] = { count };
  });
  started.forEach((count, i) => {
    metrics[`bench_started{slice:s${i}}`] = { count };
  });
  const summary = { durationMs: 1, endedMs: 1, endpoints: [], metrics };
  return slices.map((one) => countDropped({ slices }, summary, one));
}

test('drops in a warm-up or a duet are no loss of a slice whose requests moved between turns', () => {
  expect(lost([10, 0], [40, 49, 51, 50, 50, 50, 50]).slice(1, 5)).toEqual([0, 0, 0, 0]);
  expect(lost([5, 5], [50, 50, 50, 49, 51, 45, 45]).slice(1, 5)).toEqual([0, 0, 0, 0]);
});

test('the slice that lacks requests has lost them', () => {
  expect(lost([12, 8], [50, 30, 50, 50, 50, 50, 50]).slice(1, 5)).toEqual([20, 0, 0, 0]);
  expect(lost([12, 8], [50, 45, 45, 40, 50, 50, 50]).slice(1, 5)).toEqual([5, 5, 10, 0]);
});

test('nothing was dropped where k6 says so: the last requests were late', () => {
  expect(lost([0, 0], [50, 48, 48, 50, 50, 50, 50])).toEqual([0, 0, 0, 0, 0, 0, 0]);
});

test.each([
  ['a process of its own', ['slice:s1'], 7],
  ['scenarios of its own', ['scenario:s1_0', 'scenario:s1_4', 'scenario:s10_0'], 14],
])('a slice with %s has its own count', (_, tags, expected) => {
  const metrics = Object.fromEntries(tags.map((tag) => [`dropped_iterations{${tag}}`, { count: 7 }]));
  const summary = { durationMs: 1, endedMs: 1, endpoints: [], metrics };
  expect(countDropped({ slices }, summary, slices[1] as Slice)).toBe(expected);
});
