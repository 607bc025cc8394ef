import { describe, expect, test } from 'vitest';
import type { Queue } from '../../../test/fixtures/queue.ts';
import { search } from '../../../test/fixtures/search.ts';
import type { Measurement, Probe, Results } from '../../results/results.ts';
import { estimate } from '../../stats/estimate.ts';
import { makeRandom } from '../../stats/random.ts';
import { poolCapacity } from '../rows/capacity-found.ts';
import type { Entry, Measured } from '../rows/variant-rows.ts';
import type { Row, Tuned } from '../summary.ts';
import { judgeTuned } from './tuning.ts';

/** How often a value is called better that is not, by the real rule. Seeded: the same numbers in every run. */
const RUNS = 2000;

const plan = { tune: 'workers' } as Results['plan'];
type Given = Partial<Pick<Row, 'capacity' | 'rps' | 'p99' | 'holds'>> & { slices?: Measurement[] };

/** The first value is the one that was chosen. */
function judge(
  values: readonly Given[],
  runtime = () => 'fpm',
  metric: 'rps' | 'p99' | 'holds' = 'rps',
): Tuned[] {
  const entries = values.map(({ slices = [], ...row }, i) => ({
    variant: { id: `v${i}`, runtime: runtime(), app: 'a', php: '8.4', ref: null, options: { workers: i } },
    row: { capacity: null, rps: null, holds: null, state: { kind: 'ranked' }, ...row },
    slices,
  })) as unknown as Entry[];
  return judgeTuned({ plan }, { entries } as unknown as Measured, metric);
}

/** Share of runs in which any value is called better, in per cent. */
function share(draw: () => readonly Given[], runs = RUNS): number {
  let count = 0;
  for (let i = 0; i < runs; i++) if (judge(draw()).some(({ best }) => best !== null)) count++;
  return (100 * count) / runs;
}
const times = <T>(n: number, of: () => T) => Array.from({ length: n }, of);

describe('of values that are all alike none is called better', () => {
  test.each([
    [{ workers: 4, serviceMs: 50 }, 7],
    [{ workers: 4, serviceMs: 50 }, 20],
    [{ workers: 16, serviceMs: 100 }, 7],
  ])('by one search each on M/M/c of %o, %i values: in ≤ 1 %', (given, k) => {
    const random = makeRandom(k);
    const queue: Queue = { ...given, exponential: true, random };
    const found = times(250, () => ({
      capacity: searched([search({ queue, seed: 0.85 + 0.2 * random() })]),
    }));
    const any = () => found[Math.floor(random() * found.length)] as Given;
    expect(share(() => times(k, any))).toBeLessThanOrEqual(1);
  });

  test.each([
    [1, 8],
    [2, 1],
    [3, 4],
    [4, 2],
    [6, 2],
  ])('by RPS of %i starts with %i slices each: in ≤ 1 %', (starts, blocks) => {
    const draw = normal(starts);
    expect(share(() => times(8, () => loaded(draw, starts, blocks)))).toBeLessThanOrEqual(1);
  });
});

describe('what is better is found', () => {
  test('by one search each, twice the capacity', () => {
    const find = (workers: number) => {
      const queue: Queue = { workers, serviceMs: 50, exponential: true, random: makeRandom(workers) };
      return { capacity: searched([search({ queue, seed: 0.9 })]) };
    };
    const values = [4, 2, 8, 3].map(find);
    const [tuned] = judge(values);
    const [chosen, , twice] = values.map(({ capacity }) => capacity?.value ?? 0) as [number, number, number];
    expect(tuned).toMatchObject({ own: 'v0', best: 'v2', measure: 'capacity', starts: 1 });
    expect(tuned?.gain).toBeCloseTo(twice / chosen, 6);
    expect(tuned?.tried).toHaveLength(4);
  });
  test('by RPS of six starts, 10 % more', () => {
    const draw = normal(9);
    const found = times(100, () =>
      judge([...times(7, () => loaded(draw, 6, 4)), loaded(draw, 6, 4, 0.1)]).map(({ best }) => best),
    );
    expect(found.filter(([best]) => best === 'v7').length).toBeGreaterThan(90);
  });
});

test('tests of all runtimes are corrected together', () => {
  const draw = normal(3);
  const alike = () => {
    let n = 0;
    return judge(
      times(32, () => loaded(draw, 4, 2)),
      () => `runtime ${n++ % 4}`,
    );
  };
  const any = times(1000, alike).filter((tuned) => tuned.some(({ best }) => best !== null)).length;
  expect(alike()).toHaveLength(4);
  expect(any / 1000).toBeLessThanOrEqual(0.01);
});

test('p99 of one start proves nothing, p99 of several does', () => {
  const given = (...starts: number[][]) => ({ p99: estimate(starts) as Row['p99'] });
  const find = (...values: Given[]) => judge(values, () => 'fpm', 'p99')[0]?.best;
  expect(find(given([90, 91, 92]), given([30, 31, 32]))).toBeNull();
  const [slow, fast] = [given([90], [91], [92]), given([30], [31], [32])];
  expect(find(slow, fast)).toBe('v1');
  expect(find(slow, given([30, 31, 32]))).toBeNull();
});

test('several ramps of one start are still one start', () => {
  const ramped = (over: 'slices' | 'instances', value: number): Given => ({
    holds: { ...{ kind: 'found', value, half: 1, over, n: 3 }, ramps: 3, isWhole: false, upTo: null },
    slices: [{ steps: [{ offeredRps: 100, durationMs: 1000 }] }] as unknown as Measurement[],
  });
  const [alone, several] = (['slices', 'instances'] as const).map(
    (over) => judge([ramped(over, 500), ramped(over, 510)], () => 'fpm', 'holds')[0],
  );
  expect(alone).toMatchObject({ starts: 1, best: null });
  expect(several).toMatchObject({ starts: 3, best: 'v1' });
});

test('a bound proves nothing that it does not bear out', () => {
  const probe = (offeredRps: number, held: boolean, generator: string | null = null): Probe => ({
    ...{ offeredRps, servedRps: offeredRps, requests: 4 * offeredRps, failures: 0, dropped: 0 },
    ...{ latency: null, held, generator, died: null },
  });
  const found = { capacity: searched([[probe(400, true), probe(410, false), probe(410, false)]]) };
  const beyond = { capacity: searched([[probe(200, true), probe(210, false, 'k6 is full')]]) };
  const below = { capacity: searched([[probe(1, false), probe(1, false)]]) };
  expect(judge([beyond, found])[0]?.best).toBeNull();
  expect(judge([found, below])[0]?.best).toBeNull();
  expect(judge([below, found])[0]?.best).toBe('v1');
  // A value that was tried twice and the chosen one that was not ranked: there is nothing to hold it against.
  expect(judge([{}, found, found])).toEqual([]);
});

function searched(list: readonly Probe[][]): Row['capacity'] {
  return poolCapacity(
    list.map((probes, instance) => ({ search: true, variant: '', scenario: '', instance, probes })),
  );
}

function normal(seed: number): () => number {
  const random = makeRandom(seed);
  return () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}

/** Starts that differ by 0.7 % with slices that differ by 2 %, as seen on real runtimes. */
function loaded(draw: () => number, starts: number, blocks: number, gain = 0): Given {
  const rates = times(starts, () => {
    const start = gain + 0.007 * draw();
    return times(blocks, () => 1000 * Math.exp(start + 0.02 * draw()));
  });
  const slices = rates.flatMap((own, instance) =>
    own.map((achievedRps, block) => ({ instance, block, achievedRps, outcome: 'ok', guards: {} })),
  ) as unknown as Measurement[];
  return { rps: estimate(rates), slices };
}
