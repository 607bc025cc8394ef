import { expect, test } from 'vitest';
import type { Slice } from '../../plan/timeline/slices.ts';
import type { K6Summary } from '../load/k6.ts';
import { apart, lateness } from './starts.ts';

const BEGAN = 1_800_000_000_000;
const batch = {
  slices: [
    { number: 0, startMs: 0 },
    { number: 1, startMs: 2000 },
  ] as Slice[],
};
const starting = (aheadMs: number, ...startsMs: number[]) => ({
  aheadMs,
  summary: {
    metrics: Object.fromEntries(
      startsMs.map((ms, i) => [`bench_slice_start{slice:s${i}}`, { min: BEGAN + aheadMs + ms }]),
    ),
  } as unknown as K6Summary,
});

test('generators that began when they were asked to are neither late nor apart', () => {
  const generators = [starting(0, 0, 2000), starting(700, 0, 2000)];
  expect([apart(batch, generators), lateness(batch, generators, BEGAN)]).toEqual([0, 0]);
});

test('one that was not ready in time is late', () => {
  const generators = [starting(0, 0, 2000), starting(700, 300, 2300)];
  expect([apart(batch, generators), lateness(batch, generators, BEGAN)]).toEqual([300, 300]);
});

test('one that another program disturbed later is apart, but was ready in time', () => {
  const generators = [starting(0, 0, 2000), starting(0, 2, 2060)];
  expect([apart(batch, generators), lateness(batch, generators, BEGAN)]).toEqual([60, 2]);
});

test('without a start there is nothing to say', () => {
  const generators = [starting(0), { aheadMs: 0, summary: null }];
  expect([apart(batch, generators), lateness(batch, generators, BEGAN)]).toEqual([0, 0]);
});
