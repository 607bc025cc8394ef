import { describe, expect, test } from 'vitest';
import {
  bucketOf,
  fromPercentiles,
  type GridPoint,
  mergeHistograms,
  percentile,
  readTogether,
  total,
} from './histogram.ts';

/** Small seeded generator (mulberry32): the same numbers in every run. */
function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

/** k6's definition (TrendSink.P). */
function exact(sorted: readonly number[], p: number): number {
  const index = (p / 100) * (sorted.length - 1);
  const below = sorted[Math.floor(index)] as number;
  const above = sorted[Math.ceil(index)] as number;
  return below + (above - below) * (index - Math.floor(index));
}

/** About a thousand points, finer above p99, with minimum and maximum: what a slice keeps of its samples. */
function grid(sorted: readonly number[]): GridPoint[] {
  const ps: number[] = [];
  for (let i = 0; i <= 990; i++) ps.push(i / 10);
  for (let i = 1; i <= 100; i++) ps.push(99 + i / 100);
  return ps.map((p) => ({ p, ms: exact(sorted, p) }));
}

const distributions: Record<string, (draw: () => number) => number> = {
  uniform: (draw) => 1 + 9 * draw(),
  exponential: (draw) => 0.2 - 5 * Math.log(1 - draw()),
  lognormal: (draw) => Math.exp(0.8 * Math.sqrt(-2 * Math.log(1 - draw())) * Math.cos(2 * Math.PI * draw())),
  'two peaks': (draw) => (draw() < 0.9 ? 2 + draw() * 0.2 : 50 + draw() * 5),
  'heavy tail': (draw) => 0.5 * (1 - draw()) ** (-1 / 1.5),
  constant: () => 4.2,
};

const samples = (kind: keyof typeof distributions, n: number, seed: number) => {
  const draw = random(seed);
  return Array.from({ length: n }, () => (distributions[kind] as (draw: () => number) => number)(draw));
};
const ascending = (values: readonly number[]) => [...values].sort((a, b) => a - b);

describe('buckets', () => {
  test('bucket i holds (0.001·1.01^(i−1), 0.001·1.01^i] ms', () => {
    for (const i of [1, 2, 17, 463, 926, 1389]) {
      const upper = 0.001 * 1.01 ** i;
      expect(bucketOf(upper)).toBe(i);
      expect(bucketOf(upper * 1.0001)).toBe(i + 1);
      expect(bucketOf(upper / 1.0001)).toBe(i);
    }
  });
  test('nothing at all (a refused connection) goes to the lowest bucket', () => {
    expect(bucketOf(0)).toBe(0);
    expect(bucketOf(0.001)).toBe(0);
  });
});

describe('from percentiles back to counts', () => {
  test.each(Object.keys(distributions))('the total is exactly n: %s', (kind) => {
    for (const n of [1, 2, 3, 7, 99, 1000, 1091, 1092, 4999, 20_011]) {
      expect(total(fromPercentiles(grid(ascending(samples(kind, n, n))), n))).toBe(n);
    }
  });

  test('with fewer samples than grid points every sample lands in its own bucket', () => {
    const values = ascending(samples('exponential', 11, 3));
    const counts = mergeHistograms(values.map((ms) => [[bucketOf(ms), 1]]));
    expect(fromPercentiles(grid(values), 11)).toEqual(counts);
  });

  // The bucket alone decides if samples are dense: 1 %.
  test.each(['uniform', 'exponential', 'lognormal', 'heavy tail', 'constant'])(
    'one slice: p50…p99 within 1 %%, p99.9 within 5 %%: %s',
    (kind) => {
      for (const n of [1000, 5000, 20_000]) {
        const values = ascending(samples(kind, n, 7 + n));
        const histogram = fromPercentiles(grid(values), n);
        for (const p of [50, 66, 75, 80, 85, 90, 95, 98, 99]) {
          expect(Math.abs((percentile(histogram, p) as number) / exact(values, p) - 1)).toBeLessThan(0.01);
        }
        expect(Math.abs((percentile(histogram, 99.9) as number) / exact(values, 99.9) - 1)).toBeLessThan(
          0.05,
        );
      }
    },
  );

  test.each(Object.keys(distributions))(
    '20 slices pooled: p50…p99 within 1 %%, p99.9 within 5 %%: %s',
    (kind) => {
      const slices = Array.from({ length: 20 }, (_, i) => samples(kind, 1500 + 13 * i, 100 + i));
      const pooled = ascending(slices.flat());
      const histogram = mergeHistograms(
        slices.map((slice) => fromPercentiles(grid(ascending(slice)), slice.length)),
      );
      expect(total(histogram)).toBe(pooled.length);
      for (const p of [50, 75, 95, 98, 99]) {
        expect(Math.abs((percentile(histogram, p) as number) / exact(pooled, p) - 1)).toBeLessThan(0.01);
      }
      expect(Math.abs((percentile(histogram, 99.9) as number) / exact(pooled, 99.9) - 1)).toBeLessThan(0.05);
    },
  );

  test('a grid without its ends still gives n', () => {
    expect(total(fromPercentiles([{ p: 50, ms: 3 }], 10))).toBe(10);
    expect(
      total(
        fromPercentiles(
          [
            { p: 10, ms: 1 },
            { p: 90, ms: 3 },
          ],
          1000,
        ),
      ),
    ).toBe(1000);
  });

  test('no samples, no counts; samples without a grid are a mistake', () => {
    expect(fromPercentiles([], 0)).toEqual([]);
    expect(() => fromPercentiles([], 5)).toThrow(RangeError);
    expect(() => fromPercentiles([{ p: 50, ms: Number.NaN }], 5)).toThrow(RangeError);
    expect(() => fromPercentiles([{ p: 50, ms: 1 }], 1.5)).toThrow(RangeError);
  });
});

describe('merging', () => {
  const parts = [1, 2, 3].map((seed) => {
    const values = ascending(samples('lognormal', 500 * seed, seed));
    return fromPercentiles(grid(values), values.length);
  });
  test('keeps every count, in any order', () => {
    expect(total(mergeHistograms(parts))).toBe(3000);
    expect(mergeHistograms(parts)).toEqual(mergeHistograms([...parts].reverse()));
    expect(mergeHistograms([mergeHistograms(parts.slice(0, 2)), parts[2] as never])).toEqual(
      mergeHistograms(parts),
    );
  });
  test('leaves its inputs alone', () => {
    const before = structuredClone(parts);
    mergeHistograms(parts);
    expect(parts).toEqual(before);
  });
  test('a pooled percentile is not the mean of the percentiles', () => {
    // Nine quiet slices and one with a stall: the mean of the p99s says 11 ms, the truth is 101 ms.
    const quiet = Array.from({ length: 9 }, () =>
      fromPercentiles(
        [
          { p: 0, ms: 1 },
          { p: 100, ms: 1 },
        ],
        900,
      ),
    );
    const stalled = fromPercentiles(
      [
        { p: 0, ms: 101 },
        { p: 100, ms: 101 },
      ],
      900,
    );
    const all = [...quiet, stalled];
    const mean = all.reduce((sum, h) => sum + (percentile(h, 99) as number), 0) / all.length;
    expect(mean).toBeLessThan(12);
    expect(percentile(mergeHistograms(all), 99)).toBeGreaterThan(100);
  });
  test('nothing merged has no percentile', () => {
    expect(percentile(mergeHistograms([]), 99)).toBeNull();
  });
});

describe('several slices, each with percentiles that are known', () => {
  const NAMED = [0, 50, 66, 75, 80, 85, 90, 95, 98, 99, 99.9, 99.99, 100];
  const distribution = (values: readonly number[]) => {
    const sorted = ascending(values);
    return {
      histogram: fromPercentiles(grid(sorted), sorted.length),
      known: NAMED.map((p) => ({ p, ms: exact(sorted, p) })),
    };
  };
  const worst = (slices: readonly number[][]) => {
    const all = ascending(slices.flat());
    const read = readTogether(slices.map(distribution));
    return Math.max(...[50, 75, 95, 99].map((p) => Math.abs((read(p) as number) / exact(all, p) - 1)));
  };

  test.each(Object.keys(distributions))('one alone is exact: %s', (kind) => {
    const values = samples(kind, 777, 5);
    const read = readTogether([distribution(values)]);
    for (const p of NAMED) expect(read(p)).toBe(exact(ascending(values), p));
  });

  test.each(Object.keys(distributions))('20 of them within 0.5 %%: %s', (kind) => {
    const slices = Array.from({ length: 20 }, (_, i) => samples(kind, 1500 + 13 * i, 100 + i));
    expect(worst(slices)).toBeLessThan(0.005);
  });

  test.each([
    ['in the middle of a bucket', 0.5],
    ['at its edge', 0],
  ])('latencies within 0.2 %% are read within 0.02 %%: %s', (_, place) => {
    const draw = random(3);
    const middle = 0.001 * 1.01 ** (926 + place);
    const slices = [0.9995, 1, 1.0005].map((factor) =>
      Array.from({ length: 1000 }, () => middle * factor * (1 + 0.001 * (draw() + draw() - 1))),
    );
    expect(worst(slices)).toBeLessThan(0.0002);
  });

  test('latencies that are all equal are read as they are', () => {
    const slices = [500, 900].map((n) => distribution(new Array<number>(n).fill(4.2)));
    expect(readTogether(slices)(50)).toBeCloseTo(4.2, 5);
  });

  test('nothing has no percentile', () => {
    expect(readTogether([])(50)).toBeNull();
    expect(readTogether([{ histogram: [], known: [{ p: 50, ms: 3 }] }])(50)).toBeNull();
  });
});
