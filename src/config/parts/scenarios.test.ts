import { describe, expect, test } from 'vitest';
import { parse } from '../../../test/fixtures/memory-files.ts';
import { compileLoad } from '../../plan/timeline/load-steps.ts';
import type { Load, Scenario } from '../types.ts';
import { loadMs } from './load.ts';

describe('scenarios', () => {
  test('paths without k6: all but the requests and their timeout are those of quick', () => {
    const [quick] = parse({}).scenarios;
    const journey = { kind: 'paths', paths: ['/', '/api/x?n=1'] };
    expect(parse({}, ['--paths', '/,/api/x?n=1']).scenarios).toEqual([
      { ...quick, name: 'paths', title: '/ /api/x?n=1', journey, timeoutMs: 2000 },
    ]);
  });

  test('a plain k6 script declares its own load, unless one is given', () => {
    const files = { 'k6/my shop.js': '' };
    expect(parse(files, ['--journey', 'k6/my shop.js']).scenarios).toMatchObject([
      { name: 'my-shop', journey: { kind: 'script', file: '/project/k6/my shop.js' }, load: null, blocks: 1 },
    ]);
    expect(parse(files, ['--journey', 'k6/my shop.js', '--load', 'vus(2, 4s)']).scenarios).toMatchObject([
      { load: { segments: [{ kind: 'vus', vus: 2, ms: 4000 }] }, blocks: 2 },
    ]);
  });

  test('shortened loads keep their blocks', () => {
    const { scenarios, durationScale } = parse({}, ['--load', 'const(8, 10s)', '--duration-scale', '0.1']);
    expect(scenarios).toMatchObject([{ load: { source: 'const(8, 1s)' }, blocks: 1 }]);
    expect(durationScale).toBe(0.1);
  });

  /** The loads of the articles: seconds, requests that are offered, cap on concurrency, timeout, cold or warm. */
  test.each([
    ['standard', 350, 5 * 10 * 210 + 100 * 150, 1000, 2000, 'cold'],
    ['stress', 600, 500.5 * 600, 1000, 2000, 'cold'],
    ['rps-100', 600, 50.5 * 60 + 100 * 540, 1000, 11_000, 'cold'],
    ['rps-500', 600, 250.5 * 60 + 500 * 540, 1000, 11_000, 'cold'],
    ['rps-1000', 120, 500.5 * 60 + 1000 * 60, 1000, 11_000, 'cold'],
    ['rps-10000', 60, 5000.5 * 30 + 10_000 * 30, 1000, 11_000, 'cold'],
    ['shop', 120, 155 * 60 + 100 * 60, 300, 11_000, 'warm'],
  ])('%s is the load of its article', (name, seconds, requests, maxVus, timeoutMs, state) => {
    const [scenario] = parse({}, ['--scenarios', name]).scenarios as [Scenario];
    const steps = compileLoad(scenario.load as Load, scenario);
    expect(loadMs(scenario.load as Load)).toBe(seconds * 1000);
    expect(
      steps.reduce((sum, { rps, durationMs }) => sum + ((rps ?? 0) * (durationMs ?? 0)) / 1000, 0),
    ).toBeCloseTo(requests);
    expect(scenario).toMatchObject({ maxVus, timeoutMs, reuse: false, blocks: 1 });
    expect(scenario.warmupMs === 0).toBe(state === 'cold');
    expect(new Set(steps.map(({ vus }) => vus))).toEqual(new Set([maxVus]));
  });

  test.each([10, 50, 100, 200])('ab-%d opens a connection for each of a count of requests', (vus) => {
    expect(parse({}, ['--scenarios', `ab-${vus}`]).scenarios).toMatchObject([
      { load: { segments: [{ kind: 'requests', requests: 10_000, vus }] }, reuse: false, blocks: 5 },
    ]);
  });

  test('a bundled scenario gives way to one’s own of that name', () => {
    const files = { '.bench/scenarios/quick.yaml': 'title: Mine\npaths: [/]\nload: vus(1, 1s)\n' };
    expect(parse(files).scenarios).toMatchObject([{ title: 'Mine' }]);
  });

  test.each(['._shop.yaml', 'my shop.yaml', 'shop.yml'])('%s stops no other scenario', (name) => {
    const files = { '.bench/scenarios/shop.yaml': '', [`.bench/scenarios/${name}`]: '' };
    expect(parse(files).scenarios).toMatchObject([{ name: 'quick' }]);
  });

  test('a file of macOS beside a scenario is none', () => {
    const shop = 'title: Shop\npaths: [/]\nload: vus(1, 1s)\n';
    const files = { '.bench/scenarios/shop.yaml': shop, '.bench/scenarios/.shop.yaml': '' };
    expect(parse(files, ['--scenarios', 'shop']).scenarios).toMatchObject([{ title: 'Shop' }]);
  });

  test('a scenario of the current folder replaces broken ones of other folders', () => {
    const shop = 'title: Shop\npaths: [/]\nload: vus(1, 1s)\n';
    const files = {
      ...{ 'ci/.bench.yml': '', '.bench/scenarios/shop.yaml': shop },
      ...{ 'ci/.bench/scenarios/shop.yaml': '', 'ci/.bench/scenarios/shop.yml': '' },
    };
    const flags = ['--config', 'ci/.bench.yml', '--app', 'plain', '--scenarios', 'shop'];
    expect(parse(files, flags).scenarios).toMatchObject([{ title: 'Shop' }]);
  });

  test('a scenario of one’s own, its script beside it', () => {
    const files = {
      '.bench/scenarios/shop.yaml':
        'title: Shop\njourney: ./shop.js\nload: const(10, 30s)\nmax-vus: 20\nslo: { p95: 300ms }\n',
      '.bench/scenarios/shop.js': '',
    };
    expect(parse(files, ['--scenarios', 'shop']).scenarios).toMatchObject([
      {
        journey: { kind: 'script', file: '/project/.bench/scenarios/shop.js' },
        maxVus: 20,
        blocks: 1,
        timeoutMs: 2000,
        slo: { p95Ms: 300 },
      },
    ]);
  });

  test.each([
    [[], 8],
    [['--load', 'vus(8, 3s)'], 2],
    [['--load', 'const(8, 30s)'], 1],
    [['--load', 'requests(1000, 10)'], 3],
    [['--load', 'vus(8, 3s)', '--blocks', '2'], 2],
  ])('blocks with %j', (flags, blocks) => {
    const files = { '.bench/scenarios/own.yaml': 'title: x\npaths: [/]\nload: vus(8, 1s)\nblocks: 8\n' };
    expect(parse(files, ['--scenarios', 'own', ...flags]).scenarios[0]?.blocks).toBe(blocks);
  });

  test('all bundled ones are valid', () => {
    expect(parse({}, ['--scenarios', 'quick,json']).scenarios).toHaveLength(2);
  });
});
