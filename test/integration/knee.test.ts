/** Where a real server of known capacity gives in: workers ÷ the time of a request. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { analyse } from '../../src/analyse/analyse.ts';
import { makeProject, type Project } from './bench.ts';

let project: Project;
beforeAll(async () => {
  project = await makeProject();
});
afterAll(() => project?.remove());

test('four workers of php-fpm and 50 ms a request hold 80 rps, less what a request needs besides', async () => {
  const { code, stdout, stderr } = await project.run(
    'knee',
    ...['--runtimes', 'nginx-fpm[workers=4]', '--paths', '/io?ms=50', '--load', 'line(20, 140, 18s)'],
    ...[
      '--max-vus',
      '60',
      '--timeout',
      '1s',
      '--warmup',
      '1s',
      '--instances',
      '1',
      '--blocks',
      '1',
      '--wait',
    ],
  ).done;
  expect(code, stderr).toBe(0);
  const results = project.results('knee');
  const row = analyse(results).scenarios[0]?.rows[0];
  const seconds = (row?.latency?.minMs as number) / 1000;
  expect(row?.holds).toMatchObject({ kind: 'found', ramps: 1 });
  // The shortest time is what a request takes on a worker of its own.
  expect((row?.holds?.value as number) / (4 / seconds)).toBeGreaterThan(0.85);
  expect((row?.holds?.value as number) / (4 / seconds)).toBeLessThan(1.1);
  expect(row?.state.kind).toBe('ranked');
  const at = (p: number) => row?.holds?.upTo?.latency?.percentiles.find((point) => point.p === p)?.ms;
  expect(at(50)).toBeLessThan(75);
  expect(row?.latency?.percentiles.find(({ p }) => p === 95)?.ms).toBeGreaterThan(200);
  expect(stdout).toContain('holds rps');
});
