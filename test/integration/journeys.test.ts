// Journeys: in the bundled apps with their own, over SQLite, every endpoint is asked and none fails. Paths are shared
// evenly. A variant that answers a POST differently fails.
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeProject, type Project, root, slicesOf, variantOf } from './bench.ts';

let project: Project;
beforeAll(async () => {
  project = await makeProject();
});
afterAll(() => project.remove());

test.each([
  ['laravel', 'auth', ['GET /', 'POST /register', 'POST /login', 'GET /user']],
  ['shop', 'shop', ['home', 'category', 'product', 'cart']],
])('%s: the journey %s has a row for each endpoint', async (app, scenario, endpoints) => {
  const { code, stderr } = await project.run(
    scenario,
    ...['--app', app, '--scenarios', scenario, '--runtimes', 'apache', '--instances', '1', '--blocks', '1'],
    ...['--load', 'vus(2, 3s)', '--warmup', '0s', '--wait'],
  ).done;
  expect({ code, said: code === 0 ? '' : stderr }).toEqual({ code: 0, said: '' });
  const { checked, measurements } = project.results(scenario);
  // In the order of the journey, which is random in a shop.
  expect(checked?.map(({ endpoint }) => endpoint).sort()).toEqual([...endpoints].sort());
  expect(new Set(checked?.map(({ journey }) => journey))).toEqual(new Set([scenario]));
  expect(stderr).toContain(`checked: ${endpoints[0]} (${scenario}) → 200`);
  const [slice] = measurements;
  expect(slice).toMatchObject({ outcome: 'ok', errors: [] });
  expect(slice?.endpoints.map(({ name }) => name)).toEqual(endpoints);
  for (const { requests, failures } of slice?.endpoints ?? []) {
    expect(requests).toBeGreaterThan(0);
    expect(failures).toBe(0);
  }
  expect(slice?.endpoints.reduce((sum, { requests }) => sum + requests, 0)).toBe(slice?.requests);
});

test('paths: each variant gets them in equal shares, though one client goes from variant to variant', async () => {
  const paths = ['/io?ms=40', '/io?ms=41', '/io?ms=42'];
  const { code, stderr } = await project.run(
    'paths',
    ...['--runtimes', 'apache,nginx-fpm', '--paths', paths.join(','), '--load', 'vus(1, 4s)'],
    ...['--instances', '1', '--blocks', '1', '--warmup', '0s', '--wait'],
  ).done;
  expect({ code, said: code === 0 ? '' : stderr }).toEqual({ code: 0, said: '' });
  const { measurements } = project.results('paths');
  expect(measurements.map(({ turnMs }) => turnMs)).toEqual([200, 200]);
  for (const { endpoints } of measurements) {
    expect(endpoints.map(({ name }) => name)).toEqual(paths);
    // By itself in turn: how many requests of the other's lay in between makes no difference.
    const requests = endpoints.map((endpoint) => endpoint.requests);
    expect(Math.max(...requests) - Math.min(...requests), requests.join(' ')).toBeLessThanOrEqual(1);
    expect(Math.min(...requests)).toBeGreaterThan(3);
  }
});

test('what is compressed for browsers is compressed under load', async () => {
  const { code, stderr } = await project.run(
    'gzip',
    ...['--runtimes', 'apache,apache[gzip=true]', '--paths', '/json?n=100', '--load', 'requests(50, 2)'],
    ...['--instances', '1', '--blocks', '1', '--warmup', '0s', '--wait'],
  ).done;
  expect({ code, said: code === 0 ? '' : stderr }).toEqual({ code: 0, said: '' });
  const [plain, packed] = ['apache@8.4', 'apache@8.4[gzip=true]'].map((id) => {
    const [slice] = slicesOf(project.results('gzip'), id);
    return slice?.outcome === 'ok' ? slice.bytesReceived : 0;
  }) as [number, number];
  expect(packed).toBeGreaterThan(0);
  expect(packed).toBeLessThan(plain / 2);
});

test('a variant that answers a step of a journey differently is failed, not ranked', async () => {
  const runtimes = ['apache', 'apache[workers=4]', 'nginx-fpm'];
  const { code, stderr } = await project.run(
    'differs',
    ...[
      '--app',
      join(root, 'test/fixtures/apps/tokens'),
      '--scenarios',
      'auth',
      '--runtimes',
      runtimes.join(),
    ],
    ...['--instances', '2', '--blocks', '1', '--load', 'vus(2, 1s)', '--warmup', '0s', '--wait'],
    // Here the second starts before the first, which is the model all the same.
    ...['--seed', '2814498756'],
  ).done;
  expect(code, stderr).toBe(3);
  const results = project.results('differs');
  expect(variantOf(results, 'nginx-fpm@8.4').failure).toMatchObject({
    stage: 'verify',
    reason: expect.stringMatching(/^POST \/login \(auth\) answers differently from apache@8\.4: .*type/),
  });
  expect(slicesOf(results, 'nginx-fpm@8.4')).toEqual([]);
  // Tokens, addresses and the time differ between these two, and in each of both instances.
  for (const id of ['apache@8.4', 'apache@8.4[workers=4]']) {
    expect(slicesOf(results, id)).toMatchObject([
      { outcome: 'ok', errors: [] },
      { outcome: 'ok', errors: [] },
    ]);
  }
});
