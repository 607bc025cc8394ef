import { describe, expect, test } from 'vitest';
import { makeResults } from '../../../test/fixtures/results/make.ts';
import { statistics } from '../../../test/fixtures/statistics/statistics.ts';
import type { Measurement } from '../../results/results.ts';
import { GRID } from '../../run/load/k6.ts';
import { fromPercentiles, type GridPoint, mergeHistograms, percentile } from '../../stats/histogram.ts';
import { makeRandom } from '../../stats/random.ts';
import { logRatios, pairSlices } from './pairs.ts';

/** Two variants, three starts, four blocks. */
function arms(change?: (a: Measurement[], b: Measurement[]) => void): [Measurement[], Measurement[]] {
  const { measurements } = makeResults({
    servers: [
      { id: 'a', rps: 60 },
      { id: 'b', rps: 60 },
    ],
  });
  const of = (id: string) => measurements.filter(({ variant }) => variant === id);
  const both: [Measurement[], Measurement[]] = [of('a'), of('b')];
  change?.(...both);
  return both;
}
const at = (slices: Measurement[], instance: number, block: number) =>
  slices.find((slice) => slice.instance === instance && slice.block === block) as Measurement;
const shape = (pairs: ReturnType<typeof pairSlices>) =>
  pairs.map(({ kept, dropped }) => [kept.length, dropped]);

describe('slices pair up', () => {
  test('by start and block, whatever their order', () => {
    const [a, b] = arms();
    const pairs = pairSlices([...a].reverse(), b);
    expect(pairs.map(({ instance }) => instance)).toEqual([0, 1, 2]);
    expect(shape(pairs)).toEqual([
      [4, 0],
      [4, 0],
      [4, 0],
    ]);
    for (const { instance, kept } of pairs) {
      for (const pair of kept) {
        expect([pair.variant.variant, pair.reference.variant]).toEqual(['a', 'b']);
        expect([pair.variant.instance, pair.reference.instance]).toEqual([instance, instance]);
        expect(pair.variant.block).toBe(pair.reference.block);
      }
    }
  });

  test.each<[string, (slice: Measurement) => void, boolean]>([
    ['foreign CPU', ({ guards }) => Object.assign(guards, { foreignCpuRatio: 0.11 }), true],
    ['foreign CPU at its limit', ({ guards }) => Object.assign(guards, { foreignCpuRatio: 0.1 }), false],
    ['steal', ({ guards }) => Object.assign(guards, { stealRatio: 0.011 }), true],
    ['steal at its limit', ({ guards }) => Object.assign(guards, { stealRatio: 0.01 }), false],
    ['a stall', ({ guards }) => Object.assign(guards, { stallMs: 51 }), true],
    ['a stall at its limit', ({ guards }) => Object.assign(guards, { stallMs: 50 }), false],
    [
      'guards that are not known',
      ({ guards }) => Object.assign(guards, { foreignCpuRatio: null, stealRatio: null, stallMs: null }),
      false,
    ],
    ['a void slice', (slice) => Object.assign(slice, { outcome: 'void' }), true],
    ['a failed slice', (slice) => Object.assign(slice, { outcome: 'failed' }), true],
    ['ten times the RPS', (slice) => Object.assign(slice, { achievedRps: 600 }), false],
    ['ten times the latency', (slice) => Object.assign(slice, { histogram: [[1400, 60]] }), false],
  ])('%s: dropped on either side, in both arms', (_, change, isDropped) => {
    for (const side of [0, 1] as const) {
      const both = arms();
      change(at(both[side], 1, 2));
      expect(shape(pairSlices(...both))).toEqual([[4, 0], isDropped ? [3, 1] : [4, 0], [4, 0]]);
      const kept = pairSlices(...both)[1]?.kept.map((pair) => pair.variant.block);
      expect(kept).toEqual(isDropped ? [0, 1, 3] : [0, 1, 2, 3]);
    }
  });

  test('what only one side has is no pair', () => {
    const [a, b] = arms();
    const cut = b.filter(({ instance, block }) => instance !== 0 && !(instance === 1 && block === 3));
    expect(shape(pairSlices(a, cut))).toEqual([
      [3, 0],
      [4, 0],
    ]);
  });
});

describe('ln(ratio) of a start', () => {
  test('RPS and CPU: mean over the blocks that are left', () => {
    const [a, b] = arms((a, b) => {
      for (const slice of [...a, ...b]) Object.assign(slice, { achievedRps: 100 });
      at(a, 0, 0).achievedRps = 110;
      at(a, 0, 1).achievedRps = 99;
      at(a, 1, 0).achievedRps = 9000;
      at(b, 1, 0).guards.stealRatio = 0.5;
      for (const slice of a)
        slice.cpu = { ...(slice.cpu as object), perRequestUs: 420 } as Measurement['cpu'];
      for (const slice of b)
        slice.cpu = { ...(slice.cpu as object), perRequestUs: 400 } as Measurement['cpu'];
      at(a, 2, 0).cpu = null;
      for (const block of [0, 1, 2, 3]) at(b, 1, block).cpu = null;
    });
    const pairs = pairSlices(a, b);
    expect(logRatios(pairs, 'rps')).toEqual([expect.closeTo((Math.log(1.1) + Math.log(0.99)) / 4, 12), 0, 0]);
    // One block of start 2 and all of start 1 are not known.
    expect(logRatios(pairs, 'cpu')).toEqual([
      expect.closeTo(Math.log(1.05), 12),
      expect.closeTo(Math.log(1.05), 12),
    ]);
  });

  test('memory: of the medians', () => {
    const [a, b] = arms((a, b) => {
      const set = (slices: Measurement[], values: number[]) =>
        slices.forEach((slice, i) => {
          slice.memory = { medianBytes: values[i % 4] as number, maxBytes: 1e9 };
        });
      set(a, [100, 110, 120, 900]);
      set(b, [100, 100, 100, 1]);
    });
    expect(logRatios(pairSlices(a, b), 'memory')[0]).toBeCloseTo(Math.log(1.15), 12);
  });

  test('percentiles: of the kept samples of a start together, never a mean', () => {
    const constant = (ms: number, n: number) =>
      fromPercentiles(
        [
          { p: 0, ms },
          { p: 100, ms },
        ],
        n,
      );
    const [a, b] = arms((a, b) => {
      for (const slice of [...a, ...b]) slice.histogram = constant(1, 900);
      // A 25th of all: the median does not see it, p99 is it; the mean of the slices' p99 would be 25.75 times as high.
      at(a, 0, 0).histogram = mergeHistograms([constant(1, 756), constant(100, 144)]);
      at(a, 1, 0).histogram = constant(100, 900);
      at(a, 1, 0).guards.stallMs = 200;
    });
    const pairs = pairSlices(a, b);
    expect(logRatios(pairs, 'p50').map((value) => Math.abs(value) < 0.005)).toEqual([true, true, true]);
    expect(Math.exp(logRatios(pairs, 'p99')[0] as number)).toBeGreaterThan(98);
    expect(logRatios(pairs, 'p99').slice(1)).toEqual([0, 0]);
  });
});

/** k6's definition. */
const exact = (sorted: readonly number[], p: number) => {
  const index = (p / 100) * (sorted.length - 1);
  const [below, above] = [sorted[Math.floor(index)] as number, sorted[Math.ceil(index)] as number];
  return below + (above - below) * (index - Math.floor(index));
};
/** Numbers that k6 reports for a slice. */
const gridOf = (sorted: readonly number[]): GridPoint[] =>
  [0, ...GRID, 100].map((p) => ({ p, ms: exact(sorted, p) }));

describe('what pooling costs in precision', () => {
  test.each(statistics.pooledPercentiles)("$name: pooled as numpy's percentiles of all samples", (given) => {
    const pooled = mergeHistograms(given.slices.map((slice) => fromPercentiles(gridOf(slice), slice.length)));
    for (const [p, ms] of Object.entries(given.percentiles)) {
      expect(Math.abs((percentile(pooled, Number(p)) as number) / ms - 1)).toBeLessThan(0.01);
    }
  });

  test('buckets of 1 % blur the ratio of two medians by less than 0.1 %', () => {
    const random = makeRandom(11);
    const draw = () =>
      Math.exp(0.3 * Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random()));
    const errors: number[] = [];
    for (let start = 0; start < 60; start++) {
      // True ratios from 0.97 to 1.03, medians anywhere within a bucket.
      const scale = 2 + random();
      const sides = [scale * (0.97 + 0.06 * random()), scale].map((ms) =>
        Array.from({ length: 6 }, () => Array.from({ length: 500 }, () => ms * draw()).sort((x, y) => x - y)),
      );
      const [a, b] = sides.map((slices) => ({
        found: percentile(
          mergeHistograms(slices.map((slice) => fromPercentiles(gridOf(slice), slice.length))),
          50,
        ) as number,
        truth: exact(
          slices.flat().sort((x, y) => x - y),
          50,
        ),
      })) as [{ found: number; truth: number }, { found: number; truth: number }];
      errors.push(Math.log(a.found / b.found) - Math.log(a.truth / b.truth));
    }
    const rms = Math.sqrt(errors.reduce((sum, error) => sum + error * error, 0) / errors.length);
    const bias = errors.reduce((sum, error) => sum + error, 0) / errors.length;
    expect(rms).toBeLessThan(0.001);
    expect(Math.abs(bias)).toBeLessThan(0.0003);
    expect(Math.max(...errors.map(Math.abs))).toBeLessThan(0.003);
  });
});
