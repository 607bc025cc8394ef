import { probit } from 'simple-statistics';
import { expect, test } from 'vitest';
import { makeResults } from '../../../test/fixtures/results/make.ts';
import type { Latency, Measurement } from '../../results/results.ts';
import { NAMED } from '../../run/load/k6.ts';
import { fromPercentiles } from '../../stats/histogram.ts';
import { makeRandom } from '../../stats/random.ts';
import { judge, type PairedTest, testPairs } from '../../stats/verdict.ts';
import { logRatios, pairSlices } from './pairs.ts';

/**
 * Answers after a fixed wait: all latencies of a start lie within one or two buckets of 1 %. How often does a comparison
 * of made-up slices miss the true change? Seeded: the same numbers in every run.
 */

const RUNS = 400;
const REQUESTS = 1000;

interface Spread {
  /** SD of ln(latency) between starts of a variant, slices of a start, and requests of a slice. */
  starts: number;
  slices: number;
  requests: number;
}

interface Design {
  spread: Spread;
  starts: number;
  blocks: number;
}

const clamp = (p: number, margin: number) => Math.min(Math.max(p, margin), 1 - margin);

/** Percentiles that are known of a slice, each with its place in a normal distribution. */
const PLACES = [...new Set([...Array.from({ length: 101 }, (_, p) => p), ...NAMED])]
  .sort((a, b) => a - b)
  .map((p) => ({ p, z: probit(clamp(p / 100, 0.5 / REQUESTS)) }));

/** A slice with log-normal latencies around `medianMs`. */
function makeSlice(slice: Measurement, medianMs: number, sd: number): Measurement {
  const grid = PLACES.map(({ p, z }) => ({ p, ms: medianMs * Math.exp(sd * z) }));
  const known = new Map(grid.map(({ p, ms }) => [p, ms]));
  const named = NAMED.map((p) => [`p${p}Ms`.replace('.', '_'), known.get(p)]);
  const latency = {
    minMs: known.get(0),
    avgMs: medianMs,
    maxMs: known.get(100),
    ...Object.fromEntries(named),
  };
  return { ...slice, latency: latency as Latency, histogram: fromPercentiles(grid, REQUESTS) };
}

const template = makeResults({ servers: [{ id: 'a', rps: 60 }] }).measurements[0] as Measurement;

/** Two variants whose medians lie anywhere in a bucket; one takes `effect` more, as ln(ratio). */
function compare(
  { spread, starts, blocks }: Design,
  effect: number,
  metric: 'p50' | 'p95',
  random: () => number,
) {
  const normal = () => probit(clamp(random(), 1e-9));
  const base = 10 * 1.01 ** random();
  const make = (medianMs: number) =>
    Array.from({ length: starts }, (_, instance) => {
      const startMs = medianMs * Math.exp(spread.starts * normal());
      return Array.from({ length: blocks }, (_, block) =>
        makeSlice(
          { ...template, instance, block },
          startMs * Math.exp(spread.slices * normal()),
          spread.requests,
        ),
      );
    }).flat();
  const pairs = pairSlices(make(base * Math.exp(effect)), make(base));
  return testPairs(logRatios(pairs, metric)) as PairedTest;
}

/** How many comparisons miss the truth with their interval, and how many find a difference, in per cent. */
function simulate(design: Design, effect: number, metric: 'p50' | 'p95', seed: number) {
  const random = makeRandom(seed);
  const found = { missed: 0, different: 0 };
  for (let run = 0; run < RUNS; run++) {
    const result = compare(design, effect, metric, random);
    const { low, high } = result.interval as { low: number; high: number };
    if (Math.exp(effect) < low || Math.exp(effect) > high) found.missed++;
    const { verdict } = judge(result, result.p ?? 1, false);
    if (verdict === 'faster' || verdict === 'slower') found.different++;
  }
  return { missed: (100 * found.missed) / RUNS, different: (100 * found.different) / RUNS };
}

const designs: [string, Design, 'p50' | 'p95'][] = [
  {
    name: 'nothing scatters',
    spread: { starts: 0.0005, slices: 0.0002, requests: 0.0005 },
  },
  { name: 'requests scatter', spread: { starts: 0.001, slices: 0.0005, requests: 0.002 } },
  { name: 'slices scatter', spread: { starts: 0.001, slices: 0.002, requests: 0.0005 } },
].flatMap(({ name, spread }) => [
  [`${name}, p50, 4 starts of a slice`, { spread, starts: 4, blocks: 1 }, 'p50'],
  [`${name}, p50, 6 starts of 3 slices`, { spread, starts: 6, blocks: 3 }, 'p50'],
  [`${name}, p95, 6 starts of 3 slices`, { spread, starts: 6, blocks: 3 }, 'p95'],
]);

test.each(designs)('latencies within a bucket or two, %s', (_, design, metric) => {
  const equal = simulate(design, 0, metric, 1);
  expect(equal.different, 'equal: a difference').toBeLessThanOrEqual(1.2);
  expect(equal.missed, 'equal: missed').toBeLessThanOrEqual(2.5);
  const slightly = simulate(design, 0.004, metric, 2);
  expect(slightly.missed, '0.4 %: missed').toBeLessThanOrEqual(2.5);
  expect(slightly.different, '0.4 %: a difference of 1 %').toBeLessThanOrEqual(1.2);
  const slower = simulate(design, 0.02, metric, 3);
  expect(slower.missed, '2 %: missed').toBeLessThanOrEqual(2.5);
  expect(slower.different, '2 %: found').toBeGreaterThanOrEqual(95);
});
