/** Where a real server of known capacity gives in: workers ÷ the time of a request. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { analyse } from '../../src/analyse/analyse.ts';
import { realHost } from '../../src/host.ts';
import type { Results } from '../../src/results.ts';
import { leftovers, makeProject, type Project } from './bench.ts';

let project: Project;
beforeAll(async () => {
  project = await makeProject();
});
afterAll(() => project?.remove());

/** `script/bootstrap` installs it where it can. */
const hasHyperfine = (await realHost.exec('hyperfine', ['--version']).catch(() => null))?.code === 0;

const FLAGS = [
  ...['--runtimes', 'nginx-fpm[workers=4]', '--paths', '/io?ms=50', '--load', 'line(20, 140, 18s)'],
  ...['--max-vus', '60', '--timeout', '1s', '--warmup', '1s', '--instances', '1', '--blocks', '1', '--wait'],
];
let results: Results;
let stdout: string;
beforeAll(async () => {
  const finished = await project.run('knee', ...FLAGS, ...(hasHyperfine ? ['--cold-start'] : [])).done;
  expect(finished.code, finished.stderr).toBe(0);
  results = project.results('knee');
  stdout = finished.stdout;
});

test('four workers of php-fpm and 50 ms a request hold 80 rps, less what a request needs besides', () => {
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

test('ten fresh starts are timed by hyperfine, and what it says is kept', async ({ skip }) => {
  if (!hasHyperfine) skip('there is no hyperfine on PATH');
  const { coldStart } = results.variants[0] ?? {};
  expect(coldStart).toMatchObject({ tool: expect.stringMatching(/^hyperfine \d/), path: '/io?ms=50' });
  expect(coldStart?.timesMs).toHaveLength(10);
  // The answer alone takes 50 ms.
  for (const ms of coldStart?.timesMs ?? []) expect(ms).toBeGreaterThan(50);
  const file = join(project.folder, 'knee/raw/cold-start/nginx-fpm@8.4_workers=4_.json');
  expect(JSON.parse(readFileSync(file, 'utf8')).results[0].times).toHaveLength(10);
  expect(stdout).toContain('cold starts\n');
  expect(await leftovers()).toEqual([]);
});
