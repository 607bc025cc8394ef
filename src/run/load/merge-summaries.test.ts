import { describe, expect, test } from 'vitest';
import { bucketOf, total } from '../../stats/histogram.ts';
import { makeRandom } from '../../stats/random.ts';
import { readLatency } from '../measure/latency.ts';
import { type K6Summary, NAMED, TREND_STATS } from './k6.ts';
import { mergeSummaries } from './merge-summaries.ts';

const START = 1_800_000_000_000;

function percentileOf(sorted: readonly number[], p: number): number {
  const index = (p / 100) * (sorted.length - 1);
  const [low, high] = [sorted[Math.floor(index)] ?? 0, sorted[Math.ceil(index)] ?? 0];
  return low + (high - low) * (index - Math.floor(index));
}

/** Values that k6 exports for samples. */
function trend(values: readonly number[]): Record<string, number> {
  const sorted = values.toSorted((a, b) => a - b);
  const stats = TREND_STATS.flatMap((stat) => {
    const p = /^p\((.*)\)$/.exec(stat)?.[1];
    return p === undefined ? [] : [[stat, percentileOf(sorted, Number(p))] as const];
  });
  const avg = values.reduce((a, b) => a + b, 0) / Math.max(1, values.length);
  const extremes = { min: sorted[0] ?? 0, max: sorted.at(-1) ?? 0 };
  return { ...Object.fromEntries(stats), count: values.length, avg, ...extremes };
}

function summaryOf(latencies: readonly number[], given: Partial<K6Summary> = {}): K6Summary {
  return {
    durationMs: 1000,
    endedMs: START + 1000,
    endpoints: ['/x'],
    metrics: {
      'http_req_duration{slice:s0}': trend(latencies),
      'http_req_duration{slice:s0,status:0}': trend(latencies.filter((ms) => ms === 0)),
      'http_reqs{slice:s0}': { count: latencies.length, rate: latencies.length },
      'http_req_failed{slice:s0}': { rate: 0, passes: 1, fails: latencies.length - 1 },
      'bench_slice_start{slice:s0}': { value: START, min: START, max: START },
      'bench_last_end{slice:s0}': { value: 0, min: 0, max: 0 },
    },
    ...given,
  };
}

const together = (...summaries: K6Summary[]) =>
  mergeSummaries(summaries.map((summary) => ({ summary, aheadMs: 0 })));

describe('mergeSummaries', () => {
  test.each([
    ['alike', [1, 1, 1, 1]],
    ['one far slower', [1, 1, 1, 40]],
    ['shares of all sizes', [0.2, 3, 3, 9]],
  ])('percentiles are those of all requests within one bucket: %s', (_, factors) => {
    const random = makeRandom(5);
    const parts = factors.map((factor, i) =>
      Array.from({ length: 400 * (i + 1) }, () => factor * -Math.log(1 - random()) + 0.1),
    );
    const all = parts.flat().sort((a, b) => a - b);
    const merged = together(...parts.map((part) => summaryOf(part)));
    const { latency, histogram } = readLatency(merged, 'slice:s0');
    expect(total(histogram)).toBe(all.length);
    for (const p of NAMED) {
      const found = latency?.[`p${String(p).replace('.', '_')}Ms` as 'p99Ms'] ?? 0;
      expect(Math.abs(bucketOf(found) - bucketOf(percentileOf(all, p))), `p${p}`).toBeLessThanOrEqual(1);
    }
    expect(latency).toMatchObject({ minMs: all[0], maxMs: all.at(-1) });
    expect(latency?.avgMs).toBeCloseTo(all.reduce((a, b) => a + b, 0) / all.length, 6);
  });

  test('latencies that scatter by less than a bucket are known better than to 1 %', () => {
    const random = makeRandom(6);
    const parts = [1, 1.0005].map((factor) =>
      Array.from({ length: 1000 }, () => 10 * factor * (1 + 0.001 * (random() + random() - 1))),
    );
    const all = parts.flat().sort((a, b) => a - b);
    const { latency } = readLatency(together(...parts.map((part) => summaryOf(part))), 'slice:s0');
    expect(Math.abs((latency?.p50Ms ?? 0) / percentileOf(all, 50) - 1)).toBeLessThan(0.0002);
    expect(Math.abs((latency?.p99Ms ?? 0) / percentileOf(all, 99) - 1)).toBeLessThan(0.0002);
  });

  test('counts add up, and a rate is that of all', () => {
    const { metrics } = together(summaryOf([1, 2, 3]), summaryOf([4, 5]), summaryOf([6]));
    expect(metrics['http_reqs{slice:s0}']).toEqual({ count: 6, rate: 6 });
    expect(metrics['http_req_failed{slice:s0}']).toEqual({ rate: 0.5, passes: 3, fails: 3 });
  });

  test('a generator without requests changes nothing, and refused connections stay out of the latency', () => {
    const merged = together(summaryOf([5, 6, 0, 0]), summaryOf([]), summaryOf([7]));
    const { latency, histogram } = readLatency(merged, 'slice:s0');
    expect(total(histogram)).toBe(3);
    expect(latency?.minMs).toBeGreaterThan(4.9);
    expect(together(summaryOf([]), summaryOf([])).metrics['http_reqs{slice:s0}']?.count).toBe(0);
  });

  test("moments are by the engine's clock", () => {
    const late = summaryOf([1], { durationMs: 500, endedMs: START + 3000 + 1200 });
    late.metrics['bench_slice_start{slice:s0}'] = {
      value: START + 3000,
      min: START + 3000,
      max: START + 3000,
    };
    late.metrics['bench_last_end{slice:s0}'] = { value: START + 4100, min: START + 4100, max: START + 4100 };
    const merged = mergeSummaries([
      { summary: summaryOf([1]), aheadMs: 0 },
      { summary: late, aheadMs: 3000 },
    ]);
    expect(merged).toMatchObject({ endedMs: START + 1200, durationMs: 1200 });
    expect(merged.metrics['bench_slice_start{slice:s0}']).toMatchObject({ min: START });
    // The other had nothing in flight behind the end: its 0 is no moment.
    expect(merged.metrics['bench_last_end{slice:s0}']).toMatchObject({
      min: START + 1100,
      max: START + 1100,
    });
  });

  test("a script's checks and metrics add up", () => {
    const script = (passes: number, values: number[]): NonNullable<K6Summary['script']> => ({
      checks: [{ name: 'ok', group: '', passes, fails: 1 }],
      metrics: [
        { name: 'cart', custom: true, type: 'trend', contains: 'time', values: trend(values) },
        {
          name: 'sold',
          custom: true,
          type: 'counter',
          contains: 'default',
          values: { count: passes, rate: 1 },
        },
      ],
    });
    const merged = together(
      summaryOf([1], { script: script(2, [1, 2]) }),
      summaryOf([1], { script: script(5, [30]) }),
    );
    expect(merged.script?.checks).toEqual([{ name: 'ok', group: '', passes: 7, fails: 2 }]);
    expect(merged.script?.metrics[0]).toMatchObject({ values: { count: 3, min: 1, max: 30 } });
    expect(total(merged.script?.metrics[0]?.histogram ?? [])).toBe(3);
    expect(merged.script?.metrics[1]?.values.count).toBe(7);
  });
});
