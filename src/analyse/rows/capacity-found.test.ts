import { describe, expect, test } from 'vitest';
import { capacityOf, loadQueue } from '../../../test/fixtures/queue.ts';
import { type Searched, scenario, search, variant } from '../../../test/fixtures/search.ts';
import { MAX_PROBES, planProbe } from '../../plan/timeline/capacity-plan.ts';
import type { Probe, ScenarioFacts } from '../../results/results.ts';
import { makeRandom } from '../../stats/random.ts';
import { findCapacity, judgeProbe, nextRate, poolCapacity } from './capacity-found.ts';
import type { Knee } from './knee.ts';

/** Result of a search, also as a share of the capacity. */
function find(given: Searched): Knee & { ratio: number; probes: number } {
  const probes = search(given);
  const found = findCapacity(probes) as Knee;
  return { ...found, ratio: found.rps / capacityOf(given.queue), probes: probes.length };
}
const meanOf = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;

describe('a server of known capacity', () => {
  test.each([
    [4, 50],
    [16, 100],
    [8, 20],
    [16, 10],
    [1, 1],
  ])('%d workers of %d ms, wherever the search begins: within a twentieth', (workers, serviceMs) => {
    for (const seed of [0.3, 0.6, 0.9, 1, 1.1, 2]) {
      const { kind, ratio, probes, low, high } = find({ queue: { workers, serviceMs }, seed });
      expect([kind, seed]).toEqual(['found', seed]);
      expect(Math.abs(ratio - 1), `${seed}: ${ratio}`).toBeLessThan(0.05);
      expect(probes).toBeLessThanOrEqual(MAX_PROBES);
      expect(high / low).toBeLessThan(1.1);
    }
  });

  test('well begun, it takes few probes', () => {
    expect(find({ queue: { workers: 4, serviceMs: 50 } }).probes).toBeLessThanOrEqual(6);
  });

  test.each([
    [16, 100],
    [16, 40],
    [8, 20],
  ])(
    'M/M/%d, %d ms on average, whose edge is noisy: within a twentieth over twenty searches',
    (workers, serviceMs) => {
      const queue = { workers, serviceMs, exponential: true, random: makeRandom(11) };
      const ratio = meanOf(Array.from({ length: 20 }, () => find({ queue }).ratio));
      expect(ratio).toBeGreaterThan(0.95);
      expect(ratio).toBeLessThan(1.05);
    },
  );

  test('a criterion for latency is part of it', () => {
    // D/M/1, as k6 sends evenly: p95 is −ln(0.05) ÷ μ(1 − σ) where σ = exp(−μ(1 − σ) ÷ λ).
    const queue = { workers: 1, serviceMs: 5, exponential: true, random: makeRandom(5) };
    const p95Ms = 60;
    const left = -Math.log(0.05) / (p95Ms / 1000);
    const limit = -left / Math.log(1 - left / 200);
    const found = Array.from({ length: 20 }, () => find({ queue, slo: { p95Ms } }).rps);
    expect(meanOf(found) / limit).toBeGreaterThan(0.9);
    expect(meanOf(found) / limit).toBeLessThan(1.1);
  });

  test.each([[[0]], [[1]], [[2]], [[0, 2]]])('one bad probe ends nothing: stalls in %j', (stalled) => {
    const { kind, ratio } = find({ queue: { workers: 16, serviceMs: 40 }, seed: 0.9, stalled });
    expect(kind).toBe('found');
    expect(Math.abs(ratio - 1)).toBeLessThan(0.05);
  });
});

describe('a server whose connections keep its workers', () => {
  test.each([0.5, 0.96, 1.5])('is full when all of them are busy, from %d of it on', (seed) => {
    const { kind, ratio } = find({ queue: { workers: 16, serviceMs: 50 }, seed, keeps: true });
    expect(kind).toBe('found');
    expect(Math.abs(ratio - 1)).toBeLessThan(0.05);
  });
});

describe('is a lower bound where the server was not the limit', () => {
  const queue = { workers: 16, serviceMs: 10 };
  test('but the load generator', () => {
    const { kind, rps } = find({ queue, seed: 0.2, k6: 500 });
    expect(kind).toBe('beyond');
    expect(Math.abs(rps / 500 - 1)).toBeLessThan(0.05);
  });
  test('but its clients', () => {
    // Ten of them, each of whose requests takes a tenth of a second.
    const { kind, rps } = find({ queue: { workers: 16, serviceMs: 100, maxVus: 10 }, seed: 0.5 });
    expect(kind).toBe('beyond');
    expect(rps).toBeGreaterThan(90);
    expect(rps).toBeLessThan(125);
  });
  test('but its clients, although its connections keep workers that are left', () => {
    const few = { workers: 16, serviceMs: 100, maxVus: 10 };
    expect(find({ queue: few, seed: 0.5, keeps: true }).kind).toBe('beyond');
  });
  test('but the number of probes', () => {
    const probes = run(1, () => true);
    expect(probes).toHaveLength(MAX_PROBES);
    expect(rates(probes)).toEqual([...rates(probes)].sort((a, b) => a - b));
    expect(findCapacity(probes)).toMatchObject({ kind: 'beyond', rps: rates(probes).at(-1) });
  });
  test('but a probe that came to nothing', () => {
    const isVoid = { generator: 'k6 was killed', requests: 0 };
    expect(findCapacity(run(100, (rps) => rps < 100, isVoid))).toMatchObject({ kind: 'beyond' });
  });
});

const probe = (offeredRps: number, held: boolean, more: Partial<Probe> = {}): Probe => ({
  ...{ offeredRps, servedRps: offeredRps, requests: 100, failures: 0, dropped: 0, latency: null },
  ...{ held, generator: null, died: null, ...(held ? {} : more) },
});
function run(seedRps: number, isHeld: (rps: number, n: number) => boolean, missed = {}): Probe[] {
  const probes: Probe[] = [];
  const next = () => nextRate(seedRps, probes);
  for (let rps = next(); rps !== null; rps = next()) {
    probes.push(probe(rps, isHeld(rps, probes.length), missed));
  }
  return probes;
}
const rates = (probes: readonly Probe[]) => probes.map(({ offeredRps }) => offeredRps);

describe('the search', () => {
  test('strides away from where it begins, halves what is left, and tries its end again', () => {
    expect(rates(run(100, (rps) => rps < 118))).toEqual([100, 108, 126, 117, 121, 121]);
  });
  test('goes on where the second try of its end is held', () => {
    const probes = run(100, (rps, n) => rps < 130 && n !== 1);
    expect(rates(probes).slice(0, 4)).toEqual([100, 108, 104, 108]);
    const { low, high } = findCapacity(probes) as Knee;
    expect(low).toBeLessThan(130);
    expect(high).toBeGreaterThanOrEqual(130);
  });
  test('finds that nothing is held', () => {
    const probes = run(5000, () => false);
    expect(probes.length).toBeLessThanOrEqual(MAX_PROBES);
    expect(rates(probes).slice(-2)).toEqual([1, 1]);
    expect(findCapacity(probes)).toEqual({ kind: 'below', rps: 1, low: 0, high: 1 });
  });
  test.each([3, 40, 999, 123_456, 2_000_000])('never makes more probes than it may, from %d on', (seed) => {
    for (const edge of [0.5, 1, 7, 80, 1000, 50_000, 1e7]) {
      for (const flaky of [0, 0.2]) {
        const random = makeRandom(seed);
        const probes = run(seed, (rps) => rps < edge && random() >= flaky);
        expect(probes.length).toBeLessThanOrEqual(MAX_PROBES);
        // The rate that ends the search was tried twice.
        const found = findCapacity(probes);
        if (found?.kind === 'found') {
          expect(rates(probes).filter((rps) => rps === found.high)).toHaveLength(2);
          expect(found.low).toBeLessThan(edge);
        }
      }
    }
  });
  test('ends with its server', () => {
    const died = 'killed: out of memory (OOM)';
    expect(findCapacity([probe(100, true), probe(150, false, { died })])).toEqual({
      ...{ kind: 'found', rps: 125, low: 100, high: 150 },
    });
    expect(findCapacity([probe(100, false, { died })])).toMatchObject({ kind: 'below', rps: 100 });
  });
  test('of no probe, or of one that says nothing, is none', () => {
    expect(findCapacity([])).toBeNull();
    expect(findCapacity([probe(100, false)])).toBeNull();
  });
});

describe('a probe', () => {
  const steps = (latencyMs: readonly number[], failures = 0) =>
    loadQueue(planProbe(scenario, variant, 100, { meanMs: 10, perIteration: 1 }, 0).slices[0]?.steps ?? [], {
      ...{ workers: 4, serviceMs: 10 },
    }).steps.map((step, i) => ({
      ...step,
      failures,
      latency: step.latency && { ...step.latency, avgMs: latencyMs[i] as number },
    }));
  const generator = { cpuUs: null, busyRatio: null, bound: false, reasons: [] };
  const judge = (latencyMs: readonly number[], slo: ScenarioFacts['slo'] = {}, failures = 0) =>
    judgeProbe(
      { steps: steps(latencyMs, failures), outcome: 'ok', reason: null, generator },
      100,
      slo,
      10,
      null,
      Infinity,
    );
  const EVEN = [10, 10, 10, 10, 10];

  test('whose requests wait longer and longer is not held, though all are answered', () => {
    const { held, servedRps } = judge([10, 20, 60, 100, 140]);
    expect(held).toBe(false);
    expect(servedRps).toBeCloseTo(100 / 1.04, 1);
  });
  test('is not judged by its first second', () => {
    expect(judge([900, 10, 10, 10, 10])).toMatchObject({ held: true, requests: 400, servedRps: 100 });
  });
  test('with more wrong answers than the criterion allows is not held', () => {
    expect(judge(EVEN, {}, 2)).toMatchObject({ held: false, failures: 8 });
    expect(judge(EVEN, { okRatio: 0.97 }, 1)).toMatchObject({ held: true, failures: 4 });
  });
  test('that is slower than a criterion allows is not held', () => {
    expect(judge(EVEN, { p99Ms: 12 }).held).toBe(true);
    expect(judge(EVEN, { p99Ms: 8 }).held).toBe(false);
  });
  test('without an answer is missed by the server', () => {
    const silent = steps(EVEN).map((step) => ({ ...step, requests: 0, latency: null }));
    const measured = { steps: silent, outcome: 'failed' as const, reason: 'no request was answered in time' };
    expect(judgeProbe({ ...measured, generator }, 100, {}, 10, null, Infinity)).toMatchObject({
      ...{ held: false, generator: null, servedRps: 0 },
    });
  });
  test('that k6 broke off shows nothing of the server', () => {
    const broken = { steps: steps(EVEN), outcome: 'void' as const, reason: 'k6 was killed', generator };
    expect(judgeProbe(broken, 100, {}, 10, null, Infinity)).toMatchObject({
      held: false,
      generator: 'k6 was killed',
    });
  });
  test('with answers that were not the checked ones is missed by the server', () => {
    const reason = 'other answers: 90 of 400 of / were not the checked one: HTTP 302';
    const other = { steps: steps(EVEN), outcome: 'void' as const, code: 'other-answers', reason, generator };
    const judged = judgeProbe(other, 100, {}, 10, null, Infinity);
    expect(judged).toMatchObject({ held: false, generator: null, others: reason });
    expect(findCapacity([probe(80, true), judged, judged])).toMatchObject({
      kind: 'found',
      low: 80,
      high: 100,
    });
  });
});

test('searches of several starts are put together', () => {
  const of = (low: number, instance: number) => ({
    ...{ search: true as const, variant: 'v', scenario: 's', instance },
    probes: [probe(low, true), probe(low + 4, false), probe(low + 4, false)],
  });
  expect(poolCapacity([of(98, 0)])).toMatchObject({ kind: 'found', value: 100, half: 2, n: 1 });
  const both = poolCapacity([of(98, 0), of(98, 1), of(110, 2)]);
  expect(both).toMatchObject({ kind: 'found', value: 104, n: 3, over: 'instances' });
  expect(both?.probes).toHaveLength(9);
  expect(both?.half).toBeGreaterThan(2);
  expect(poolCapacity([])).toBeNull();
});
