import { expect, test } from 'vitest';
import type { Slice } from '../../plan/timeline/slices.ts';
import type { Samples } from '../sample/samples.ts';
import type { BatchOutcome } from './batch-outcome.ts';
import { judgeGenerator } from './generator.ts';

/** 300 ms of load; around it k6 took as much to start and to end. */
const samples = { usedUs: () => 600_000, usedWithinUs: () => 240_000, busy: () => 0.5 } as unknown as Samples;
const slice = (durationMs: number | null) =>
  ({ number: 0, durationMs, turns: null, steps: [] }) as unknown as Slice;
const m = {
  ...{ startedMs: 0, durationMs: 300, requests: 100, dropped: 0, iterations: 100 },
  ...{ offeredRps: null, achievedRps: 333, cpu: null },
};

test.each([
  ['of a slice that a count ends, its start and its end are not', null, 0.8, false],
  ['of one with a length, all is', 300, 2, true],
])("k6's CPU on each load engine: %s", (_, durationMs, busyRatio, bound) => {
  const generators = [{ name: 'b', samples, cpus: [0], aheadMs: 0, summary: null }];
  const outcome = { samples, arena: 0, cpus: { load: [0] }, generators } as unknown as BatchOutcome;
  const found = judgeGenerator(outcome, slice(durationMs), m, 300);
  expect([found.busyRatio, found.bound]).toEqual([busyRatio, bound]);
});

test.each([
  ['k6 on b used 60 % of its CPUs, and others the rest', 180_000, 1, true],
  ['k6 on b used 95 % of its CPUs', 285_000, 0.95, true],
  ['others have left enough to k6', 180_000, 0.9, false],
  ['others need much, and k6 little', 120_000, 1, false],
])('of two load engines, the limit is one: %s', (reason, usedUs, busy, bound) => {
  const own = { usedUs: () => usedUs, busy: () => busy } as unknown as Samples;
  const idle = { usedUs: () => 30_000, busy: () => 0.1 } as unknown as Samples;
  const generators = [
    { name: 'a', samples: idle, cpus: [0], aheadMs: 0, summary: null },
    { name: 'b', samples: own, cpus: [0], aheadMs: 0, summary: null },
  ];
  const found = judgeGenerator({ samples, generators } as unknown as BatchOutcome, slice(300), m, 300);
  expect(found.reasons).toEqual(bound ? [reason] : []);
  expect(found.bound).toBe(bound);
  expect(found.machines?.map((machine) => [machine.name, machine.bound])).toEqual([
    ['a', false],
    ['b', bound],
  ]);
});

test('other work on a load engine is read on the CPUs that it has, whatever their numbers', () => {
  const busy = (cpus: readonly number[]) => (cpus.join() === '2,3' ? 1 : 0.6);
  const own = { usedUs: () => 360_000, busy } as unknown as Samples;
  const generators = [{ name: 'b', samples: own, cpus: [2, 3], aheadMs: 0, summary: null }];
  const found = judgeGenerator({ samples, generators } as unknown as BatchOutcome, slice(300), m, 300);
  expect(found.reasons).toEqual(['k6 on b used 60 % of its CPUs, and others the rest']);
});

test('all load engines together are the limit if they miss the rate, though none of them is', () => {
  const own = { usedUs: () => 180_000, busy: () => 0.7 } as unknown as Samples;
  const generators = ['a', 'b'].map((name) => ({ name, samples: own, cpus: [0], aheadMs: 0, summary: null }));
  const outcome = { samples, generators } as unknown as BatchOutcome;
  const found = judgeGenerator(outcome, slice(300), { ...m, offeredRps: 1000 }, 300);
  expect([found.bound, found.reasons]).toEqual([true, ['33 % of the offered rate was sent']]);
  expect(found.machines?.map(({ bound }) => bound)).toEqual([false, false]);
});

test.each([
  ['k6 was busy', 180_000, ['5 iterations dropped: all VUs were waiting']],
  ['k6 had time left', 30_000, []],
])('a script that dropped iterations at a rate of its own: %s', (_, usedUs, reasons) => {
  const own = { usedUs: () => usedUs, busy: () => 0.7 } as unknown as Samples;
  const generators = [{ name: 'b', samples: own, cpus: [0], aheadMs: 0, summary: null }];
  const outcome = { samples, generators } as unknown as BatchOutcome;
  const found = judgeGenerator(outcome, slice(300), { ...m, dropped: 5, iterations: 95 }, 300);
  expect(found.reasons).toEqual(reasons);
});
