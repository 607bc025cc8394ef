import { describe, expect, test } from 'vitest';
import { scenarioOf } from '../../../test/fixtures/plan.ts';
import { compileLoad } from '../../plan/timeline/load-steps.ts';
import type { Batch } from '../../plan/timeline/slices.ts';
import { drainedAfterMs, longestDrainMs, overlapMs, withSeenDrain } from './drain.ts';
import type { K6Summary } from './k6.ts';

const scenario = scenarioOf('test', 'vus(8, 1s)', { timeoutMs: 2000, warmupMs: 0 });
/** Three slices of a second, 250 ms apart; `ends`: when the last request of each was done, from its own end. */
function given(...ends: (number | 'never')[]): { batch: Batch; summary: K6Summary } {
  const metrics: K6Summary['metrics'] = {};
  const slices = ends.map((end, number) => {
    const startMs = 10_000 + number * 1250;
    const tags = `{slice:s${number}}`;
    metrics[`bench_slice_start${tags}`] = { min: startMs };
    metrics[`bench_started${tags}`] = { count: 100 };
    metrics[`iterations${tags}`] = { count: end === 'never' ? 99 : 100 };
    if (typeof end === 'number' && end > 0) metrics[`bench_last_end${tags}`] = { max: startMs + 1000 + end };
    return {
      ...{
        number,
        variant: 'a',
        block: 0,
        warmup: false,
        startMs: number * 1250,
        durationMs: 1000,
        turns: null,
        turnMs: null,
        duet: null,
      },
      steps: compileLoad(scenario.load, scenario),
    };
  });
  return {
    batch: { scenario, slices, drainMs: 100 },
    summary: { durationMs: 4000, endedMs: 14_000, endpoints: [], metrics },
  };
}

describe('after a slice', () => {
  test.each([
    ['nothing was late', 0, 0],
    ['a request was', 30, 30],
    ['a request had no answer', 'never' as const, 2000],
  ])('%s', (_, end, expected) => {
    const { batch, summary } = given(end);
    expect(drainedAfterMs(batch, batch.slices[0] as Batch['slices'][0], summary)).toBe(expected);
  });

  test('the longest counts; without a summary nothing is known', () => {
    const { batch, summary } = given(10, 40, 0);
    expect(longestDrainMs(batch, summary)).toBe(40);
    expect(longestDrainMs(batch, null)).toBeNull();
  });
});

test.each<[string, Parameters<typeof given>, number, number]>([
  ['as it was planned, where nothing is known', [], 2000, 2000],
  ['100 ms, where all was done in time', [0, 0], 2000, 100],
  ['twice the longest', [10, 240], 2000, 480],
  ['the timeout, where a request had no answer', [0, 'never'], 2000, 2000],
  ['no longer than planned: then the next slice begins', [240, 0], 100, 100],
])('once loaded, the drain is %s', (_, ends, planned, expected) => {
  const { batch, summary } = given(...ends);
  expect(withSeenDrain({ ...batch, drainMs: planned }, summary).drainMs).toBe(expected);
});

describe('in the next slice', () => {
  test.each<[string, Parameters<typeof given>, number[]]>([
    ['nothing of the one before', [100, 250, 0], [0, 0, 0]],
    ['the end of the one before', [300, 0, 0], [0, 50, 0]],
    ['one that reaches over two', ['never', 0, 0], [0, 1750, 500]],
  ])('%s', (_, ends, expected) => {
    const { batch, summary } = given(...ends);
    const found = batch.slices.map((slice, i) => overlapMs(batch, slice, 10_000 + i * 1250, summary));
    expect(found).toEqual(expected);
  });
});
