import { describe, expect, test } from 'vitest';
import { capacityOf, loadQueue, type Queue } from '../../../test/fixtures/queue.ts';
import { makeProfile } from '../../../test/fixtures/results/profile.ts';
import type { Measurement, ScenarioFacts, Step } from '../../results/results.ts';
import { makeRandom } from '../../stats/random.ts';
import { analyse } from '../analyse.ts';
import { outcomeOf } from '../outcome.ts';
import { findKnee, type Knee, type Level, levelsOf, offeredBy } from './knee.ts';

/** Thirty levels from 10 to 300. */
const ramped = (held: (offered: number) => boolean): Level[] =>
  Array.from({ length: 30 }, (_, i) => (i + 1) * 10).map((offered) => ({
    ...{ offered, served: offered, held: held(offered), short: false, weight: 1 },
  }));

describe('the split that the fewest levels contradict', () => {
  test('lies below the first of all that were not held', () => {
    expect(findKnee(ramped((offered) => offered <= 150))).toEqual({
      ...{ kind: 'found', rps: 150, low: 140, high: 170 },
    });
  });
  test('is moved neither by a level that stalls nor by one that is lucky', () => {
    expect(findKnee(ramped((offered) => offered <= 150 && offered !== 60))?.rps).toBe(150);
    expect(findKnee(ramped((offered) => offered <= 150 || offered === 240))?.rps).toBe(150);
  });
  test('is in the middle of what cannot be separated, and has how far that reaches', () => {
    const knee = findKnee(ramped((offered) => offered <= 140 || offered === 160));
    expect(knee).toEqual({ kind: 'found', rps: 150, low: 130, high: 180 });
  });
  test('is no knee for one bad level at the end, nor for a single good one', () => {
    expect(findKnee(ramped((offered) => offered < 300))?.kind).toBe('beyond');
    expect(findKnee(ramped((offered) => offered < 290))?.kind).toBe('found');
    expect(findKnee(ramped((offered) => offered === 10))?.kind).toBe('below');
  });
  test('a long level weighs as much as its time', () => {
    const levels = ramped(() => true);
    expect(findKnee([...levels, { ...(levels[29] as Level), held: false, weight: 60 }])?.kind).toBe('found');
  });
  test('needs a ramp', () => {
    expect(findKnee(ramped(() => true).slice(0, 3))).toBeNull();
    expect(findKnee([])).toBeNull();
  });
});

describe('a server of known capacity', () => {
  const ratio = (load: string, queue: Queue, slo = {}) => {
    const knee = findKnee(levelsOf(loadQueue(load, queue), slo)) as Knee;
    return { ...knee, ratio: knee.rps / capacityOf(queue) };
  };
  const meanOf = (values: number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;

  test.each([
    ['line(1, 160, 30s)', 4, 50],
    ['line(1, 300, 60s)', 16, 100],
    ['line(1, 1000, 60s)', 8, 20],
    ['line(1, 1000, 5m)', 16, 40],
    ['line(1, 2000, 60s)', 16, 10],
    ['step(5, 100, 5, 10s)', 4, 66],
    ['step(5, 100, 5, 10s) const(100, 60s)', 4, 66],
    ['line(10, 300, 60s) line(300, 10, 60s)', 8, 50],
  ])('%s on %d workers of %d ms: within a twentieth', (load, workers, serviceMs) => {
    for (const maxVus of [200, 500]) {
      const found = ratio(load, { workers, serviceMs, maxVus });
      expect(found.kind).toBe('found');
      expect(found.ratio).toBeGreaterThan(0.95);
      expect(found.ratio).toBeLessThan(1.05);
    }
  });

  test.each([
    [16, 100],
    [16, 40],
    [8, 20],
  ])('M/M/%d, %d ms on average: within a twentieth over ten ramps', (workers, serviceMs) => {
    const random = makeRandom(11);
    const queue = { workers, serviceMs, exponential: true, maxVus: 300, random };
    const load = `line(1, ${Math.round(2 * capacityOf(queue))}, 2m)`;
    const mean = meanOf(Array.from({ length: 10 }, () => ratio(load, queue).ratio));
    expect(mean).toBeGreaterThan(0.95);
    expect(mean).toBeLessThan(1.05);
  });

  test('stalls of half a second now and then move nothing', () => {
    const stalls = [4, 13, 20, 41, 57].map((seconds) => ({ atMs: seconds * 1000, ms: 500 }));
    const queue = { workers: 8, serviceMs: 20, maxVus: 500 };
    const calm = ratio('line(1, 800, 60s)', queue, { p99Ms: 200 });
    const found = ratio('line(1, 800, 60s)', { ...queue, stalls }, { p99Ms: 200 });
    expect(Math.abs(found.rps / calm.rps - 1)).toBeLessThan(0.05);
  });

  test('with too few clients the knee would be theirs: it is a lower bound', () => {
    // A request takes 133 ms, and k6 has clients for a tenth of a second of the rate.
    const found = ratio('line(1, 1000, 10m)', { workers: 16, serviceMs: 133, clientSeconds: 0.1 });
    expect(found.kind).toBe('beyond');
    expect(found.ratio).toBeLessThan(1.05);
    expect(found.ratio).toBeGreaterThan(0.8);
  });

  test('a criterion for latency is part of it', () => {
    // D/M/1, as k6 sends evenly: p95 is −ln(0.05) ÷ μ(1 − σ) where σ = exp(−μ(1 − σ) ÷ λ).
    const queue = { workers: 1, serviceMs: 5, exponential: true, maxVus: 500, random: makeRandom(5) };
    const p95Ms = 60;
    const left = -Math.log(0.05) / (p95Ms / 1000);
    const limit = -left / Math.log(1 - left / 200);
    const found = Array.from({ length: 10 }, () => ratio('line(10, 250, 10m)', queue, { p95Ms }).rps);
    expect(meanOf(found) / limit).toBeGreaterThan(0.95);
    expect(meanOf(found) / limit).toBeLessThan(1.05);
  });

  test('what fails in time is not held', () => {
    const slice = loadQueue('line(1, 160, 60s)', { workers: 4, serviceMs: 50, maxVus: 400 });
    for (const step of slice.steps) step.failures = (step.offeredRps as number) > 40 ? step.requests : 0;
    expect(findKnee(levelsOf(slice, {}))?.rps).toBeCloseTo(39, 0);
  });

  test('what a script leaves out after a wrong answer was offered', () => {
    const ramp = (isWrong: (step: Step) => boolean) => {
      const slice = loadQueue('step(2, 160, 2, 1s)', { workers: 4, serviceMs: 50, maxVus: 400 });
      for (const step of slice.steps) {
        // Four requests, or the first one alone.
        if (isWrong(step)) step.failures = step.requests;
        else step.requests *= 4;
      }
      return { ...slice, requests: slice.steps.reduce((sum, { requests }) => sum + requests, 0) };
    };
    const half = ramp(({ offeredRps }) => (offeredRps as number) > 40);
    expect(findKnee(levelsOf(half, {}))).toMatchObject({ kind: 'found', rps: 160 });
    // Six iterations show too little: those of all steps count.
    const most = ramp(({ offeredRps }) => (offeredRps as number) > 4);
    expect(offeredBy(most, most.steps[0] as Step)).toBe((2 * most.requests) / most.iterations);
  });
});

describe('of all starts', () => {
  const [scenario] = analyse(
    makeProfile({
      servers: [
        { id: 'apache@8.4', label: 'apache', rps: 1, capacity: 520 },
        { id: 'nginx-fpm@8.4', label: 'nginx-fpm', rps: 1, capacity: 640 },
        { id: 'swoole@8.4', label: 'swoole', rps: 1, capacity: 1400 },
      ],
      instances: 4,
    }),
  ).scenarios;
  const row = (label: string) => scenario?.rows.find((found) => found.label === label);

  test('its interval is over the starts, and no narrower than the levels', () => {
    const { holds } = row('apache') ?? {};
    expect(holds).toMatchObject({ kind: 'found', over: 'instances', n: 4, ramps: 4, isWhole: false });
    expect(holds?.value).toBeGreaterThan(490);
    expect(holds?.value).toBeLessThan(546);
    expect(holds?.half).toBeGreaterThan(1000 / 60 / 2);
    expect(holds?.half).toBeLessThan(60);
  });

  test('ranks the ramp, and who held all of it is ahead', () => {
    expect(scenario?.metric).toBe('holds');
    expect(scenario?.rows.map(({ label, state }) => [label, state])).toEqual([
      ['swoole', { kind: 'ranked', rank: 1, shared: false }],
      ['nginx-fpm', { kind: 'ranked', rank: 2, shared: false }],
      ['apache', { kind: 'ranked', rank: 3, shared: false }],
    ]);
    expect(scenario?.best).toBe('swoole@8.4');
    expect(row('swoole')?.holds).toMatchObject({ kind: 'beyond', half: null, isWhole: true });
  });

  test('one start that gave in early counts, though all others held the ramp to its end', () => {
    const ramps = (capacity: number) =>
      makeProfile({
        servers: [
          { id: 'mostly', rps: 1, capacity },
          { id: 'always', rps: 1, capacity: 640 },
        ],
        instances: 4,
      });
    const results = ramps(1400);
    Object.assign(results.plan.scenarios[0]?.slo as object, { p95Ms: 100 });
    // All of it was answered, but late.
    for (const slice of ramps(500).measurements) {
      if (slice.variant !== 'mostly' || slice.instance !== 0) continue;
      const steps = slice.steps.map((step) => ({
        ...{ ...step, failures: 0, dropped: 0 },
        requests: Math.round(step.offeredRps as number),
      }));
      const requests = steps.reduce((sum, step) => sum + step.requests, 0);
      const early = { ...slice, steps, requests, okCount: requests, iterations: requests, dropped: 0 };
      const at = results.measurements.findIndex((other) => other.slice === slice.slice);
      results.measurements[at] = { ...early, errors: [] };
    }
    const [found] = analyse(results).scenarios;
    const holds = found?.rows.find(({ variant }) => variant === 'mostly')?.holds;
    expect(holds).toMatchObject({ kind: 'beyond', ramps: 4, half: expect.any(Number) });
    expect(holds?.value).toBeGreaterThan(700);
    expect(found?.rows.map(({ state }) => state)).toMatchObject([
      { kind: 'ranked', rank: 1, shared: true },
      { kind: 'ranked', rank: 1, shared: true },
    ]);
  });

  test('percentiles up to it are of those levels alone', () => {
    const { holds, requests } = row('apache') ?? {};
    expect(holds?.upTo?.okRatio).toBeGreaterThan(0.99);
    expect(holds?.upTo?.requests).toBeLessThan(0.6 * (requests as number));
    expect(holds?.upTo?.latency?.samples).toBe(holds?.upTo?.requests);
  });

  test('criteria define it, and are judged up to it: that a ramp exceeds them beyond is no miss', () => {
    const missed = (
      capacity: number,
      slo: ScenarioFacts['slo'],
      change: (step: Step) => void = () => {},
      isBound = false,
    ) => {
      const results = makeProfile({ servers: [{ id: 'a', rps: 1, capacity }], instances: 4 });
      Object.assign(results.plan.scenarios[0] as object, { slo });
      for (const { steps, generator } of results.measurements) {
        steps.forEach(change);
        generator.bound = isBound;
      }
      const summary = analyse(results);
      const [{ holds, sloMissed } = {}] = summary.scenarios[0]?.rows ?? [];
      const warned = summary.warnings.some(({ code }) => code === 'slo-missed');
      expect([outcomeOf(summary).code, warned]).toEqual(sloMissed?.length ? [1, true] : [0, false]);
      return [holds?.kind, sloMissed];
    };
    const slo = { okRatio: 0.99, p95Ms: 100, p99Ms: 200 };
    expect(missed(520, slo)).toEqual(['found', []]);
    // A second of the ramp in which all were late moves no saturation point, but p99 up to there.
    const stall = ({ offsetMs, latency }: Step) => {
      if (!latency || offsetMs !== 12_000) return;
      for (const [key, ms] of Object.entries(latency)) Object.assign(latency, { [key]: ms + 800 });
    };
    expect(missed(520, slo, stall)).toEqual([
      'found',
      [expect.stringMatching(/^p99 8\d\d ms > 200 ms up to the saturation point$/)],
    ]);
    // Where the generator gave in first it is a lower bound, and what comes beyond says as little.
    expect(missed(520, slo, undefined, true)).toEqual(['beyond', []]);
    expect(missed(520, slo, stall, true)).toEqual([
      'beyond',
      [expect.stringMatching(/^p99 8\d\d ms > 200 ms up to the lower bound of the saturation point$/)],
    ]);
    // No level was sustained: all of the ramp misses them.
    expect(missed(520, { p99Ms: 0.1 })).toEqual(['below', [expect.stringMatching(/^p99 .* > 0.1 ms$/)]]);
    expect(missed(1400, { okRatio: 0.99 })).toEqual(['beyond', []]);
  });

  test('a ramp on which k6 was the limit is not failed for its errors beyond the saturation point', () => {
    const results = makeProfile({ servers: [{ id: 'a', rps: 1, capacity: 300 }], instances: 6 });
    for (const slice of results.measurements)
      Object.assign(slice, { okCount: Math.round(0.4 * slice.requests) });
    expect(analyse(results).scenarios[0]?.rows[0]?.state.kind).toBe('ranked');
    Object.assign(results.measurements[0]?.generator as object, { bound: true });
    const summary = analyse(results);
    expect(summary.scenarios[0]?.rows[0]?.state.kind).toBe('generator-bound');
    expect(outcomeOf(summary).unmeasured).toEqual([]);
  });

  test('criteria of a start that gave in early are judged up to its own saturation point', () => {
    const ramps = (capacity: number) =>
      makeProfile({ servers: [{ id: 'a', rps: 1, capacity }], instances: 4 });
    const results = ramps(540);
    results.measurements[0] = ramps(300).measurements[0] as Measurement;
    Object.assign(results.plan.scenarios[0] as object, { slo: { okRatio: 0.99, p99Ms: 200 } });
    const row = analyse(results).scenarios[0]?.rows[0];
    expect(row?.holds?.value).toBeGreaterThan(450);
    expect(row).toMatchObject({ holds: { kind: 'found', ramps: 4 }, sloMissed: [] });
  });

  test('a start that answered no rate counts up to the saturation point of all', () => {
    const results = makeProfile({ servers: [{ id: 'a', rps: 1, capacity: 540 }], instances: 4 });
    const [first] = results.measurements as [Measurement];
    first.okCount = 0;
    for (const step of first.steps) step.failures = step.requests;
    Object.assign(results.plan.scenarios[0] as object, { slo: { okRatio: 0.99 } });
    expect(analyse(results).scenarios[0]?.rows[0]).toMatchObject({
      holds: { kind: 'found', ramps: 4 },
      sloMissed: [expect.stringMatching(/^OK 7\d(\.\d+)? % < 99 % up to/)],
    });
  });
});
