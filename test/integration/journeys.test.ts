// The bundled apps with journeys of their own, over SQLite: every endpoint is asked, none of them fails.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeProject, type Project } from './bench.ts';

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
  const [slice] = project.results(scenario).measurements;
  expect(slice).toMatchObject({ outcome: 'ok', errors: [] });
  expect(slice?.endpoints.map(({ name }) => name)).toEqual(endpoints);
  for (const { requests, failures } of slice?.endpoints ?? []) {
    expect(requests).toBeGreaterThan(0);
    expect(failures).toBe(0);
  }
  expect(slice?.endpoints.reduce((sum, { requests }) => sum + requests, 0)).toBe(slice?.requests);
});
