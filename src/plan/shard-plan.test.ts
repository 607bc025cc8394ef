import { expect, test } from 'vitest';
import { otherAppOf } from '../../test/fixtures/app.ts';
import { parseConfig } from '../config/parse.ts';
import type { Config, Other } from '../config/types.ts';
import { UserError } from '../errors.ts';
import { checkSize, findCounted, gatesFor, planShards, takeShard, warnOfSharedEngine } from './shard-plan.ts';
import { checkTime } from './time.ts';
import { planCounts } from './timeline/count-plan.ts';
import { planVariants } from './variants.ts';

const packageRoot = new URL('../..', import.meta.url).pathname;

const planned = (...flags: string[]) =>
  plannedFor(
    'apache,a=nginx-fpm[workers=2],b=nginx-fpm[workers=4],c=nginx-fpm[workers=8],php-s=apache[workers=1]',
    ...flags,
  );

function plannedFor(runtimes: string, ...flags: string[]) {
  const config = parseConfig({
    flags: ['--app', 'plain', '--runtimes', runtimes, ...flags],
    cwd: packageRoot,
    packageRoot,
  });
  const all = planVariants(config);
  const deal = (wanted: number | 'runtimes') => planShards(all, config, wanted);
  const take = (index: number, of: number) =>
    takeShard(all, config, { index, of }).variants.map(({ label }) => label);
  return { config, all, deal, take };
}

test.each([
  // Runtimes stay whole while there are enough of them.
  [1, ['1/1: a b c php-s']],
  [2, ['1/2: a b c', '2/2: php-s']],
  ['runtimes', ['1/2: a b c', '2/2: php-s']],
  [3, ['1/3: a', '2/3: b', '3/3: c php-s']],
  [64, ['1/4: a', '2/4: b', '3/4: c', '4/4: php-s']],
] as const)('%s shards: all but the reference are dealt, once', (wanted, expected) => {
  const shards = planned().deal(wanted);
  expect(shards.map(({ index, of, variants }) => `${index}/${of}: ${variants.join(' ')}`)).toEqual(expected);
});

test('load engines load the servers of one machine', () => {
  const { deal } = planned('--load-engines', 'box', '--load-address', '10.0.0.5');
  expect(deal(1)).toHaveLength(1);
  expect(() => deal(2)).toThrow('loads the servers of one machine');
});

test.each([
  ['ssh://me@box', 2, true],
  ['tcp://box:2376', 2, true],
  // One shard waits for nothing. Contexts and sockets belong to the runner.
  ['ssh://me@box', 1, false],
  ['box', 2, false],
  ['/var/run/docker.sock', 2, false],
  ['', 2, false],
])('engine %s, shards: %i: a warning that they wait for each other: %s', (engine, wanted, warns) => {
  const { config, deal } = planned(...(engine ? ['--engine', engine] : []));
  const warning = warnOfSharedEngine(config, deal(wanted));
  if (!warns) return expect(warning).toBeNull();
  expect(warning).toContain('2 shards use the engine');
  expect(warning).toContain('shards: 1');
  expect(warning).not.toContain('me@');
});

test('values that are tuned stay on one machine, with the one that was chosen', () => {
  const { deal, take } = plannedFor('apache,nginx-fpm[workers=4]', '--tune', 'workers=8,16');
  expect(deal(64).map(({ variants }) => variants)).toEqual([
    ['apache@8.4[workers=8]'],
    [4, 8, 16].map((n) => `nginx-fpm@8.4[workers=${n}]`),
  ]);
  expect(take(2, 2).slice(1)).toEqual([4, 8, 16].map((n) => `nginx-fpm@8.4[workers=${n}]`));
});

test.each([
  [['--load', 'vus(8, 1s)'], null],
  [['--load', 'const(9, 3h)'], 'about 1081 min on machine 1 of 4'],
  [['--capacity', '--load', 'vus(8, 1s)', '--timeout', '60s'], null],
  [
    [
      '--capacity',
      '--load',
      'vus(8, 1s)',
      '--timeout',
      '60s',
      '--scenarios',
      'quick,json,ab-10,ab-50,ab-100',
    ],
    'about 144 min on machine 1 of 4',
  ],
  [['--budget', '6h'], 'about 360 min on machine 1 of 4'],
  // The passes that follow are a part of it, on the version that is known here.
  [['--budget', '59m'], null],
  [['--budget', '59m50s'], null],
  [['--budget', '59m50s', '--cold-start'], 'about 61 min on machine 1 of 4'],
  [['--budget', '59m', '--profile', 'true'], 'about 61 min on machine 1 of 4'],
  [
    ['--budget', '59m', '--count', 'php,instructions', '--paths', '/,/a,/b'],
    'about 61 min on machine 1 of 4',
  ],
])('%s: what a machine has no time for is refused before it starts', (flags, found) => {
  const { all, config, deal } = planned(...flags);
  const check = () => checkTime(all, config, deal(64), 60);
  if (found === null) return check();
  expect(check).toThrow('the plan exceeds the time limit of a machine');
  try {
    check();
  } catch (error) {
    expect((error as UserError).detail).toMatchObject({
      ...{ where: { name: 'input timeout-minutes' }, allowed: 'up to 60 min' },
      found: expect.stringContaining(found),
    });
  }
});

test.each([60, null])(
  'a budget that is too small for a shard is refused before it starts, up to %s min',
  (minutes) => {
    const { all, config, deal } = planned('--budget', '30s', '--load', 'vus(8, 10s)');
    expect(() => checkTime(all, config, deal(64), minutes)).toThrow('too small for a comparison');
  },
);

test.each([
  [['--php', '8.2,8.3,8.4,8.5'], 1, null],
  // Each of them has a base.
  [['--php', '8.2,8.3,8.4,8.5', '--compare-to', 'base'], 1, '240 on machine 1 of 1, with those of the base'],
  [['--php', '8.2,8.3,8.4,8.5', '--compare-to', 'base'], 2, null],
])('%j on %i machines: results that cannot be read are refused before the run', (flags, wanted, found) => {
  const many = Array.from({ length: 30 }, (_, i) => `v${i}=apache[workers=${i + 1}]`).join();
  const { all, config, deal } = plannedFor(many, ...flags);
  const check = () => checkSize(all, config, deal(wanted));
  if (found === null) return check();
  expect(check).toThrow('too many variants for one machine');
  try {
    check();
  } catch (error) {
    expect((error as UserError).detail).toMatchObject({ found, allowed: 'up to 200' });
  }
});

test('more scenarios than can be read are refused before the run', () => {
  const { all, config, deal } = planned();
  const scenarios = Array.from({ length: 51 }, () => config.scenarios).flat();
  expect(() => checkSize(all, { ...config, scenarios }, deal(1))).toThrow('too many scenarios');
});

test('each shard measures the reference and its own, with their images alone', () => {
  const { take, config, all } = planned();
  expect(take(1, 2)).toEqual(['apache@8.4', 'a', 'b', 'c']);
  expect(take(2, 2)).toEqual(['apache@8.4', 'php-s']);
  expect(takeShard(all, config, { index: 2, of: 2 }).images.map(({ runtime }) => runtime.name)).toEqual([
    'apache',
  ]);
});

test('what stands before a variant is built in its shard', () => {
  const { all, config } = planned('--runtimes', 'apache[front=nginx]');
  const { images } = takeShard(all, config, { index: 1, of: 1 });
  expect(images.map(({ runtime }) => runtime.name)).toEqual(['apache', 'nginx-fpm', 'front-nginx']);
});

test('the reference that was asked for is the one in all shards', () => {
  const { take, deal } = planned('--reference', 'b');
  const shards = deal(4);
  for (const { index, of } of shards) expect(take(index, of)).toContain('b');
  expect(shards.flatMap(({ variants }) => variants)).not.toContain('b');
});

test('counterparts in the base go with their variant', () => {
  const { config } = planned();
  const other: Other = {
    ...{ kind: 'commit', given: 'main', ref: 'main', commit: 'c0ffee' },
    apps: { plain: otherAppOf('') },
    runtimes: {},
  };
  const asked = { ...config, other };
  const { variants } = takeShard(planVariants(asked), asked, { index: 2, of: 2 });
  expect(variants.map(({ label }) => label)).toEqual([
    'apache@8.4',
    'php-s',
    'apache@8.4 (main)',
    'php-s (main)',
  ]);
});

test('a gate goes with its variant; one for all is in every shard', () => {
  const { config, all } = planned('--fail-on', 'slower > 3%, slower > 5% on a, slower > 9% on apache');
  const gates = (index: number) => {
    const shard = { index, of: 2 };
    return gatesFor({ ...config, shard }, takeShard(all, config, shard).variants).map(({ above }) => above);
  };
  expect(gates(1)).toEqual([0.03, 0.05, 0.09]);
  expect(gates(2)).toEqual([0.03, 0.09]);
  expect(gatesFor(config, all.variants)).toHaveLength(3);
});

test('a gate on a count is left out of a run that counts something else', () => {
  const rules = ['slower > 3%', 'instructions more'];
  const { config, all } = plannedFor('apache', ...rules.flatMap((rule) => ['--fail-on', rule]));
  const gates = (count: Config['count']) =>
    gatesFor({ ...config, ...(count && { count }) }, all.variants).map(({ source }) => source);
  expect(gates(undefined)).toEqual(rules);
  expect(gates(['php'])).toEqual(['slower > 3%']);
});

test('a rule on instructions goes to the shards that count them', () => {
  const split = (index: number, ...rules: string[]) => {
    const flags = ['instructions more', ...rules].flatMap((rule) => ['--fail-on', rule]);
    const { config, all } = plannedFor('apache,nginx-fpm,caddy-fpm', ...flags);
    const own = { ...config, shard: { index, of: 2 } };
    const { variants } = takeShard(all, own, own.shard);
    const counted = findCounted(own, variants).map(({ runtime }) => runtime.name);
    // A reference that fails is the reference nevertheless.
    const left = variants.filter(({ runtime }) => runtime.name !== 'apache');
    if (index === 2)
      expect(findCounted(own, left, variants).map(({ runtime }) => runtime.name)).toEqual(counted);
    return { counted, gates: gatesFor(own, variants).map(({ source }) => source) };
  };
  expect(split(1)).toEqual({ counted: ['apache'], gates: ['instructions more'] });
  // All shards measure the reference, and the first one counts its app.
  expect(split(2)).toEqual({ counted: [], gates: [] });
  const ofReference = 'instructions more on apache';
  expect(split(2, ofReference)).toEqual({ counted: [], gates: [] });
  // Only this shard knows the variant that the rule names.
  const ofOther = 'instructions more > 2% on caddy-fpm';
  expect(split(1, ofOther)).toEqual({ counted: ['apache'], gates: ['instructions more'] });
  expect(split(2, ofOther)).toEqual({ counted: ['caddy-fpm'], gates: ['instructions more', ofOther] });
});

test('an image for counting instructions is built by the shards that count', () => {
  const builds = (index: number, ...rules: string[]) => {
    const flags = ['--count', 'instructions', ...rules.flatMap((rule) => ['--fail-on', rule])];
    const { config, all } = plannedFor('apache,nginx-fpm,caddy-fpm', ...flags);
    const { variants, images } = takeShard(all, config, { index, of: 2 });
    const counters = variants.filter(({ counter }) => counter !== undefined).length;
    expect(planCounts(config, variants)).toHaveLength(counters > 0 ? 1 : 0);
    return images.some(({ key }) => key.startsWith('instructions'));
  };
  expect([builds(1), builds(2)]).toEqual([true, false]);
  expect(builds(2, 'instructions more > 2% on caddy-fpm')).toBe(true);
});

test('a shard that there is not', () => {
  expect(() => planned().take(3, 9)).toThrow(UserError);
});
