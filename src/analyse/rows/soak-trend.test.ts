import { describe, expect, test } from 'vitest';
import { makeResults } from '../../../test/fixtures/results/make.ts';
import type { Measurement, Results, Step } from '../../results/results.ts';
import { ALPHA } from '../../stats/limits.ts';
import { makeRandom } from '../../stats/random.ts';
import { tCritical } from '../../stats/student.ts';
import { analyse } from '../analyse.ts';
import { findTrend, poolSoak, type SteadySlice } from './soak-trend.ts';

const MIB = 2 ** 20;

/** Bytes that memory differs by from what the leak makes it, sample by sample. */
type Noise = (random: () => number) => () => number;

const normal = (random: () => number) =>
  Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
const independent: Noise = (random) => () => 0.2 * MIB * normal(random);
const walk: Noise = (random) => {
  let at = 0;
  return () => {
    at += 0.05 * MIB * normal(random);
    return at;
  };
};
/** Noise that is correlated for half a minute. */
const slow: Noise = (random) => {
  let at = 0;
  return () => {
    at = 0.985 * at + 0.1 * MIB * normal(random);
    return at;
  };
};
/** Workers that are started anew one after the other, as with max-requests. */
const sawtooth: Noise = (random) => {
  const period = 40 + Math.floor(30 * random());
  let at = Math.floor(period * random());
  return () => ((at++ % period) * 2 * MIB) / period + 0.05 * MIB * normal(random);
};
/** A level that is reached within the first fifth. */
const filling: Noise = (random) => {
  let i = 0;
  return () => 8 * MIB * (1 - Math.exp(-i++ / 40)) + 0.05 * MIB * normal(random);
};
const steps: Noise = (random) => {
  let at = 0;
  return () => {
    if (random() < 0.01) at += 0.2 * MIB * normal(random);
    return at;
  };
};

interface Soaked {
  bytesPerRequest: number;
  noise: Noise;
  minutes?: number;
  starts?: number;
  /** RPS at the end ÷ at the begin. */
  decay?: number;
  seed: number;
}

/** Ten steps of load by eight clients. */
function soak({ bytesPerRequest, noise, minutes = 10, starts = 1, decay = 1, seed }: Soaked): Results {
  const random = makeRandom(seed);
  return makeResults({
    servers: [{ id: 'a@8.4', rps: 100 }],
    instances: starts,
    scenario: { name: 'soak', blocks: 1 },
    change(results) {
      for (const slice of results.measurements) Object.assign(slice, within(noise(random)));
    },
  });
  function within(next: () => number): Partial<Measurement> {
    const stepMs = minutes * 6000;
    const done = Array.from({ length: 10 }, (_, i) => {
      const rps = 300 * (1 + ((decay - 1) * (i + 0.5)) / 10) * (1 + 0.01 * normal(random));
      return {
        ...{ offsetMs: i * stepMs, durationMs: stepMs, offeredRps: null, vus: 8, failures: 0, dropped: 0 },
        ...{ requests: Math.round((rps * stepMs) / 1000), latency: null },
      };
    });
    const requests = done.reduce((sum, step) => sum + step.requests, 0);
    let grown = 0;
    const series = Array.from({ length: minutes * 120 }, (_, i) => {
      const step = done[Math.floor((i * 500) / stepMs)] as (typeof done)[number];
      grown += (step.requests * 500 * bytesPerRequest) / stepMs;
      const memoryBytes = Math.round(60 * MIB + grown + next());
      return { atMs: (i + 1) * 500, cpuUs: 1, memoryBytes, processes: 9, throttledUs: 0 };
    });
    return { durationMs: minutes * 60_000, turnMs: null, steps: done, series, requests, okCount: requests };
  }
}

const find = (results: Results) => analyse(results).scenarios[0]?.rows[0]?.soak;
const noises = { independent, walk, slow, sawtooth, filling, steps };

describe.each(Object.entries(noises))('with noise that is %s', (_, noise) => {
  test('no leak is flagged in twenty runs without one', () => {
    const flagged = Array.from({ length: 20 }, (_, seed) =>
      find(soak({ bytesPerRequest: 0, noise, seed: seed + 1 })),
    ).filter((found) => found?.leaks);
    expect(flagged).toEqual([]);
  });

  test('a leak of 200 bytes a request is flagged, and found within a tenth', () => {
    for (let seed = 1; seed <= 10; seed++) {
      const found = find(soak({ bytesPerRequest: 200, noise, seed }));
      expect(found?.leaks).toBe(true);
      expect(found?.bytesPerThousand.value).toBeGreaterThan(180_000);
      expect(found?.bytesPerThousand.value).toBeLessThan(220_000);
    }
  });
});

test('of a random walk without a leak 1 % at most are called one', () => {
  const runs = Array.from({ length: 400 }, (_, seed) =>
    find(soak({ bytesPerRequest: 0, noise: walk, minutes: 2, seed: seed + 1000 })),
  );
  const flagged = runs.filter((found) => found?.leaks).length;
  expect(runs.every((found) => found)).toBe(true);
  expect(flagged).toBeLessThanOrEqual(4);
});

test('nor of one with few samples, as where the load is short and the machine is busy', () => {
  const flagged = Array.from({ length: 1000 }, (_, seed) => {
    const next = walk(makeRandom(seed + 1));
    const { value, error, df } = findTrend(
      Array.from({ length: 16 }, (_, x) => ({ x, y: next() })),
    ) as NonNullable<ReturnType<typeof findTrend>>;
    return value - tCritical(ALPHA, df) * error > 0;
  }).filter(Boolean).length;
  expect(flagged).toBeLessThanOrEqual(10);
  expect(findTrend(Array.from({ length: 15 }, (_, x) => ({ x, y: x })))).toBeNull();
});

test('where the rate is only known as a whole, the CPU of the server shows when the requests were made', () => {
  // Twice as many in the second half, with twice the CPU.
  const results = soak({ bytesPerRequest: 200, noise: independent, seed: 1 });
  for (const slice of results.measurements) {
    const half = slice.durationMs / 2;
    let grown = 0;
    for (const sample of slice.series) {
      sample.cpuUs = sample.atMs <= half ? 1000 : 2000;
      grown += (slice.requests * 200 * (sample.atMs <= half ? 2 / 3 : 4 / 3)) / slice.series.length;
      sample.memoryBytes = Math.round(60 * MIB + grown);
    }
    slice.steps = [{ ...(slice.steps[0] as Step), durationMs: slice.durationMs, requests: slice.requests }];
  }
  expect((find(results)?.bytesPerThousand.value as number) / 200_000).toBeCloseTo(1, 2);
  for (const { series } of results.measurements) for (const sample of series) sample.cpuUs = 0;
  expect((find(results)?.bytesPerThousand.value as number) / 200_000).toBeGreaterThan(1.1);
});

test('several starts make it surer', () => {
  const half = (starts: number) =>
    find(soak({ bytesPerRequest: 20, noise: walk, starts, seed: 5 }))?.bytesPerThousand.half as number;
  expect(half(4)).toBeLessThan(0.7 * half(1));
});

test('nor of several starts, where the noise of one exceeds that of all others', () => {
  const short = (next: () => number): SteadySlice => ({
    ...{ durationMs: 20_000, turnMs: null, requests: 16, steps: [] },
    steps: [{ offsetMs: 0, durationMs: 20_000, offeredRps: null, vus: 8, requests: 16, failures: 0 }],
    series: Array.from({ length: 16 }, (_, i) => ({ atMs: i * 1250, cpuUs: 1, memoryBytes: next() })),
  });
  const flagged = Array.from({ length: 1000 }, (_, seed) => {
    const random = makeRandom(seed + 1);
    const quiet = Array.from({ length: 5 }, () => walk(random)).map((next) => () => next() / 1000);
    return poolSoak([walk(random), ...quiet].map(short), 'open')?.leaks;
  });
  expect(flagged).not.toContain(undefined);
  expect(flagged.filter(Boolean).length).toBeLessThanOrEqual(10);
});

test('a memory that never changes has an interval of no width', () => {
  const constant = find(soak({ bytesPerRequest: 0, noise: () => () => 0, starts: 2, seed: 1 }));
  expect(constant?.bytesPerThousand).toEqual({ value: 0, half: 0 });
});

test('RPS that falls is reported as a share of all of it, with its interval', () => {
  const { decay } = find(soak({ bytesPerRequest: 0, noise: independent, decay: 0.8, seed: 3 })) ?? {};
  expect(decay?.value).toBeGreaterThan(-0.26);
  expect(decay?.value).toBeLessThan(-0.19);
  expect((decay?.value as number) + (decay?.half as number)).toBeLessThan(0);
  const steady = find(soak({ bytesPerRequest: 0, noise: independent, seed: 3 }))?.decay;
  expect(Math.abs(steady?.value as number)).toBeLessThan(steady?.half as number);
});

test('short slices and ramps are no soak', () => {
  expect(find(makeResults({ servers: [{ id: 'a@8.4', rps: 100 }] }))).toBeNull();
  const results = soak({ bytesPerRequest: 0, noise: independent, seed: 1 });
  for (const { steps } of results.measurements) for (const [i, step] of steps.entries()) step.vus = i + 1;
  expect(find(results)).toBeNull();
});
