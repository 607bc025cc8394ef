import { describe, expect, test } from 'vitest';
import { appOf, otherAppOf } from '../../test/fixtures/app.ts';
import { messageOf } from '../../test/fixtures/memory-files.ts';
import { runtimeOf, SETTINGS, scenarioOf, WORKERS } from '../../test/fixtures/plan.ts';
import type { Config, Other } from '../config/types.ts';
import { findReference, planVariants } from './variants.ts';

const runtime = (name: string, folder = `/pkg/runtimes/${name}`) =>
  runtimeOf(name, {
    ...{ folder, base: ['php:{php}-cli'], apps: ['plain'] },
    options: {
      workers: WORKERS,
      zts: { type: 'boolean', default: false, at: 'build', env: 'ZTS', about: '' },
    },
  });
const apache = runtime('apache');
const mine = runtime('mine', '/project/.bench/runtimes/mine');
const shop = appOf('shop', '/project/shop');
const blog = appOf('blog', '/project/blog');

const config: Config = {
  ...SETTINGS,
  apps: [shop],
  runtimes: [
    { runtime: apache, set: {} },
    { runtime: apache, set: { workers: 4 }, as: 'small' },
    { runtime: mine, set: { zts: true } },
  ],
  scenarios: [scenarioOf('quick', 'vus(8, 1s)', { blocks: 8 })],
  instances: 3,
  seed: 42,
};

const other = (more: Partial<Extract<Other, { kind: 'commit' }>> = {}): Other => ({
  ...{ kind: 'commit', given: 'v1', ref: 'refs/tags/v1', commit: 'c0ffee' },
  apps: { shop: otherAppOf('apps/shop', 'web') },
  runtimes: { mine: { folder: '.bench/runtimes/mine' } },
  ...more,
});

describe('the base', () => {
  test('is a counterpart of each variant, behind all of them', () => {
    const { variants } = planVariants({ ...config, other: other() });
    expect(variants.map(({ id, label, ref, base }) => [id, label, ref, base])).toEqual([
      ['apache@8.4', 'apache@8.4', null, 'apache@8.4:base'],
      ['apache@8.4[workers=4]', 'small', null, 'apache@8.4[workers=4]:base'],
      ['mine@8.4[zts=true]', 'mine@8.4[zts=true]', null, 'mine@8.4[zts=true]:base'],
      ['apache@8.4:base', 'apache@8.4 (v1)', 'v1', null],
      ['apache@8.4[workers=4]:base', 'small (v1)', 'v1', null],
      ['mine@8.4[zts=true]:base', 'mine@8.4[zts=true] (v1)', 'v1', null],
    ]);
  });

  test('is like the other except for its app, its image and its own runtime', () => {
    const { variants, images } = planVariants({ ...config, other: other() });
    for (const [i, { app, runtime: own, image, ...twin }] of variants.slice(3).entries()) {
      const { env, options, php } = variants[i] as (typeof variants)[number];
      expect(twin).toMatchObject({ env, options, php });
      expect(app).toEqual(appOf('shop', 'apps/shop', 'web'));
    }
    expect(variants.map(({ image }) => image)).toEqual([
      ...['apache-8-4-shop', 'apache-8-4-shop', 'mine-8-4-shop-zts-true'],
      ...['apache-8-4-shop-base', 'apache-8-4-shop-base', 'mine-8-4-shop-zts-true-base'],
    ]);
    const folders = images.map(({ ref, runtime: own, app }) => [ref, own.folder, app?.folder]);
    expect(folders.toSorted()).toEqual([
      [null, '/pkg/runtimes/apache', '/project/shop'],
      [null, '/project/.bench/runtimes/mine', '/project/shop'],
      ['v1', '.bench/runtimes/mine', 'apps/shop'],
      ['v1', '/pkg/runtimes/apache', 'apps/shop'],
    ]);
    expect(images.every(({ ready }) => ready === null)).toBe(true);
  });

  test('has images of its own even where an app is named like its image', () => {
    const twisted = { ...shop, name: 'shop-base', folder: '/project/twisted' };
    const apps = { shop: otherAppOf('shop', '.'), 'shop-base': otherAppOf('twisted', '.') };
    const { variants, images } = planVariants({ ...config, apps: [shop, twisted], other: other({ apps }) });
    const image = (id: string) => {
      const key = variants.find((variant) => variant.id === id)?.image;
      return images.find((one) => one.key === key)?.app?.folder;
    };
    expect(image('shop/apache@8.4')).toBe('/project/shop');
    expect(image('shop/apache@8.4:base')).toBe('shop');
    expect(image('shop-base/apache@8.4')).toBe('/project/twisted');
    expect(image('shop-base/apache@8.4:base')).toBe('twisted');
    expect(new Set(images.map(({ key }) => key)).size).toBe(images.length);
  });

  test('has no counterpart if it lacks the app or the runtime', () => {
    const missing = { missing: 'is not there' };
    const lacking = other({
      apps: { shop: otherAppOf('shop', '.'), blog: missing },
      runtimes: { mine: missing },
    });
    const { variants } = planVariants({ ...config, apps: [shop, blog], other: lacking });
    expect(variants.filter(({ ref }) => ref !== null).map(({ id }) => id)).toEqual([
      'shop/apache@8.4:base',
      'shop/apache@8.4[workers=4]:base',
    ]);
    expect(variants.filter(({ ref, base }) => ref === null && base === null)).toHaveLength(4);
  });

  test('may be nothing', () => {
    const none: Other = { ...{ kind: 'none', given: 'base', ref: 'main', commit: null, reason: 'shallow' } };
    expect(planVariants({ ...config, other: none })).toEqual(planVariants(config));
    expect(planVariants(config).variants.every(({ ref, base }) => ref === null && base === null)).toBe(true);
  });

  test('may be an image, for one variant alone', () => {
    const image: Other = { kind: 'image', given: 'shop:1', ref: 'shop:1', image: 'shop:1' };
    const one = { ...config, runtimes: config.runtimes.slice(0, 1), other: image };
    const { variants, images } = planVariants(one);
    expect(variants.map(({ id, label, image }) => [id, label, image])).toEqual([
      ['apache@8.4', 'apache@8.4', 'apache-8-4-shop'],
      ['apache@8.4:base', 'apache@8.4 (shop:1)', 'apache-8-4-shop-base'],
    ]);
    expect(images.map(({ ref, ready }) => [ref, ready])).toEqual([
      [null, null],
      [null, 'shop:1'],
    ]);
    const where = { name: '--compare-to' };
    const many = { ...config, other: image, compareTo: { given: 'shop:1', path: '/shop:1', where } };
    expect(messageOf(() => planVariants(many))).toBe(
      '--compare-to: an image can be compared with exactly one variant\n' +
        '  found:   apache@8.4, small, mine@8.4[zts=true]\n' +
        '  allowed: one app, one PHP version, one runtime',
    );
  });
});

describe('names', () => {
  const unchecked = { name: '.bench.yml', line: 2 };

  test.each([
    [undefined, undefined],
    ['small', 'apache@8.4[workers=4]'],
    ['apache@8.4[workers=4]', 'apache@8.4[workers=4]'],
  ])('reference %s is %s', (name, id) => {
    const asked = { ...config, other: other(), ...(name && { reference: { name, unchecked } }) };
    expect(findReference(asked, planVariants(asked).variants)?.id).toBe(id);
  });

  test('of no variant are refused', () => {
    expect(messageOf(() => planVariants({ ...config, reference: { name: 'smal', unchecked } }))).toBe(
      ".bench.yml:2: unknown variant\n  found:   'smal'\n" +
        '  allowed: apache@8.4, small, apache@8.4[workers=4], mine@8.4[zts=true]\n' +
        "  hint:    did you mean 'small'?",
    );
    const gate = { source: 'x', metric: null, above: 0.03, scenario: null, variant: 'apach', unchecked };
    expect(messageOf(() => planVariants({ ...config, failOn: [gate] }))).toBe(
      ".bench.yml:2: unknown runtime or variant in a limit\n  found:   'apach'\n" +
        '  allowed: apache, mine, apache@8.4, small, apache@8.4[workers=4], mine@8.4[zts=true]\n' +
        "  hint:    did you mean 'apache'?",
    );
  });

  test.each(['apache', 'small', 'apache@8.4[workers=4]'])('a gate may be on %s', (variant) => {
    const gate = { source: 'x', metric: null, above: 0.03, scenario: null, variant };
    expect(planVariants({ ...config, failOn: [gate] }).variants).toHaveLength(3);
  });

  test('that were overridden name nothing, which is no mistake', () => {
    const asked = { ...config, reference: { name: 'gone' } };
    expect(findReference(asked, planVariants(asked).variants)).toBeUndefined();
  });

  test('of the base are none', () => {
    const name = 'small (v1)';
    expect(
      messageOf(() => planVariants({ ...config, other: other(), reference: { name, unchecked } })),
    ).toContain("found:   'small (v1)'");
  });
});

test('a runtime that extends another has its image, unless it is built with other arguments', () => {
  const many = { ...apache, name: 'many', extends: 'apache' };
  const { zts, ...rest } = apache.options;
  const other = {
    ...{ ...apache, name: 'other', extends: 'apache' },
    options: { ...rest, ...(zts && { zts: { ...zts, default: true } }) },
  };
  const chosen = [apache, many, other].map((one) => ({ runtime: one, set: {} }));
  const { variants, images } = planVariants({ ...config, runtimes: chosen });
  expect(variants.map(({ id, image }) => [id, image])).toEqual([
    ['apache@8.4', 'apache-8-4-shop'],
    ['many@8.4', 'apache-8-4-shop'],
    ['other@8.4', 'apache-8-4-shop-2'],
  ]);
  expect(images.map(({ key, args }) => [key, args.ZTS])).toEqual([
    ['apache-8-4-shop', 'false'],
    ['apache-8-4-shop-2', 'true'],
  ]);
});

test('what stands before a variant is an image of its own, one for all of them', () => {
  const nginx = { ...runtime('front-nginx', '/pkg/runtimes/_front'), options: {} };
  const spec = {
    type: 'enum',
    values: ['none', 'nginx'],
    default: 'none',
    at: 'front',
    env: 'BENCH_FRONT',
    about: '',
  } as const;
  const behind = { ...apache, front: nginx, options: { ...apache.options, front: spec } };
  const chosen = [{}, { front: 'nginx' }, { front: 'nginx', workers: 2 }].map((set) => ({
    runtime: behind,
    set,
  }));
  const { variants, images } = planVariants({ ...config, runtimes: chosen });
  expect(
    variants.map(({ id, image, front, options, env }) => [id, image, front, options.front, env.BENCH_FRONT]),
  ).toEqual([
    ['apache@8.4', 'apache-8-4-shop', undefined, undefined, undefined],
    ['apache@8.4[front=nginx]', 'apache-8-4-shop', 'front-nginx', 'nginx', undefined],
    ['apache@8.4[front=nginx,workers=2]', 'apache-8-4-shop', 'front-nginx', 'nginx', undefined],
  ]);
  expect(images.map(({ key, app }) => [key, app?.name])).toEqual([
    ['apache-8-4-shop', 'shop'],
    ['front-nginx', undefined],
  ]);
});

test('instructions are counted in an image of their own for each version, one for all runtimes of an app', () => {
  const counter = { ...runtime('instructions', '/pkg/runtimes/_instructions'), options: {} };
  const chosen = [apache, { ...apache, name: 'other' }].map((one) => ({
    runtime: { ...one, counter },
    set: {},
  }));
  const app = config.apps[0] as Config['apps'][number];
  const there = { folder: 'shop', root: app.root, install: false };
  const commit = {
    ...({ given: 'main', ref: 'main', kind: 'commit', commit: 'c'.repeat(40) } as const),
    ...{ apps: { [app.name]: there }, runtimes: {} },
  };
  const counted = { ...config, runtimes: chosen, count: ['instructions'] as const };
  const keysOf = (more: Partial<Config>) => {
    const { variants, images } = planVariants({ ...counted, ...more });
    expect(images.map(({ key }) => key)).toEqual(
      expect.arrayContaining(variants.flatMap((variant) => variant.counter ?? [])),
    );
    return variants.map((variant) => variant.counter);
  };
  const own = 'instructions-8-4-shop';
  expect(keysOf({})).toEqual([own, own]);
  expect(keysOf({ other: commit })).toEqual([own, own, `${own}-base`, `${own}-base`]);
  expect(keysOf({ other: { given: 'HEAD', ref: 'HEAD', kind: 'itself' } })).toEqual([own, own, own, own]);
  expect(keysOf({ count: ['services'] })).toEqual([undefined, undefined]);
  // Instructions in an image that somebody else built cannot be counted.
  const image = { given: 'shop:1', ref: 'shop:1', kind: 'image', image: 'shop:1' } as const;
  const [one] = chosen;
  const { variants } = planVariants({ ...counted, runtimes: one ? [one] : [], other: image });
  expect(variants.map((variant) => variant.counter)).toEqual([own, undefined]);
});

test('the image of PHP 8.6 gets an extension that images of older PHP have', () => {
  const { images } = planVariants({
    ...config,
    apps: [{ ...shop, dropped: ['mbstring'] }],
    php: ['8.5', '8.6'],
  });
  const given = images
    .filter(({ runtime: { name } }) => name === 'apache')
    .map(({ php, args }) => [php, args.EXTENSIONS]);
  expect(given).toEqual([
    ['8.5', undefined],
    ['8.6', 'mbstring'],
  ]);
});
