/** The highest constant rate that a real server of known capacity holds: workers ÷ the time of a request. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { analyse } from '../../src/analyse/analyse.ts';
import { findCapacity } from '../../src/analyse/rows/capacity-found.ts';
import type { Knee } from '../../src/analyse/rows/knee.ts';
import type { Results } from '../../src/results/results.ts';
import { leftovers, makeProject, needQuiet, type Project } from './bench.ts';

let project: Project;
let results: Results;
let stdout: string;
let stderr: string;
/** How far the capacity that was found is from what the server has, as a share. */
let off: number;
beforeAll(async () => {
  project = await makeProject();
  await search();
});

/** Starts the search of four workers with requests of 50 ms: 80 a second. */
async function start(out: string, ...flags: string[]) {
  const load = ['--paths', '/io?ms=50', '--slo', 'p99=500ms', '--timeout', '1s'];
  const effort = ['--warmup', '0s', '--instances', '1', '--blocks', '1', '--capacity', '--wait'];
  const run = project.run(out, '--runtimes', 'nginx-fpm[workers=4]', ...load, ...effort, ...flags);
  const finished = await run.done;
  expect(finished.code, finished.stderr).toBe(0);
  return finished;
}

async function search() {
  const finished = await start('capacity', '--load', 'vus(4, 1s)');
  results = project.results('capacity');
  stdout = finished.stdout.replace(/\s+/g, ' ');
  stderr = finished.stderr;
  const [row] = analyse(results).scenarios[0]?.rows ?? [];
  // The shortest time is what a request takes on a worker of its own.
  const seconds = (row?.latency?.minMs as number) / 1000;
  off = Math.abs((row?.capacity?.value as number) / (4 / seconds) - 1);
}
afterAll(() => project?.remove());

test('is found within a twentieth', (test) => {
  needQuiet(test, results.measurements);
  const [row] = analyse(results).scenarios[0]?.rows ?? [];
  expect(row?.capacity).toMatchObject({ kind: 'found', n: 1 });
  expect(off).toBeLessThan(0.05);
  expect(stdout).toContain('Capacity rps');
});

test('with no more rates than announced, the one that ends it missed twice, each with the figures of k6', async () => {
  const [{ probes }] = results.searches as [Results['searches'][number]];
  expect(stderr).toMatch(/capacity: 1 × at most 12 rates of 5 s each, at most 1 min \d+ s/);
  expect(probes.length).toBeLessThanOrEqual(12);
  const { high } = findCapacity(probes) as Knee;
  expect(probes.filter(({ offeredRps, held }) => offeredRps === high && !held).length).toBeGreaterThanOrEqual(
    2,
  );
  for (const { offeredRps, requests, held, latency } of probes) {
    // Four seconds are judged.
    if (held) expect(Math.abs(requests - 4 * offeredRps)).toBeLessThanOrEqual(3);
    expect(latency?.p50Ms).toBeGreaterThan(50);
  }
  for (let i = 0; i < probes.length; i++) {
    expect(existsSync(join(project.folder, `capacity/raw/paths/0/k6-s${results.plan.steps + i}.json`))).toBe(
      true,
    );
  }
  // The probes are no slices of the comparison.
  expect(results.measurements).toHaveLength(1);
  expect(await leftovers()).toEqual([]);
});

test('with two clients is at least what these can ask for, and the report says why it is no more', async () => {
  const finished = await start('few', '--load', 'vus(2, 1s)', '--max-vus', '2');
  const few = project.results('few');
  const [row] = analyse(few).scenarios[0]?.rows ?? [];
  const most = 2 / ((row?.latency?.minMs as number) / 1000);
  expect(row?.capacity).toMatchObject({ kind: 'beyond', half: null });
  expect((row?.capacity?.value as number) / most).toBeLessThanOrEqual(1.02);
  // Half of what the server holds: what ended the search was not the server.
  const [{ probes }] = few.searches as [Results['searches'][number]];
  const missed = probes.filter(({ held }) => !held);
  expect(missed.map(({ generator }) => generator)).toContain(
    'all clients were busy, although answers were fast',
  );
  expect(missed.map(({ failures, died }) => [failures, died])).toEqual(missed.map(() => [0, null]));
  expect(finished.stdout).toMatch(/workers=4\] +≥ \d/);
  expect(finished.stdout.replace(/\s+/g, ' ')).toContain(
    '≥ the load generator was the limit, or the search ended before',
  );
  const markdown = readFileSync(join(project.folder, 'few/report.md'), 'utf8');
  expect(markdown).toMatch(/\| ≥\s\d/);
  expect(markdown).toContain('no, but by the load generator: all clients were busy');
});
