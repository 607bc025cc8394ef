import { describe, expect, it } from 'vitest';
import { scenarioOf } from '../../../test/fixtures/plan.ts';
import type { Scenario } from '../../config/types.ts';
import type { PlannedVariant } from '../variants.ts';
import { PROFILE, planProfile, profileLoad } from './profile-plan.ts';

const scenario = (load: string | null): Scenario => ({
  ...scenarioOf('quick', load ?? 'vus(8, 1s)', { timeoutMs: 2000, warmupMs: 0, blocks: 9 }),
  ...(load === null && { load }),
});
const variant = (name: string, base: string | null, ref: string | null = null) =>
  ({
    ...{
      id: ref === null ? `${name}@8.4` : `${name}@8.4:base`,
      label: name,
      php: '8.4',
      ref,
      app: { name: 'shop' },
    },
    base: base === null ? null : `${name}@8.4:base`,
    runtime: { name, base: ['composer:2', 'php:{php}-apache'] },
  }) as unknown as PlannedVariant;
const scenarios = [scenario('vus(8, 1s)')];

describe('variants that are profiled', () => {
  const pair = [variant('apache', 'base'), variant('caddy', null), variant('apache', null, 'base')];

  it('are both sides of each pair, or all where there are none', () => {
    const planned = planProfile({ profile: [], scenarios }, pair);
    expect(planned?.variants).toEqual({
      'apache@8.4': 'php:8.4-apache',
      'apache@8.4:base': 'php:8.4-apache',
    });
    const alone = planProfile({ profile: [], scenarios }, [variant('apache', null), variant('caddy', null)]);
    expect(Object.keys(alone?.variants ?? {})).toEqual(['apache@8.4', 'caddy@8.4']);
    expect(planProfile({ scenarios }, pair)).toBeNull();
  });

  it('are those that were named, by runtime, label or id', () => {
    const all = [variant('apache', null), variant('caddy', null)];
    const planned = planProfile({ profile: [{ name: 'caddy@8.4' }], scenarios }, all);
    expect(Object.keys(planned?.variants ?? {})).toEqual(['caddy@8.4']);
  });

  it('have a base image with PHP that is known, or there is a warning before the run', () => {
    const image = { kind: 'image', image: 'shop:1', given: 'shop:1', ref: 'shop:1' } as const;
    const planned = planProfile({ profile: [], scenarios, other: image }, pair);
    expect(Object.keys(planned?.variants ?? {})).toEqual(['apache@8.4']);
    expect(planned?.warnings.map(({ code, variant: id }) => [code, id])).toEqual([
      ['profile', 'apache@8.4:base'],
    ]);
  });

  it('load the app through what is sampled, or there is a warning before the run', () => {
    const plain = variant('swoole', null);
    const runtime = { ...plain.runtime, unprofiled: ['symfony' as const] };
    const app = { ...plain.app, kind: 'symfony' as const };
    const own = { ...plain, id: 'php-pm', label: 'php-pm', runtime, app };
    const planned = planProfile({ profile: [], scenarios }, [plain, own]);
    expect(Object.keys(planned?.variants ?? {})).toEqual(['swoole@8.4']);
    expect(planned?.warnings).toMatchObject([
      { code: 'profile', variant: 'php-pm', message: expect.stringContaining('php-pm is not profiled') },
    ]);
    const other = { ...own, app: { ...app, kind: 'plain' as const } };
    expect(planProfile({ profile: [], scenarios }, [other])?.warnings).toEqual([]);
  });

  it('of two rows that were named: their functions are compared, or there is a warning before the run', () => {
    const row = (name: string, model: string, app = 'shop'): PlannedVariant => {
      const one = variant(name, null);
      const longLived = { when: { mode: ['worker'] }, apps: ['plain'] };
      const runtime = { ...one.runtime, model, options: {}, longLived };
      return { ...one, app: { name: app }, runtime, options: {} } as unknown as PlannedVariant;
    };
    const [fpm, loop] = [row('nginx-fpm', 'per-request'), row('swoole', 'long-lived')];
    const named = [{ name: 'nginx-fpm' }, { name: 'swoole' }, { name: 'apache' }];
    const warningsOf = (profile: typeof named, rows: PlannedVariant[]) =>
      planProfile({ profile, scenarios }, rows)?.warnings.map(({ message }) => message);
    expect(warningsOf(named, [fpm, loop, row('other', 'per-request')])).toEqual([
      'the functions of nginx-fpm and swoole are not compared: nginx-fpm starts the app for each request, and swoole keeps the app in memory',
    ]);
    expect(warningsOf(named, [fpm, row('apache', 'per-request', 'blog')])).toEqual([
      'the functions of nginx-fpm and apache are not compared: they run different apps',
    ]);
    const worker = { ...row('swoole', 'per-request'), options: { mode: 'worker' } };
    expect(warningsOf(named, [fpm, worker])).toEqual([expect.stringContaining('swoole keeps the app')]);
    expect(warningsOf(named, [loop, worker])).toHaveLength(0);
    expect(warningsOf(named, [fpm, row('apache', 'per-request')])).toEqual([]);
    expect(warningsOf(named, [fpm, loop, row('apache', 'per-request')])).toEqual([]);
    // Nobody asked for their difference.
    expect(warningsOf([], [fpm, loop])).toEqual([]);
    const [head, base] = [variant('swoole', 'base'), variant('swoole', null, 'base')];
    expect(warningsOf(named, [head, base])).toEqual([]);
  });

  it('take the time of all their starts', () => {
    const planned = planProfile({ profile: [], scenarios }, pair);
    expect(planned?.seconds).toBeGreaterThanOrEqual((2 * PROFILE.starts * PROFILE.loadMs) / 1000);
    const filled = planProfile({ profile: [], scenarios, setUp: 'php set-up.php' }, pair);
    expect(filled?.seconds).toBe((planned?.seconds ?? 0) + 2 * PROFILE.starts * 3);
  });
});

describe('the load of the pass', () => {
  it.each([
    ['vus(8, 1s)', { kind: 'vus', vus: 2, ms: PROFILE.loadMs }],
    ['vus(1, 10m)', { kind: 'vus', vus: 1, ms: PROFILE.loadMs }],
    ['const(50, 1s)', { kind: 'const', rps: 50, ms: PROFILE.loadMs }],
    ['line(20, 80, 10m)', { kind: 'const', rps: 50, ms: PROFILE.loadMs }],
  ])('of %s', (given, segment) => {
    const { load, warmup, plain } = profileLoad(scenario(given), 2);
    expect(load.load?.segments).toEqual([segment]);
    expect(load).toMatchObject({ blocks: 1, warmupMs: 0 });
    expect(warmup?.load?.segments[0]).toMatchObject({ ms: PROFILE.warmupMs });
    expect(plain?.load?.segments[0]).toEqual({ ...segment, ms: PROFILE.plainMs });
  });

  it('is that of a script which brings its own', () => {
    const found = profileLoad(scenario(null), 2);
    expect(found).toMatchObject({ warmup: null, load: { load: null, blocks: 1 }, plain: null });
  });
});
