import { describe, expect, test } from 'vitest';
import { appOf } from '../../test/fixtures/app.ts';
import { runtimeOf, SETTINGS, scenarioOf, WORKERS } from '../../test/fixtures/plan.ts';
import { parseLoad } from '../config/parts/load.ts';
import type { Config, Scenario } from '../config/types.ts';
import { type Plan, plan } from './plan.ts';
import {
  COMMON_START_MS,
  DRAIN_MS,
  drainFor,
  groupTurns,
  LEAD_IN_MS,
  retime,
  SETTLE_MS,
} from './timeline/timeline.ts';

const runtime = runtimeOf('nginx-fpm', {
  ...{ base: ['php:{php}-fpm'], php: ['8.2', '8.4'], apps: ['plain'] },
  options: {
    workers: WORKERS,
    listen: { type: 'enum', values: ['tcp', 'unix'], default: 'unix', at: 'run', env: 'LISTEN', about: '' },
    pm: { type: 'enum', values: ['static', 'dynamic'], default: 'static', at: 'run', env: 'PM', about: '' },
    zts: { type: 'boolean', default: false, at: 'build', env: 'ZTS', about: '' },
  },
  elastic: { pm: ['dynamic', 'ondemand'] },
});
const scenario = scenarioOf('quick', 'vus(8, 1s)', { blocks: 8 });
const config: Config = {
  ...SETTINGS,
  apps: [appOf('plain', '/apps/plain')],
  runtimes: [
    { runtime, set: {} },
    { runtime, set: { workers: 80 }, as: 'php-fpm-80' },
    { runtime, set: { workers: 4, listen: 'tcp' } },
    { runtime, set: { zts: true } },
  ],
  scenarios: [scenario],
  instances: 3,
  seed: 42,
};
const cpus = [0, 1, 2, 3].map((cpu) => ({ cpu, core: cpu }));

const slicesOf = (p: Plan) => p.instances.flatMap((i) => i.batches.flatMap((b) => b.slices));

describe('variants', () => {
  test('have an id from what was set, in order of the alphabet, and their alias as label', () => {
    expect(plan(config, cpus).variants.map((v) => [v.id, v.label])).toEqual([
      ['nginx-fpm@8.4', 'nginx-fpm@8.4'],
      ['nginx-fpm@8.4[workers=80]', 'php-fpm-80'],
      ['nginx-fpm@8.4[listen=tcp,workers=4]', 'nginx-fpm@8.4[listen=tcp,workers=4]'],
      ['nginx-fpm@8.4[zts=true]', 'nginx-fpm@8.4[zts=true]'],
    ]);
  });

  test('that differ only at run time share an image; defaults are in force', () => {
    const { variants, images } = plan(config, cpus);
    expect(images.map((i) => [i.key, i.args])).toEqual([
      ['nginx-fpm-8-4-plain', { PHP_VERSION: '8.4', ZTS: 'false' }],
      ['nginx-fpm-8-4-plain-zts-true', { PHP_VERSION: '8.4', ZTS: 'true' }],
    ]);
    expect(new Set(variants.map((v) => v.image)).size).toBe(2);
    expect(variants[1]?.env).toEqual({ WORKERS: '80', LISTEN: 'unix', PM: 'static' });
  });

  test('of apps whose names differ only in signs have images of their own', () => {
    const apps = ['shop.v1', 'shop-v1', 'Shop-v1'].map((name) => appOf(name, `/${name}`, '.'));
    const { variants, images } = plan({ ...config, apps, runtimes: [{ runtime, set: {} }] }, cpus);
    expect(images.map((image) => [image.key, image.app?.folder])).toEqual([
      ['nginx-fpm-8-4-shop-v1', '/shop.v1'],
      ['nginx-fpm-8-4-shop-v1-2', '/shop-v1'],
      ['nginx-fpm-8-4-shop-v1-3', '/Shop-v1'],
    ]);
    expect(variants.map((variant) => variant.image)).toEqual(images.map((image) => image.key));
  });

  test('several apps and PHP versions are in the names', () => {
    const apps = [...config.apps, appOf('shop', '/shop', 'web')];
    const { variants } = plan({ ...config, apps, php: ['8.2', '8.4'] }, cpus);
    expect(variants).toHaveLength(16);
    expect(variants[1]).toMatchObject({
      id: 'plain/nginx-fpm@8.2[workers=80]',
      label: 'plain/php-fpm-80@8.2',
    });
    expect(new Set(variants.map((v) => v.label)).size).toBe(16);
  });
});

test('warns of an app with what hurts it: its .htaccess on nginx, its packages for development', () => {
  const app = { ...appOf('shop', '/shop'), htaccess: '.htaccess', devPackages: ['phpunit/phpunit'] };
  const codes = (apps: Config['apps']) => plan({ ...config, apps }, cpus).warnings.map(({ code }) => code);
  expect(codes([app])).toEqual(expect.arrayContaining(['htaccess', 'dev-packages']));
  expect(codes(config.apps)).not.toEqual(expect.arrayContaining(['htaccess']));
  expect(codes(config.apps)).not.toEqual(expect.arrayContaining(['dev-packages']));
});

test.each([
  [{}, true, []],
  [{}, false, ['shared-cores']],
  [{ memoryBytes: 2 ** 28 }, true, []],
  [{ memoryBytes: 2 ** 28 }, false, ['shared-cores', 'memory-unlimited']],
])('with %j on an engine that enforces its limits (%j)', (wanted, enforces, codes) => {
  const limits = { pinsCpus: enforces, limitsMemory: enforces };
  const { warnings, cpus: layout } = plan({ ...config, ...wanted }, cpus, undefined, limits);
  expect(warnings.map(({ code }) => code)).toEqual(codes);
  expect(layout.server).toEqual(enforces ? [1, 2] : [0, 1, 2, 3]);
});

test('with load from other machines, no warning is about the load generator beside the servers', () => {
  const loadFrom = { engines: ['b'], address: '10.0.0.5' };
  const warned = (change: Partial<Config>, pinsCpus = true) =>
    plan({ ...config, ...change }, cpus, undefined, { pinsCpus, limitsMemory: true }).warnings.map(
      ({ message }) => message,
    );
  const all = { serverCpus: [0, 1, 2, 3] };
  expect(warned(all).join()).toContain('load generator');
  expect(warned({ ...all, loadFrom })).toEqual([expect.stringMatching(/^no core is left for the system/)]);
  expect(warned({ loadFrom }, false)).toEqual([expect.stringContaining('so servers and the system share')]);
});

describe('the timeline', () => {
  test('is the same for the same seed, and another for another', () => {
    expect(plan(config, cpus)).toEqual(plan(config, cpus));
    expect(slicesOf(plan(config, cpus))).not.toEqual(slicesOf(plan({ ...config, seed: 43 }, cpus)));
  });

  test('has every variant once in each block, and its warm-up before', () => {
    for (const { batches, startOrder, ports } of plan(config, cpus).instances) {
      const slices = batches.flatMap((b) => b.slices);
      const sets = Map.groupBy(slices, (s) => (s.warmup ? 'warm-up' : String(s.block)));
      expect([...sets.keys()]).toEqual(['warm-up', '0', '1', '2', '3', '4', '5', '6', '7']);
      for (const set of sets.values()) expect(new Set(set.map((s) => s.variant)).size).toBe(4);
      expect(new Set(startOrder).size).toBe(4);
      expect(new Set(Object.values(ports)).size).toBe(4);
    }
  });

  test('orders blocks, starts and ports differently', () => {
    const { instances } = plan(config, cpus);
    const orders = instances.flatMap(({ batches }) => {
      const blocks = Map.groupBy(
        batches.flatMap((b) => b.slices),
        (s) => `${s.warmup}${s.block}`,
      );
      return [...blocks.values()].map((b) => b.map((s) => s.variant).join());
    });
    expect(new Set(orders).size).toBeGreaterThan(10);
    expect(new Set(instances.map((i) => i.startOrder.join())).size).toBeGreaterThan(1);
    expect(new Set(instances.map((i) => JSON.stringify(i.ports))).size).toBeGreaterThan(1);
  });

  test('lets requests end before the next slice, but not between warm-ups; a process takes 30 s', () => {
    for (const { index, batches } of plan(config, cpus).instances) {
      for (const [i, batch] of batches.entries()) {
        const drainMs = index === 0 && i === 0 ? scenario.timeoutMs : DRAIN_MS;
        expect(batch.drainMs).toBe(drainMs);
        let endMs = 0;
        let warm = true;
        for (const group of groupTurns(batch.slices)) {
          const [first] = group;
          const gapMs = endMs > 0 && !(warm && first?.warmup) ? drainMs + SETTLE_MS : 0;
          for (const slice of group) expect(slice.startMs).toBe(endMs + gapMs);
          endMs += gapMs + group.reduce((ms, slice) => ms + (slice.durationMs as number), 0);
          warm = first?.warmup === true;
        }
        expect(endMs + drainMs).toBeLessThanOrEqual(30_000);
      }
    }
  });

  test('waits for the timeout behind the first process of each scenario alone', () => {
    const scenarios = ['one', 'two'].map((name) => ({ ...scenario, name, blocks: 4 }));
    const of = (timeoutMs: number) =>
      plan({ ...config, scenarios: scenarios.map((one) => ({ ...one, timeoutMs })) }, cpus);
    const [slow, fast] = [of(10_000), of(500)];
    // Its warm-ups have one drain. More processes end earlier, at 0.4 s each.
    const more = slow.estimatedSeconds - fast.estimatedSeconds;
    expect(more).toBeGreaterThanOrEqual(19);
    expect(more).toBeLessThan(22);
    const drains = slow.instances.map(({ batches }) =>
      batches.flatMap(({ drainMs, scenario: { name } }) => (drainMs > DRAIN_MS ? [name] : [])),
    );
    expect(drains).toEqual([['one', 'two'], [], []]);
  });

  test('gives every variant each place equally often, in blocks, warm-ups, ports and starts', () => {
    // Eight instances of three blocks: whole squares of four variants in all of them.
    const planned = plan({ ...config, scenarios: [{ ...scenario, blocks: 3 }], instances: 8 }, cpus);
    const placesOf = (orders: readonly (readonly string[])[]) => {
      const places = Map.groupBy(
        orders.flatMap((order) => order.map((id, place) => `${id} ${place}`)),
        (key) => key,
      );
      return [...places.values()].map((same) => same.length);
    };
    const blocks = planned.instances.flatMap(({ batches }) =>
      [
        ...Map.groupBy(
          batches.flatMap((b) => b.slices),
          (s) => `${s.warmup}${s.block}`,
        ).values(),
      ].map((block) => ({ warmup: block[0]?.warmup, order: block.map((s) => s.variant) })),
    );
    expect(placesOf(blocks.filter((b) => b.warmup).map((b) => b.order))).toEqual(Array(16).fill(2));
    expect(placesOf(blocks.filter((b) => !b.warmup).map((b) => b.order))).toEqual(Array(16).fill(6));
    const rounds = planned.instances.flatMap(({ batches }) =>
      batches
        .flatMap((b) => groupTurns(b.slices))
        .filter(([slice]) => slice?.turns)
        .flatMap((group) => {
          const owners = group.flatMap((s) => (s.turns ?? []).map((turn) => ({ turn, id: s.variant })));
          const ids = owners.sort((a, b) => a.turn - b.turn).map(({ id }) => id);
          return Array.from({ length: ids.length / 4 }, (_, round) => ids.slice(4 * round, 4 * round + 4));
        }),
    );
    // Five rounds a block.
    expect(placesOf(rounds)).toEqual(Array(16).fill(30));
    expect(placesOf(planned.instances.map((i) => i.startOrder))).toEqual(Array(16).fill(2));
    expect(placesOf(planned.instances.map((i) => Object.keys(i.ports)))).toEqual(Array(16).fill(2));
  });

  test('leads in to each slice of a variant whose pool is elastic, unless it measures cold', () => {
    const runtimes = [
      { runtime, set: {} },
      { runtime, set: { pm: 'dynamic' } },
    ];
    for (const warmupMs of [2000, 0]) {
      const planned = plan({ ...config, runtimes, scenarios: [{ ...scenario, warmupMs }] }, cpus);
      for (const { batches } of planned.instances) {
        const slices = batches.flatMap((b) => b.slices);
        slices.forEach((slice, i) => {
          const before = slices[i - 1];
          const led = before?.warmup && before.variant === slice.variant && before.block === slice.block;
          const elastic = slice.variant.includes('dynamic') && !slice.warmup;
          if (elastic && warmupMs > 0) {
            expect(led).toBe(true);
            expect(before).toMatchObject({ durationMs: LEAD_IN_MS, steps: [{ vus: 8 }] });
          }
          if (!slice.warmup && !elastic) expect(led && before?.durationMs === LEAD_IN_MS).toBeFalsy();
        });
        expect(slices.filter((s) => s.warmup)).toHaveLength(warmupMs > 0 ? 2 + scenario.blocks : 0);
      }
    }
  });

  test('an elastic pool is led in by the k6 process of its slice, in the first start, too', () => {
    const runtimes = [
      { runtime, set: {} },
      { runtime, set: { pm: 'dynamic' } },
    ];
    const { instances } = plan({ ...config, runtimes, scenarios: [{ ...scenario, blocks: 20 }] }, cpus);
    for (const { batches } of instances) {
      // The warm-up of the first start is apart: it shows how long requests take.
      const [first, ...others] = batches.map(({ slices }) => slices);
      expect(first?.some(({ warmup }) => !warmup)).toBe(instances[0]?.batches !== batches);
      expect(others.length).toBeGreaterThan(1);
      for (const slices of others) expect(slices.at(-1)?.warmup).toBe(false);
      for (const slices of others) {
        const [one, two] = slices;
        if (one?.variant.includes('dynamic')) expect([one.warmup, two?.warmup]).toEqual([true, false]);
      }
    }
  });

  test('starts everything afresh more often where little is loaded', () => {
    const { instances: _, ...unsaid } = config;
    expect(plan(unsaid, cpus).instances).toHaveLength(6);
    const long = { ...scenario, load: parseLoad('line(1, 100, 61s)'), blocks: 1 };
    expect(plan({ ...unsaid, scenarios: [long] }, cpus).instances).toHaveLength(3);
    const own = { ...scenario, load: null, blocks: 1, journey: { kind: 'script', name: 'x', file: '/x.js' } };
    const startsOf = (loadMs: number) =>
      plan({ ...unsaid, scenarios: [{ ...own, script: { loadMs } } as Scenario] }, cpus).instances.length;
    expect([60_000, 61_000].map(startsOf)).toEqual([6, 3]);
    // A rule on servers needs verdicts, and these at least four starts.
    const gate = { source: 'slower > 3%', metric: null, above: 0.03, scenario: null, variant: null };
    expect(plan({ ...unsaid, scenarios: [long], failOn: [gate] }, cpus).instances).toHaveLength(4);
    const counted = { ...gate, source: 'queries more', count: 'queries' };
    expect(plan({ ...unsaid, scenarios: [long], failOn: [counted] }, cpus).instances).toHaveLength(3);
  });

  test.each<[string, Partial<Scenario>]>([
    ["the user's own script", { journey: { kind: 'script', name: 'x', file: '/x.js' } }],
    ['a count of requests', { load: parseLoad('requests(100, 2)'), warmupMs: 0 }],
  ])('%s has a process for each slice', (_, change) => {
    const planned = plan({ ...config, scenarios: [{ ...scenario, ...change }] }, cpus);
    for (const batch of planned.instances.flatMap((i) => i.batches)) expect(batch.slices).toHaveLength(1);
  });

  test.each<[string, Partial<Scenario>]>([
    ['a count of requests', { load: parseLoad('requests(100, 2)') }],
    ['a script that brings its load', { load: null }],
  ])('%s is over with its last answer: nothing waits for its timeout', (_, change) => {
    const slow = { ...scenario, warmupMs: 0, ...change };
    const planned = (timeoutMs: number) => plan({ ...config, scenarios: [{ ...slow, timeoutMs }] }, cpus);
    const { instances, estimatedSeconds } = planned(30_000);
    const batches = instances.flatMap((i) => i.batches);
    for (const batch of batches) expect(batch.drainMs).toBe(DRAIN_MS);
    // Nothing is learnt of it, so the run has only the timeout to go by.
    for (const batch of batches) expect(retime(batch, drainFor(slow, null)).drainMs).toBe(DRAIN_MS);
    expect(estimatedSeconds).toBe(planned(1000).estimatedSeconds);
  });
});

test('CPUs for nginx in front are kept free only where a variant has it, on each shard alike', () => {
  const front = runtimeOf('_front', { base: ['nginx:stable'] });
  const options = {
    front: { type: 'enum', values: ['none', 'nginx'], default: 'none', at: 'front', env: 'FRONT', about: '' },
  } as const;
  const fronted = runtimeOf('roadrunner', { base: ['php:{php}-cli'], options, front });
  const others = [runtime, runtimeOf('apache', { base: ['php:{php}-apache'] })];
  const planned = (set: Record<string, string>, change: Partial<Config> = {}) => {
    const runtimes = [...others.map((one) => ({ runtime: one, set: {} })), { runtime: fronted, set }];
    return plan({ ...config, runtimes, frontCpus: [3], ...change }, cpus);
  };
  const ask = (...asked: Parameters<typeof planned>) => {
    const { cpus: layout } = planned(...asked);
    return [layout.server, layout.load, layout.system, layout.front];
  };
  const unused = (...asked: Parameters<typeof planned>) =>
    planned(...asked).warnings.filter(({ code }) => code === 'unused-cpus');
  const kept = [[0, 1], [2], [], [3]];
  expect(ask({ front: 'nginx' })).toEqual(kept);
  for (const index of [1, 2]) {
    const shard = { index, of: 2 };
    expect(ask({ front: 'nginx' }, { shard })).toEqual(kept);
    expect(unused({ front: 'nginx' }, { shard })).toEqual([]);
  }
  expect(ask({})).toEqual([[1, 2], [3], [0], undefined]);
  expect(unused({})).toMatchObject([{ message: expect.stringMatching(/^`front-cpus` has no effect: /) }]);
  expect(() => ask({}, { frontCpus: [9] })).toThrow('this machine has no CPU 9');
});

test('CPUs of k6 do not apply to load engines, which a warning shows', () => {
  const loadFrom = { engines: ['b'], address: '10.0.0.5' };
  const unused = (change: Partial<Config>) =>
    plan({ ...config, ...change }, cpus).warnings.filter(({ code }) => code === 'unused-cpus');
  expect(unused({ loadFrom, loadCpus: [2, 3] })).toMatchObject([
    { message: expect.stringMatching(/^`load-cpus` does not apply to `load-engines`.* CPU 2-3 free here$/) },
  ]);
  expect(unused({ loadFrom })).toEqual([]);
  expect(unused({ loadCpus: [2, 3] })).toEqual([]);
});

test('load engines wait for a common start before each batch, which is a part of the plan', () => {
  const loadFrom = { engines: ['b', 'c'], address: '10.0.0.5' };
  const { instances, estimatedSeconds } = plan(config, cpus);
  const batches = instances.flatMap((instance) => instance.batches).length;
  const more = plan({ ...config, loadFrom }, cpus).estimatedSeconds - estimatedSeconds;
  expect(Math.abs(more - (batches * COMMON_START_MS) / 1000)).toBeLessThanOrEqual(1);
});

describe('the time to drain', () => {
  test.each([
    ['not known', null, 500],
    ['next to nothing', 3, DRAIN_MS],
    ['some', 120.5, 241],
    ['more than half of the timeout', 300, 500],
  ])('%s', (_, seen, expected) => expect(drainFor(scenario, seen)).toBe(expected));

  test('moves what follows, also when slices have fallen out', () => {
    const [batch] = plan(config, cpus).instances[1]?.batches ?? [];
    if (!batch) throw new Error('no batch');
    const left = { ...batch, slices: batch.slices.filter((s) => !s.variant.includes('zts')).slice(2, 6) };
    const timed = retime(left, 300);
    expect(timed.drainMs).toBe(300);
    expect(timed.slices.map((s) => s.startMs)).toEqual([0, 2450, 2450, 2450]);
    expect(timed.slices.map((s) => s.number)).toEqual(left.slices.map((s) => s.number));
  });
});
