/** The highest constant rate that a real server of known capacity holds: workers ÷ the time of a request. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, type TestContext, test } from 'vitest';
import { analyse } from '../../src/analyse/analyse.ts';
import { findCapacity } from '../../src/analyse/rows/capacity-found.ts';
import type { Knee } from '../../src/analyse/rows/knee.ts';
import type { Results } from '../../src/results/results.ts';
import { Samples } from '../../src/run/sample/samples.ts';
import { STALL, STEAL } from '../../src/stats/limits.ts';
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
  // The criterion also judges the slice before the search, whose p99 is one stall of a busy machine.
  expect([0, 1], finished.stderr).toContain(finished.code);
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

/** What k6 wrote of each probe. Slices are numbered, and those of the searches come last. */
const rawOf = (out: string, { plan }: Results, probe: number) => {
  const slice = `s${plan.steps + probe}`;
  return { slice, file: join(project.folder, out, `raw/paths/0/k6-${slice}.json`) };
};

/** Skips a test about numbers where the machine stood still or was taken away, by the samples of the whole instance. */
function needCalm(test: TestContext, out: string, results: Results) {
  needQuiet(test, results.measurements);
  const samples = new Samples();
  const lines = readFileSync(join(project.folder, out, 'raw/resources/0.txt'), 'utf8').split('\n');
  for (const line of lines) samples.add(line);
  const { server, load } = results.plan.cpus;
  const cpus = [...new Set([...server, ...load])];
  const isDisturbed = (_: unknown, probe: number) => {
    const { slice, file } = rawOf(out, results, probe);
    const { metrics } = JSON.parse(readFileSync(file, 'utf8'));
    const fromMs = metrics[`bench_slice_start{slice:${slice}}`]?.min ?? 0;
    const toMs = fromMs + 5000;
    const steal = samples.disturbance(cpus, fromMs, toMs)?.steal ?? 0;
    return (samples.stallMs(fromMs, toMs) ?? 0) > STALL || steal > STEAL;
  };
  const probes = results.searches[0]?.probes ?? [];
  // One is no harm: the rate that ends a search is tried again.
  const disturbed = probes.filter(isDisturbed).length;
  test.skip(disturbed > 1, `other work has disturbed ${disturbed} of ${probes.length} probes`);
}

test('is found within a twentieth, and the rate that ends it missed twice', (test) => {
  needCalm(test, 'capacity', results);
  const [{ probes }] = results.searches as [Results['searches'][number]];
  const [row] = analyse(results).scenarios[0]?.rows ?? [];
  expect(row?.capacity).toMatchObject({ kind: 'found', n: 1 });
  expect(off).toBeLessThan(0.05);
  const { high } = findCapacity(probes) as Knee;
  const ends = probes.filter(({ offeredRps, held }) => offeredRps === high && !held);
  expect(ends.length).toBeGreaterThanOrEqual(2);
});

test('with no more rates than announced, each with the figures of k6', async () => {
  const [{ probes }] = results.searches as [Results['searches'][number]];
  expect(stdout).toContain('Capacity rps');
  expect(stderr).toMatch(/capacity: 1 × at most 12 rates of 5 s each, at most 1 min \d+ s/);
  expect(probes.length).toBeLessThanOrEqual(12);
  for (const { latency } of probes) expect(latency?.p50Ms).toBeGreaterThan(50);
  for (const probe of probes.keys()) expect(existsSync(rawOf('capacity', results, probe).file)).toBe(true);
  // The probes are no slices of the comparison.
  expect(results.measurements).toHaveLength(1);
  expect(await leftovers()).toEqual([]);
});

test('with as many requests as each rate that was held has in four seconds', (test) => {
  needCalm(test, 'capacity', results);
  // These are judged. What a busy machine sends late falls into them from the one before, or out of them.
  for (const { offeredRps, requests, held } of results.searches[0]?.probes ?? []) {
    if (held) expect(Math.abs(requests / (4 * offeredRps) - 1)).toBeLessThan(0.1);
  }
});

test('with two clients is at least what these can ask for, and the report says why it is no more', async (test) => {
  const finished = await start('few', '--load', 'vus(2, 1s)', '--max-vus', '2');
  const few = project.results('few');
  needCalm(test, 'few', few);
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
