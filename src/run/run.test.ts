import { describe, expect, test } from 'vitest';
import { appOf, otherAppOf } from '../../test/fixtures/app.ts';
import { parseLoad } from '../config/parts/load.ts';
import type { Config } from '../config/types.ts';
import type { Instance } from '../plan/instances.ts';
import { type Plan, plan } from '../plan/plan.ts';
import { batchMs, drainFor, retime } from '../plan/timeline/timeline.ts';
import type { RunMemory } from './instance.ts';
import { runInstances } from './run.ts';
import type { VariantOutcome, World } from './world.ts';

const BUDGET_MS = 300_000;

const RUNTIME: Config['runtimes'][number]['runtime'] = {
  ...{
    name: 'apache',
    folder: '/apache',
    title: '',
    model: 'per-request',
    base: [],
    php: ['8.4'],
    apps: [],
  },
  options: { workers: { type: 'integer', default: 16, at: 'run', env: 'WORKERS', about: '' } },
  elastic: { workers: ['3'] },
  requires: [],
  ...{ stop: { signal: 'SIGTERM', timeoutMs: 1, inFlight: '' }, status: '', docs: '' },
};

function makeConfig(budgetMs: number): Config {
  return {
    apps: [appOf('plain', '/app', '.')],
    runtimes: [1, 2].map((workers) => ({ runtime: RUNTIME, set: { workers } })),
    scenarios: [
      {
        ...{
          name: 'quick',
          title: '',
          journey: { kind: 'paths', paths: ['/'] },
          load: parseLoad('vus(8, 1s)'),
        },
        ...{ timeoutMs: 500, warmupMs: 2000, blocks: 1, reuse: true, slo: {} },
      },
    ],
    ...{ php: ['8.4'], budgetMs, failOn: [], seed: 1, images: {}, env: {}, prepare: [], out: '/out' },
    ...{ wait: false, host: 'app.test' },
  };
}

/** What these starts take if each takes so long beside its load, requests so long to end, and these variants failed at once. */
const sumMs = (
  instances: readonly Instance[],
  startMs: (index: number) => number,
  { drainedMs = 0, failed = [] as readonly string[] } = {},
) =>
  instances.reduce((sum, { index, batches }) => {
    const loads = batches.map((batch, i) => {
      const slices = batch.slices.filter(({ variant }) => !failed.includes(variant));
      const drainMs = index === 0 && i === 0 ? batch.drainMs : drainFor(batch.scenario, drainedMs);
      return slices.length > 0 ? batchMs(retime({ ...batch, slices }, drainMs)) : 0;
    });
    return loads.reduce((ms, load) => ms + load, sum + startMs(index));
  }, 0);

/** A run with a budget whose starts take so long beside their load; behind that the first searches for `searchesMs`. */
async function runWith(
  startMs: (index: number) => number,
  {
    searchesMs = 0,
    drainedMs = 0,
    fails = false,
    failing = [] as number[],
    failsIn = 0,
    more = {} as Partial<Config>,
  } = {},
) {
  const config = { ...makeConfig(BUDGET_MS), ...more };
  const promised = plan(
    config,
    [0, 1].map((cpu) => ({ cpu, core: cpu })),
  );
  const outcomes = new Map(
    promised.variants.map(({ id }): [string, VariantOutcome] => [
      id,
      { facts: null, coldStartMs: [], failure: null },
    ]),
  );
  const failed = fails ? [...outcomes.keys()] : failing.flatMap((i) => promised.variants[i]?.id ?? []);
  const [warned, said, plans, done]: [string[], string[], Plan[], Instance[]] = [[], [], [], []];
  let elapsedMs = 0;
  const world = {
    engine: { host: { elapsed: () => elapsedMs } },
    job: { config, plan: promised, outcomes },
    sink: {
      at: () => {},
      say: (line: string) => said.push(line),
      warn: ({ code }: { code: string }) => warned.push(code),
      keepPlan: (kept: Plan) => plans.push(kept),
    },
  } as unknown as World;
  const learned = { onceMs: 0, drainedMs: new Map([['quick', drainedMs]]) } as unknown as RunMemory;
  const carriedOut = await runInstances(world, learned, BUDGET_MS, async (_, memory, instance) => {
    done.push(instance);
    const gone = instance.index < failsIn ? [] : failed;
    elapsedMs += sumMs([instance], startMs, { drainedMs, failed: gone });
    if (instance.index === 0) {
      memory.onceMs = searchesMs;
      elapsedMs += searchesMs;
    }
    for (const id of gone)
      Object.assign(outcomes.get(id) as VariantOutcome, {
        failure: { stage: 'start', reason: 'x', log: '' },
      });
  });
  return { promised, warned, said, plans, done, carriedOut, usedMs: elapsedMs };
}

test('after each of the first two starts, a run with a budget plans the rest by the time that they took', async () => {
  const startMs = (index: number) => (index === 0 ? 30_000 : 10_000);
  const { promised, warned, said, plans, done } = await runWith(startMs);
  const [first, second, ...others] = plans.map(({ instances }) => instances);
  expect(others).toEqual([]);
  expect(first?.length).toBeLessThan(promised.instances.length);
  expect(second?.length).toBeGreaterThan(first?.length as number);
  expect(said).toEqual([
    `by the time that a start takes, ${first?.length} instances fit the budget, not ${promised.instances.length}`,
    `by the time that a start takes, ${second?.length} instances fit the budget, not ${first?.length}`,
  ]);
  expect(warned).toEqual(['planned-anew']);
  expect(done).toEqual(second);
});

test.each([
  [1000, 1000],
  [4000, 4000],
  [30_000, 4000],
  [4000, 30_000],
  [45_000, 30_000],
  [2000, 2000, 200],
  [8000, 8000, 200],
])(
  'a first start of %d ms and others of %d ms: all that is planned fits, and one more would not',
  async (first, other, drainedMs = 0) => {
    const startMs = (index: number) => (index === 0 ? first : other);
    const { plans, done } = await runWith(startMs, { drainedMs });
    expect(done).toEqual(plans.at(-1)?.instances);
    const usedMs = sumMs(done, startMs, { drainedMs });
    expect(usedMs).toBeLessThanOrEqual(BUDGET_MS);
    expect(
      usedMs + (usedMs - sumMs(done.slice(0, 2), startMs, { drainedMs })) / (done.length - 2),
    ).toBeGreaterThan(BUDGET_MS);
  },
);

test('a start that may end behind the budget is not begun', async () => {
  const { done, warned } = await runWith((index) => (index === 0 ? 160_000 : 60_000));
  expect([done.length, warned]).toEqual([1, ['budget']]);
});

test('what follows the run has the last plan, so that passes number their starts behind all that were made', async () => {
  const { promised, plans, done, carriedOut } = await runWith(() => 1000, {
    more: { setUp: 'php install.php' },
  });
  expect(carriedOut.job.plan).toBe(plans.at(-1));
  expect(carriedOut.job.plan.instances).toHaveLength(done.length);
  expect(done.length).toBeGreaterThan(promised.instances.length);
});

test('searches of the first start are time that the others do not take', async () => {
  const searched = await runWith(() => 2000, { searchesMs: 40_000 });
  const slow = await runWith((index) => (index === 0 ? 42_000 : 2000));
  const [planned, fewer] = [searched, slow].map(({ plans }) => plans[0]?.instances.length as number);
  expect(planned).toBeGreaterThan(2 * (fewer as number));
  expect(searched.done).toEqual(searched.plans.at(-1)?.instances);
});

test('a run whose later starts are slower ends with its budget, and a warning', async () => {
  const { warned, plans, done } = await runWith((index) => (index < 3 ? 2000 : 60_000));
  expect(done.length).toBeLessThan(plans.at(-1)?.instances.length as number);
  expect(warned.at(-1)).toBe('budget');
});

test('nothing is planned anew once all variants have failed', async () => {
  const { plans, done } = await runWith(() => 2000, { fails: true });
  expect([plans.length, done.length]).toEqual([0, 1]);
});

describe('a variant and its base', () => {
  const other: Config['other'] = {
    ...{ kind: 'commit', given: 'v1', ref: 'refs/tags/v1', commit: 'c0ffee' },
    ...{ apps: { plain: otherAppOf('app', '.') }, runtimes: {} },
  };
  const more = { other, runtimes: [{ runtime: RUNTIME, set: {} }] };

  test('the base alone is not measured', async () => {
    const { promised, done } = await runWith(() => 2000, { more, failing: [0] });
    expect(promised.variants.map(({ ref }) => ref)).toEqual([null, 'v1']);
    expect(done).toHaveLength(1);
  });

  test('a variant whose base failed goes on', async () => {
    const { done } = await runWith(() => 2000, { more, failing: [1] });
    expect(done.length).toBeGreaterThan(2);
  });
});

test('the time of variants that failed in the first start is that of the others', async () => {
  const more = { runtimes: [1, 2, 4, 5].map((workers) => ({ runtime: RUNTIME, set: { workers } })) };
  const { usedMs, warned } = await runWith(() => 1000, { more, failing: [2, 3] });
  expect(usedMs).toBeLessThanOrEqual(BUDGET_MS);
  expect(usedMs).toBeGreaterThan(0.9 * BUDGET_MS);
  expect(warned).toEqual([]);
});

test.each([0, 1])(
  'variants that take long to fail in start %d do not make the others look slow',
  async (failsIn) => {
    const more = { runtimes: [1, 2, 4, 5].map((workers) => ({ runtime: RUNTIME, set: { workers } })) };
    const startMs = (index: number) => (index === failsIn ? 61_000 : 1000);
    const { usedMs, warned, done, plans } = await runWith(startMs, { more, failing: [2, 3], failsIn });
    expect(usedMs).toBeLessThanOrEqual(BUDGET_MS);
    expect(usedMs).toBeGreaterThan(0.9 * BUDGET_MS);
    expect(warned).toEqual([]);
    expect(done).toEqual(plans.at(-1)?.instances);
  },
);
