/** Counts, exit codes and outcomes of real runs: nothing here depends on how much else the machine does. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bench, makeProject, type Project, root } from './bench.ts';

let project: Project;
beforeAll(async () => {
  project = await makeProject();
});
afterAll(() => project?.remove());

test("k6's count of requests equals the server's own, to the last one", async () => {
  const run = await bench(
    project,
    ...(['count', '--runtimes', 'apache[access-log=true],nginx-fpm[access-log=true]'] as const),
    ...['--paths', '/json?n=5', '--load', 'requests(300, 4)', '--warmup', '0s', '--blocks', '1'],
  );
  for (const m of run.results.measurements) {
    expect(m.requests).toBe(300);
    const folder = join(project.folder, 'count/raw/logs/0');
    const file = readdirSync(folder).find((name) =>
      name.startsWith(m.variant.split('[')[0] as string),
    ) as string;
    const served = readFileSync(join(folder, file), 'utf8').match(/GET \/json\?n=5 /g) ?? [];
    // The check asks twice before the load and once behind it, and one variant 18 times more, as the page's length varies.
    // Behind it, one request counts the files that PHP compiles again.
    expect([300 + 4, 300 + 4 + 18]).toContain(served.length);
  }
});

test.each([
  ['p50=60ms', 1],
  ['p50=10s,ok=99%', 0],
])('a pass criterion of %s on pages of 100 ms ends with exit code %i', async (slo, expected) => {
  const load = ['--runtimes', 'apache', '--paths', '/io?ms=100', '--load', 'vus(2, 1s)', '--warmup', '0s'];
  const run = await bench(project, 'slo', ...load, '--timeout', '10s', '--blocks', '1', '--slo', slo);
  expect(run.results.measurements[0]?.outcome).toBe('ok');
  expect(run.code).toBe(expected);
});

describe("the user's own k6 script", () => {
  const script = (name: string) => [
    ...['--runtimes', 'apache', '--journey', join(root, 'test/fixtures/journeys', name)],
    ...['--warmup', '0s', '--blocks', '1'],
  ];

  test('runs unchanged under our load', async () => {
    const run = await bench(project, 'script', ...script('plain.js'), '--load', 'requests(50, 2)');
    expect(run.results.measurements).toMatchObject([
      { requests: 50, okCount: 50, iterations: 50, outcome: 'ok' },
    ]);
  });

  test('that declares its own scenarios brings its load; a threshold that it misses is a criterion that it misses', async () => {
    const run = await bench(project, 'own', ...script('own-load.js'));
    const cpu = { usedUs: expect.any(Number) };
    expect(run.results.measurements).toMatchObject([{ requests: 60, okCount: 60, outcome: 'ok', cpu }]);
    expect(run.code).toBe(1);
    expect(existsSync(join(project.folder, 'own/report.md'))).toBe(true);
  });
});
