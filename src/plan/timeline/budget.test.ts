import { describe, expect, test } from 'vitest';
import { appOf } from '../../../test/fixtures/app.ts';
import { runtimeOf, SETTINGS, scenarioOf } from '../../../test/fixtures/plan.ts';
import type { Config, Scenario } from '../../config/types.ts';
import { UserError } from '../../errors.ts';
import { makeRandom } from '../../stats/random.ts';
import { describeEffort, warnOfRest, warnOfUsedUp } from '../effort.ts';
import { type Plan, plan } from '../plan.ts';
import { planRest } from '../rest.ts';
import { fitBudget, MIN_INSTANCES, predictEffort } from './budget.ts';
import type { Batch } from './slices.ts';
import { batchMs } from './timeline.ts';

const runtime = runtimeOf('apache', { elastic: { workers: ['3'] } });
const cpus = [0, 1].map((cpu) => ({ cpu, core: cpu }));

function configOf(budgetMs: number, variants: number, scenarios: readonly Scenario[]): Config {
  return {
    ...SETTINGS,
    apps: [appOf('plain', '/app', '.')],
    runtimes: Array.from({ length: variants }, (_, i) => ({ runtime, set: { workers: i + 1 } })),
    scenarios,
    budgetMs,
  };
}

const SHORT = [scenarioOf('quick', 'vus(8, 1s)')];
const planned = (budgetMs: number, variants = 2, scenarios = SHORT): Plan =>
  plan(configOf(budgetMs, variants, scenarios), cpus);

/** The smallest budget that is not refused, as the refusal of a second says. */
function leastMs(variants: number, scenarios: readonly Scenario[]): number {
  try {
    plan(configOf(1000, variants, scenarios), cpus);
  } catch (error) {
    if (error instanceof UserError) return Number(/^(\d+)s/.exec(error.detail.allowed ?? '')?.[1]) * 1000;
    throw error;
  }
  throw new Error('a second was enough');
}

describe('a budget', () => {
  const random = makeRandom(3);
  const pick = <T>(items: readonly T[]) => items[Math.floor(random() * items.length)] as T;
  const cases = Array.from({ length: 40 }, () => {
    const names = ['a', 'b', 'c'].slice(0, pick([1, 1, 2, 3]));
    const scenarios = names.map((name) =>
      scenarioOf(name, pick(['vus(8, 1s)', 'vus(2, 2s)', 'const(50, 5s)', 'line(1, 50, 40s)']), {
        timeoutMs: pick([200, 2000, 10_000]),
        warmupMs: pick([0, 1000, 3000]),
      }),
    );
    return { variants: pick([1, 2, 2, 3, 8]), scenarios, factor: 1 + 20 * random() };
  });

  test.each(cases)('is kept, by $variants variants, case %#', ({ variants, scenarios, factor }) => {
    const budgetMs = Math.floor(leastMs(variants, scenarios) * factor);
    const { instances, estimatedSeconds, scenarios: laid } = planned(budgetMs, variants, scenarios);
    expect(instances.length).toBeGreaterThanOrEqual(MIN_INSTANCES);
    expect(estimatedSeconds).toBeLessThanOrEqual(Math.ceil(budgetMs / 1000));
    for (const { batches } of instances) {
      for (const { name, blocks } of laid) {
        const slices = batches.filter((b) => b.scenario.name === name).flatMap((b) => b.slices);
        expect(slices.filter((s) => !s.warmup)).toHaveLength(blocks * variants);
      }
    }
  });

  test.each(cases.slice(0, 10))(
    'that is a little too small is refused, case %#',
    ({ variants, scenarios }) => {
      const least = leastMs(variants, scenarios);
      expect(() => planned(least, variants, scenarios)).not.toThrow();
      expect(() => planned(least - 1000, variants, scenarios)).toThrow('too small');
    },
  );

  test('has to pay for one timeout, behind the first warm-up', () => {
    const least = (timeoutMs: number) => leastMs(2, [scenarioOf('quick', 'vus(8, 1s)', { timeoutMs })]);
    expect(Math.abs(least(10_500) - least(500) - 10_000)).toBeLessThanOrEqual(1000);
  });

  test('finds less the larger it is', () => {
    const found = [40, 60, 120, 300, 900].map((s) => planned(s * 1000).detectable as number);
    expect(found).toEqual(found.toSorted((a, b) => b - a));
    expect(new Set(found).size).toBe(5);
  });

  test('is used for what finds most: no other effort that fits finds less', () => {
    const secondsOf = ({ instances, blocks }: { instances: number; blocks: readonly number[] }) =>
      instances * (6 + 2.5 * (blocks[0] as number));
    const best = fitBudget(180_000, SHORT, 1, 'turns', secondsOf);
    const least = predictEffort(SHORT, best, 1, 'turns') as number;
    for (let instances = 4; instances <= 30; instances++) {
      for (let blocks = 1; blocks <= 20; blocks++) {
        const effort = { instances, blocks: [blocks] };
        if (secondsOf(effort) > 180) continue;
        expect(predictEffort(SHORT, effort, 1, 'turns')).toBeGreaterThanOrEqual(least);
      }
    }
  });

  test('is not planned for a load whose time nobody knows', () => {
    expect(() => planned(300_000, 2, [scenarioOf('count', 'requests(100, 2)')])).toThrow(
      'needs a load with a known duration',
    );
  });
});

test('an elastic pool takes no turns, so larger changes alone are promised', () => {
  const { budgetMs: _, ...config } = configOf(0, 3, SHORT);
  const [one, two, elastic] = config.runtimes;
  const detectable = (...runtimes: (typeof one)[]) =>
    plan({ ...config, runtimes: runtimes as Config['runtimes'] }, cpus).detectable as number;
  expect(detectable(one, elastic)).toBeGreaterThan(2 * detectable(one, two));
});

test('machines that share a run promise what one machine with all their tests does', () => {
  const { budgetMs: _, ...config } = configOf(0, 4, SHORT);
  // No elastic pool.
  const runtimes = [16, 17, 18, 19].map((workers) => ({ runtime, set: { workers } }));
  const of = (more: Partial<Config>) => plan({ ...config, runtimes, ...more }, cpus).detectable as number;
  const shared = of({ shard: { index: 1, of: 3 } });
  expect(shared).toBe(of({}));
  expect(shared).toBeGreaterThan(of({ runtimes: runtimes.slice(0, 2) }));
});

describe('before it starts, a plan says', () => {
  test('how often, how long and what may come of it', () => {
    const [effort, power] = describeEffort(planned(180_000));
    expect(effort).toMatch(/^\d+ instances × \d+ blocks?, about (2 min \d+|1[5-7]\d) s without building$/);
    expect(power).toMatch(/^with typical noise, this plan detects changes of \d+\.\d % or more/);
  });

  test('nothing of changes where there is nothing to compare', () => {
    expect(describeEffort(planned(180_000, 1))).toHaveLength(1);
  });
});

describe('the rest, once the first start is over', () => {
  const config = configOf(300_000, 2, [scenarioOf('quick', 'vus(8, 1s)')]);
  const promised = plan(config, cpus);
  const restOf = (lastMs: number, searchedMs = 0) =>
    planRest({ ...config, budgetMs: 300_000 }, promised, {
      starts: 1,
      lastMs,
      allMs: lastMs + searchedMs,
      drainedMs: new Map([['quick', 0]]),
    });
  const rest = (lastMs: number, searchedMs = 0) => restOf(lastMs, searchedMs).plan;

  test('has fewer starts the longer the first one took, never more time than the budget', () => {
    const counts = [5_000, 25_000, 40_000].map((tookMs) => rest(tookMs).instances.length);
    expect(counts).toEqual([...counts].sort((a, b) => b - a));
    expect(counts[2]).toBeLessThan(counts[0] as number);
    expect(rest(40_000).estimatedSeconds).toBeLessThanOrEqual(300);
    // Some of the 40 s belong to the first start alone.
    expect(counts[2]).toBeLessThanOrEqual(10);
    const slices = ({ instances }: Plan) =>
      instances.flatMap(({ batches }) => batches.flatMap((batch) => batch.slices));
    expect(slices(rest(20_000, 100_000)).length).toBeLessThan(slices(rest(20_000)).length);
  });
  test('leaves the first start as it was, and gives no number twice', () => {
    for (const tookMs of [5_000, 20_000, 40_000]) {
      const { instances } = rest(tookMs);
      expect(instances[0]).toBe(promised.instances[0]);
      expect(instances.map(({ index }) => index)).toEqual(instances.map((_, i) => i));
      const numbers = instances.flatMap(({ batches }) =>
        batches.flatMap(({ slices }) => slices.map(({ number }) => number)),
      );
      expect(new Set(numbers).size).toBe(numbers.length);
    }
  });
  test('stays as it is where no verdict would fit', () => {
    expect(rest(200_000)).toBe(promised);
    expect(restOf(200_000).nextMs).toBeGreaterThan(190_000);
  });
  test('has one more start at least, however many are over, or stays as it is', () => {
    for (const starts of [4, 5, 8]) {
      const long = plan({ ...config, budgetMs: 600_000 }, cpus);
      const spent = { starts, lastMs: 20_000, allMs: 100_000, drainedMs: new Map([['quick', 0]]) };
      const { plan: more } = planRest({ ...config, budgetMs: 300_000 }, long, spent);
      expect(more.instances.length).toBeGreaterThan(starts);
      expect(Math.max(...more.scenarios.map(({ blocks }) => blocks))).toBeLessThan(20);
      expect(planRest({ ...config, budgetMs: 101_000 }, long, spent).plan).toBe(long);
    }
  });
  test('keeps what earlier starts showed where the last one shows nothing', () => {
    const spent = { starts: 1, allMs: 60_000, drainedMs: new Map([['quick', 0]]) };
    const known = { ...config, budgetMs: 300_000 };
    const { slower } = planRest(known, promised, { ...spent, lastMs: 60_000 });
    expect(slower).toBeGreaterThan(10);
    const again = planRest(known, promised, { ...spent, lastMs: null, slower });
    expect([again.slower, again.nextMs]).toEqual([slower, restOf(60_000).nextMs]);
    expect(planRest(known, promised, { ...spent, lastMs: null }).slower).toBe(1);
  });
  test('goes on behind all starts that are over', () => {
    const one = rest(40_000);
    const lastMs = 8000;
    const { plan: two, nextMs } = planRest({ ...config, budgetMs: 300_000 }, one, {
      ...{ starts: 2, lastMs, allMs: 40_000 + lastMs, drainedMs: new Map([['quick', 0]]) },
    });
    expect(two.instances.slice(0, 2)).toEqual(one.instances.slice(0, 2));
    expect(two.instances.length).toBeGreaterThan(one.instances.length);
    const numbers = two.instances.flatMap(({ batches }) =>
      batches.flatMap(({ slices }) => slices.map(({ number }) => number)),
    );
    expect(new Set(numbers).size).toBe(numbers.length);
    expect(two.estimatedSeconds).toBeCloseTo((48_000 + (two.instances.length - 2) * nextMs) / 1000, -1);
    expect(two.estimatedSeconds).toBeLessThanOrEqual(300);
  });
  test('expects the same of the others whatever the timeout, as only the warm-up of the first waited for it', () => {
    const startMs = (timeoutMs: number) => {
      const slow = configOf(60_000, 2, [scenarioOf('quick', 'vus(8, 1s)', { timeoutMs })]);
      const planned = plan(slow, cpus);
      const tookMs = 8_000 + batchMs(planned.instances[0]?.batches[0] as Batch);
      const spent = { starts: 1, lastMs: tookMs, allMs: tookMs, drainedMs: new Map([['quick', 0]]) };
      const { plan: rest, nextMs } = planRest({ ...slow, budgetMs: 60_000 }, planned, spent);
      const loads = rest.instances[1]?.batches as readonly Batch[];
      return loads.reduce((ms, batch) => ms - batchMs(batch), nextMs);
    };
    expect(startMs(3000) / startMs(500)).toBeCloseTo(1, 1);
  });
  test('that the budget cut off is a warning only if much less was done than promised', () => {
    const { budgetMs: _, ...free } = config;
    const first = plan({ ...free, instances: 4 }, cpus);
    const more = { ...first, instances: [...first.instances, ...first.instances, ...first.instances] };
    expect(warnOfUsedUp(first, more, 9)).toEqual([]);
    expect(warnOfUsedUp(first, more, 4)).toEqual([]);
    // Ten of eleven, and nine of twelve, are about as many; three are too few for a verdict.
    const twelve = plan({ ...free, instances: 12 }, cpus);
    expect(warnOfUsedUp(twelve, twelve, 9)).toEqual([]);
    expect(warnOfUsedUp(twelve, twelve, 8)).toHaveLength(1);
    const [warning] = warnOfUsedUp(first, more, 3);
    expect(warning?.message).toMatch(/^the budget was used up after 3 of 12 instances: /);
    const fewer = more.instances.map((instance) => ({ ...instance, batches: [] }));
    expect(warnOfUsedUp(first, { ...more, instances: fewer }, 4)).toHaveLength(1);
  });
  test('stands beside what was promised where it is less by more than a third', () => {
    expect(warnOfRest(promised, promised, 5_000)).toEqual([]);
    expect(warnOfRest(rest(40_000), promised, 5_000)).toEqual([]);
    const [warning] = warnOfRest(promised, rest(40_000), 40_000);
    expect(warning?.message).toMatch(
      /^a start takes 40 s; promised: \d+ starts × \d+ blocks?, for changes of \d\.\d % or more; now planned: \d+ starts × /,
    );
  });
});

test('time to fill databases is planned for', () => {
  const without = configOf(300_000, 2, [scenarioOf('quick', 'vus(8, 1s)')]);
  const services = { file: 'compose.yaml', reset: { db: 'true' } };
  const [free, filled] = [plan(without, cpus), plan({ ...without, services, setUp: 'php set-up.php' }, cpus)];
  const each = ({ estimatedSeconds, instances }: Plan) => estimatedSeconds / instances.length;
  const blocks = (of: Plan) => of.scenarios[0]?.blocks ?? 0;
  // 3.5 s for each of two variants, more load aside.
  expect(each(filled) - each(free)).toBeGreaterThan(6.5 - Math.max(0, 4.5 * (blocks(free) - blocks(filled))));
  expect(filled.instances.length).toBeLessThan(free.instances.length);
});
