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
  const generators = [{ name: 'b', samples, cpus: 1, aheadMs: 0, summary: null }];
  const outcome = { samples, arena: 0, loadCpus: [0], generators } as unknown as BatchOutcome;
  const found = judgeGenerator(outcome, slice(durationMs), m, 300);
  expect([found.busyRatio, found.bound]).toEqual([busyRatio, bound]);
});
