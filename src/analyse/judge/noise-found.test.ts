import { describe, expect, it } from 'vitest';
import { makeResults, type Server } from '../../../test/fixtures/results/make.ts';
import { compare } from './compare.ts';
import { findableAmid, measureNoise } from './noise-found.ts';

/** A variant and its twin, the same except for noise. */
function noiseOf(server: Partial<Server>, instances = 60) {
  const results = makeResults({
    servers: [{ id: 'apache@8.4', rps: 2000, base: {}, ...server }],
    instances,
    seed: 7,
    compareTo: {},
  });
  return Object.fromEntries(measureNoise(results, compare(results)).map((noise) => [noise.metric, noise]));
}

describe('the noise of a machine', () => {
  it('is split into what starts and what slices add', () => {
    const { rps } = noiseOf({ instanceSd: 0.004, sliceSd: 0.02 });
    expect(rps?.pairs).toBe(60);
    // Each side varies by itself, so a ratio varies √2 times as much.
    expect(rps?.slice).toBeGreaterThan(0.02 * Math.SQRT2 * 0.85);
    expect(rps?.slice).toBeLessThan(0.02 * Math.SQRT2 * 1.15);
    expect(rps?.start).toBeLessThan(0.012);
    const starts = noiseOf({ instanceSd: 0.03, sliceSd: 0.002 }).rps;
    expect(starts?.start).toBeGreaterThan(0.03 * Math.SQRT2 * 0.8);
    expect(starts?.start).toBeLessThan(0.03 * Math.SQRT2 * 1.2);
  });

  it('of percentiles is not split, as they are pooled over the slices of a start', () => {
    expect(noiseOf({}).p99?.slice).toBeNull();
  });

  it('shows what so many starts and blocks would find', () => {
    const noise = { metric: 'cpu' as const, pairs: 10, start: 0.004, slice: 0.01, comparison: null as never };
    const few = findableAmid(noise, 6, 1) as number;
    expect(findableAmid(noise, 24, 1)).toBeLessThan(few);
    expect(findableAmid(noise, 6, 8)).toBeLessThan(few);
    expect(findableAmid(noise, 3, 8)).toBeNull();
  });
});
