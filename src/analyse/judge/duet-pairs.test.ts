import { describe, expect, test } from 'vitest';
import { makeResults } from '../../../test/fixtures/results/make.ts';
import type { Duet, Gate, Measurement, Results } from '../../results/results.ts';
import { makeRandom } from '../../stats/random.ts';
import { analyse } from '../analyse.ts';
import { compare } from './compare.ts';
import { duetRatios, findDilution, testDuets } from './duet-pairs.ts';
import { checkGates } from './gates.ts';
import { measureNoise } from './noise-found.ts';
import { pairSlices } from './pairs.ts';

const STARTS = 6;
const server = { id: 'a', rps: 60, cpuMs: 0.4, instanceSd: 0.003, sliceSd: 0.004 };
const results = makeResults({
  servers: [{ ...server, base: { cpuMs: 0.4 } }],
  ...{ instances: STARTS, scenario: { blocks: 3 }, compareTo: {} },
});
for (const slice of results.measurements) if (slice.cpu) slice.cpu.busyRatio = 1;
const quiet = { foreignCpuRatio: 0, stealRatio: 0, stallMs: 0, overlapMs: 0 };

/** Two windows of each block, with this CPU per request, µs. */
function duetsOf(
  cost: (duet: Pick<Duet, 'instance' | 'block' | 'first'>) => { variant: number; base: number },
): Duet[] {
  return Array.from({ length: STARTS }).flatMap((_, instance) =>
    [0, 1, 2].flatMap((block) =>
      (['variant', 'base'] as const).map((first): Duet => {
        const us = cost({ instance, block, first });
        const side = (perRequest: number) => ({ requests: 1000, failures: 0, cpuUs: 1000 * perRequest });
        return {
          ...{ duet: true, variant: 'a', base: 'a:base', scenario: 'quick', instance, block, first },
          ...{ outcome: 'ok', reason: null, startedMs: 0, durationMs: 1020, guards: quiet },
          sides: { variant: side(us.variant), base: side(us.base) },
        };
      }),
    ),
  );
}
const sides = (from: Results) =>
  (['a', 'a:base'] as const).map((id) => from.measurements.filter(({ variant }) => variant === id)) as [
    Measurement[],
    Measurement[],
  ];
const pairs = (duets: Duet[]) => pairSlices(...sides(results), duets);
const cpuOf = (duets: Duet[]) =>
  compare({ ...results, duets }).find(({ metric, against }) => metric === 'cpu' && against === 'base');

describe('duets', () => {
  test('decide what a request costs, where both were loaded together in every start', () => {
    const noise = makeRandom(1);
    const duets = duetsOf(() => ({ variant: 400 * 1.03 * (1 + 0.002 * noise()), base: 400 }));
    expect(cpuOf([])).toMatchObject({ how: 'turns', verdict: 'no-difference' });
    expect(cpuOf(duets)).toMatchObject({
      ...{ how: 'together', verdict: 'slower', primary: true, pairs: STARTS, slices: 6 * STARTS, dropped: 0 },
    });
    expect(cpuOf(duets)?.ratio).toBeCloseTo(1.031, 3);
    // One start without any: nobody knows why, so turns decide for all.
    expect(cpuOf(duets.filter(({ instance }) => instance > 0))).toMatchObject({ how: 'turns' });
  });

  test('count when they were disturbed, as that met both sides, and are left out when they failed', () => {
    const duets = duetsOf(({ instance }) => ({ variant: 420 + instance, base: 400 }));
    const spoil = (n: number, change: Partial<Duet>) =>
      cpuOf(duets.map((duet, i) => (i < n ? { ...duet, ...change } : duet)));
    for (const guards of [
      { ...quiet, stealRatio: 0.5 },
      { ...quiet, foreignCpuRatio: 0.5 },
      { ...quiet, stallMs: 400 },
    ]) {
      expect(spoil(36, { guards })).toMatchObject({
        ...{ slices: 36, dropped: 0, disturbed: 36, verdict: 'slower', reasons: [] },
      });
    }
    // A block and a half: of the second the window in which the other began first would be alone.
    expect(spoil(3, { outcome: 'failed', reason: '' })).toMatchObject({ slices: 32, dropped: 4 });
    expect(spoil(10, { outcome: 'failed', reason: '' })).toMatchObject({
      ...{ dropped: 10, verdict: 'inconclusive' },
      reasons: ['27.7 % of the times in which both were loaded failed or were void and were left out'],
    });
  });

  test('do not favour the side that begins first in the windows that are left', () => {
    const place = ({ first }: Pick<Duet, 'first'>) => (first === 'variant' ? 1.02 : 1 / 1.02);
    const duets = duetsOf((duet) => ({ variant: 400 * place(duet), base: 400 })).map((duet) =>
      duet.block === 0 && duet.first === 'base' ? { ...duet, outcome: 'void' as const } : duet,
    );
    expect(testDuets(pairs(duets))?.mean).toBeCloseTo(0, 12);
  });

  test('count a block once, whoever began first', () => {
    const place = ({ first }: Pick<Duet, 'first'>) => (first === 'variant' ? 1.005 : 1 / 1.005);
    const duets = duetsOf((duet) => ({ variant: 400 * place(duet), base: 400 }));
    expect(duetRatios(duets.filter(({ instance }) => instance === 0))).toEqual(
      [0, 0, 0].map((zero) => expect.closeTo(zero, 12)),
    );
  });

  test('are among the slices for which the guards are reported', () => {
    const [first, ...others] = duetsOf(() => ({ variant: 400, base: 400 })) as [Duet, ...Duet[]];
    const spoilt = { ...first, guards: { ...quiet, foreignCpuRatio: 0.5 } };
    const { scenarios, warnings } = analyse({ ...results, duets: [spoilt, ...others] });
    expect(scenarios[0]?.guards).toMatchObject({
      slices: results.measurements.length + others.length + 1,
      ...{ disturbed: 1, foreignCpu: 1, dropped: 0 },
    });
    expect(warnings.map(({ code }) => code)).toContain('foreign-cpu');
  });

  test('give the noise of CPU in an A/A run', () => {
    const random = makeRandom(2);
    const duets = duetsOf(() => ({ variant: 400 * (1 + 0.02 * (random() - 0.5)), base: 400 }));
    const noiseOf = (of: Duet[]) => {
      const measured = { ...results, duets: of };
      return measureNoise(measured, compare(measured)).find(({ metric }) => metric === 'cpu');
    };
    // Uniform over 2 %, the mean of two.
    expect(noiseOf(duets)?.slice).toBeCloseTo(0.02 / Math.sqrt(12 * 2), 2.5);
    expect(noiseOf(duets)?.slice).not.toBe(noiseOf([])?.slice);
    // Together each request costs a quarter more: what a comparison makes of a ratio is made of its noise, too.
    const dearer = duets.map((duet) => {
      const { variant, base } = duet.sides;
      const more = (side: typeof base) => ({ ...side, cpuUs: 1.25 * (side.cpuUs as number) });
      return { ...duet, sides: { variant: more(variant), base: more(base) } };
    });
    const ratio = (noiseOf(dearer)?.slice as number) / (noiseOf(duets)?.slice as number);
    expect(ratio).toBeCloseTo((1 + findDilution(pairs(dearer))) / (1 + findDilution(pairs(duets))), 9);
    expect(ratio).toBeGreaterThan(1.1);
  });
});

describe('servers that wait for a database', () => {
  /** CPUs half used; by duets a request costs `cpu` times as much, in turns the head does `rps` times as many. */
  const waiting = (cpu: number, rps: number, gates: Gate[] = []): Results => ({
    ...results,
    plan: { ...results.plan, gates },
    duets: duetsOf(({ instance }) => ({ variant: 400 * cpu * (1 + (instance - 2.5) / 1000), base: 400 })),
    measurements: results.measurements.map((slice) => ({
      ...slice,
      achievedRps: 100 * (slice.variant === 'a' ? rps * (1 + (slice.instance - 2.5) / 1000) : 1),
      cpu: slice.cpu && { ...slice.cpu, busyRatio: 0.5 },
    })),
  });
  const primaryOf = (of: Results) =>
    compare(of)
      .filter(({ primary }) => primary)
      .map(({ metric, verdict }) => `${metric} ${verdict}`);
  const gate = (metric: Gate['metric']): Gate => ({
    ...{ source: 'slower > 3%', metric, above: 0.03, scenario: null, variant: null },
  });
  const failed = (of: Results) => checkGates(of, compare(of)).map((found) => found.failed);

  test('what a request costs leads, how fast they answer counts beside it', () => {
    expect(primaryOf(waiting(1.05, 1))).toEqual(['cpu slower', 'rps no-difference']);
    expect(primaryOf(waiting(1, 0.9))).toEqual(['cpu no-difference', 'rps slower']);
    const { duets: _, ...alone } = waiting(1.05, 1);
    expect(primaryOf({ ...alone, duets: [] })).toEqual(['rps no-difference']);
  });
  test('more CPU and yet more requests is no contradiction', () => {
    expect(primaryOf(waiting(1.05, 1.1))).toEqual(['cpu slower', 'rps faster']);
  });
  test('a gate without a metric sees that they wait longer, unless another gate looks at that', () => {
    expect(failed(waiting(1, 0.9, [gate(null)]))).toEqual([true]);
    expect(failed(waiting(1.05, 1, [gate(null)]))).toEqual([true]);
    expect(failed(waiting(1, 1, [gate(null)]))).toEqual([false]);
    expect(failed(waiting(1, 0.9, [gate(null), { ...gate('rps'), above: 0.2 }]))).toEqual([false, false]);
  });
  test('with full CPUs the cost alone decides', () => {
    const full = waiting(1.05, 0.95);
    for (const slice of full.measurements) if (slice.cpu) slice.cpu.busyRatio = 1;
    expect(primaryOf(full)).toEqual(['cpu slower']);
  });
});

describe('what sharing the caches costs', () => {
  const alone = 400;
  const extra = 100;

  test('is seen against the slices in turns', () => {
    expect(findDilution(pairs(duetsOf(() => ({ variant: alone + extra, base: alone + extra }))))).toBeCloseTo(
      1.25,
      1,
    );
    expect(findDilution(pairs(duetsOf(() => ({ variant: 300, base: 300 }))))).toBe(1);
    expect(findDilution(pairs([]))).toBe(1);
  });

  test.each([
    ['comes on top of a request', (us: number) => us + extra],
    ['grows with the request', (us: number) => us * ((alone + extra) / alone)],
  ])('is in the interval when it %s', (_, together) => {
    const random = makeRandom(3);
    let holds = 0;
    const RUNS = 400;
    for (let run = 0; run < RUNS; run++) {
      const start = Array.from({ length: STARTS }, () => 0.01 * (random() + random() + random() - 1.5));
      const duets = duetsOf(({ instance }) => ({
        variant: together(alone * 1.05) * (1 + (start[instance] as number)),
        base: together(alone),
      }));
      const { low, high } = testDuets(pairs(duets))?.interval ?? { low: 0, high: 0 };
      if (low <= 1.05 && 1.05 <= high) holds++;
    }
    // 99 % are promised; of 400 at most 10 may miss by chance (p < 0.01).
    expect(holds).toBeGreaterThanOrEqual(RUNS - 10);
  });

  test('does not make a difference where there is none', () => {
    const test = testDuets(
      pairs(duetsOf(({ instance }) => ({ variant: 500 * (1 + (instance - 2.5) / 1000), base: 500 }))),
    );
    expect(test?.interval?.low).toBeLessThan(1);
    expect(test?.interval?.high).toBeGreaterThan(1);
  });
});
