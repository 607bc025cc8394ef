/**
 * Numbers that must make sense: orders and ratios from one run, against what the app is known to do.
 * Nothing here asserts how fast this machine is.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, type TestContext, test } from 'vitest';
import type { Measurement, Results } from '../../src/results/results.ts';
import { bench, makeProject, needQuiet, type Project, root } from './bench.ts';

let project: Project;
beforeAll(async () => {
  project = await makeProject();
});
afterAll(() => project?.remove());

/** The measurements of one variant in one scenario. */
function of({ results }: { results: Results }, variant: string, scenario: string): Measurement[] {
  const found = results.measurements.filter((m) => m.variant.startsWith(variant) && m.scenario === scenario);
  expect(found.length).toBeGreaterThan(0);
  return found;
}

/** Those in which the machine did not stand still for so long; a test without any is skipped. */
function calm(test: TestContext, measurements: readonly Measurement[], ms = 500): Measurement[] {
  const found = measurements.filter(({ guards }) => (guards.stallMs ?? 0) < ms);
  test.skip(found.length === 0, 'the machine stood still in each slice');
  return found;
}

const sum = (values: number[]) => values.reduce((a, b) => a + b, 0);

describe('known work', () => {
  let run: Awaited<ReturnType<typeof bench>>;
  beforeAll(async () => {
    const folder = join(project.folder, '.bench/scenarios');
    mkdirSync(folder, { recursive: true });
    const scenario = (name: string, path: string, load: string, timeout: string) =>
      writeFileSync(
        join(folder, `${name}.yaml`),
        `title: ${name}\npaths: ['${path}']\nload: ${load}\ntimeout: ${timeout}\nwarmup: 1s\nblocks: 1\n`,
      );
    scenario('burn', '/cpu?ms=5', 'vus(2, 3s)', '1s');
    // Two steps: no turns, at whose beginning the clients come one by one.
    scenario('wait', '/io?ms=50', 'vus(8, 1s) vus(8, 1s)', '5s');
    scenario('slow', '/io?ms=1500', 'vus(2, 2s)', '500ms');
    scenario('paced', '/json?n=5', 'const(50, 2s) line(50, 100, 3s)', '500ms');
    // Four workers serve eight clients only if a connection does not keep its worker: Apache's do, so they close.
    const runtimes = 'apache[workers=4,keep-alive=0s],nginx-fpm[workers=4]';
    run = await bench(project, 'known', '--runtimes', runtimes, '--scenarios', 'burn,wait,slow,paced');
  });

  test.each(['apache', 'nginx-fpm'])(
    '/cpu?ms=5 costs %s 5 ms of CPU per request, a fifth more or less',
    (runtime) => {
      for (const m of of(run, runtime, 'burn')) {
        expect(m.cpu?.perRequestUs).toBeGreaterThan(4000);
        expect(m.cpu?.perRequestUs).toBeLessThan(6000);
      }
    },
  );

  test.each(['apache', 'nginx-fpm'])(
    '/io?ms=50 on four workers of %s: clients wait, at about 80 rps',
    (runtime) => {
      for (const m of of(run, runtime, 'wait')) {
        expect(m.errors).toEqual([]);
        expect(m.okCount).toBe(m.requests);
        // Eight clients, four served at a time: each waits for one before it. None is served while the machine stands still.
        expect(m.achievedRps).toBeGreaterThan(0.55 * 80 * (1 - (m.guards.stallMs ?? 0) / 2000));
        // Of the eight requests in flight at the end no more counts than what was done; whole ones would make it 82 to 84.
        expect(m.achievedRps).toBeLessThan(81);
        expect(m.latency?.p50Ms).toBeGreaterThan(75);
        expect(m.latency?.minMs).toBeGreaterThanOrEqual(49);
        // Waiting is not work.
        expect(m.cpu?.perRequestUs).toBeLessThan(5000);
      }
    },
  );

  test('an answer behind the timeout is an error of that kind and as slow as the timeout, not left out', (test) => {
    for (const m of of(run, '', 'slow')) {
      expect(m.outcome).toBe('failed');
      // k6 takes an answer in time for one if it had no CPU for the second between: once for each of two clients.
      expect(m.okCount).toBeLessThanOrEqual(2);
      expect(m.errors.map((e) => e.kind)).toEqual(['timeout']);
      expect(m.latency?.p50Ms).toBeGreaterThan(490);
    }
    for (const m of calm(test, of(run, '', 'slow'))) expect(m.latency?.p50Ms).toBeLessThan(600);
  });

  test('an open load is offered as written, and each step of a ramp is reported', (test) => {
    for (const m of of(run, '', 'paced')) {
      expect(m.offeredRps).toBeCloseTo((50 * 2 + 75 * 3) / 5, 5);
      expect(m.steps.map((s) => s.offeredRps)).toEqual([
        50,
        expect.closeTo(58.33, 1),
        75,
        expect.closeTo(91.67, 1),
      ]);
      expect(sum(m.steps.map((s) => s.requests))).toBe(m.requests);
    }
    // What is due while the machine stands still is sent late, or behind the end not at all.
    for (const m of calm(test, of(run, '', 'paced'), 100)) {
      expect(m.requests + m.dropped).toBeGreaterThan(0.97 * 325);
      expect(m.requests + m.dropped).toBeLessThan(1.03 * 325);
      for (const s of m.steps) {
        // Requests that the machine sends late fall into the next step.
        expect(s.requests + s.dropped).toBeGreaterThan((0.7 * ((s.offeredRps ?? 0) * s.durationMs)) / 1000);
        expect(s.requests + s.dropped).toBeLessThan((1.3 * ((s.offeredRps ?? 0) * s.durationMs)) / 1000);
      }
    }
  });

  test('facts come from the running server, base images and CPU sets are recorded', () => {
    for (const variant of run.results.variants) {
      expect(variant.facts).toMatchObject({
        php: expect.stringMatching(/^8\.4\./),
        opcache: true,
        jit: 'off',
      });
      expect(variant.image?.bases.every((base) => base.id?.startsWith('sha256:'))).toBe(true);
      expect(variant.coldStartMs).toHaveLength(1);
    }
    expect(run.results.variants.map((v) => v.facts?.sapi)).toEqual(['apache2handler', 'fpm-fcgi']);
    const { server, load } = run.results.plan.cpus;
    expect(server.length * load.length).toBeGreaterThan(0);
  });

  test('resources are a series of at most a second', (test) => {
    for (const m of of(run, '', 'burn')) {
      expect(m.processes?.median).toBeGreaterThanOrEqual(4);
      expect(m.memory?.maxBytes).toBeGreaterThanOrEqual(m.memory?.medianBytes as number);
      expect(m.generator.busyRatio).toBeLessThan(0.5);
      expect(m.guards.stealRatio).not.toBeNull();
    }
    for (const m of calm(test, of(run, '', 'burn'))) {
      expect(m.series.length).toBeGreaterThanOrEqual(3);
      // The sampler may have been kept waiting once.
      const apart = m.series.slice(1).map((s, i) => s.atMs - (m.series[i]?.atMs ?? 0));
      expect(
        apart
          .sort((a, b) => a - b)
          .slice(0, -1)
          .filter((ms) => ms > 1000),
      ).toEqual([]);
    }
  });
});

test("twice the CPUs about double /cpu's throughput, where the machine has them", async (test) => {
  const flags = [
    '--runtimes',
    'nginx-fpm[workers=8]',
    '--paths',
    '/cpu?ms=20',
    '--load',
    'vus(8, 3s)',
    '--timeout',
    '1s',
    '--blocks',
    '1',
  ];
  const one = await bench(
    project,
    'one',
    ...flags,
    '--warmup',
    '1s',
    '--server-cpus',
    '0',
    '--load-cpus',
    '1',
  );
  const two = await bench(
    project,
    'two',
    ...flags,
    '--warmup',
    '1s',
    '--server-cpus',
    '0,1',
    '--load-cpus',
    '1',
  );
  // Of the ratio of two slices, one that is disturbed is half.
  for (const { results } of [one, two]) needQuiet(test, results.measurements);
  const rps = (run: { results: Results }) => of(run, 'nginx-fpm', 'paths')[0]?.achievedRps ?? 0;
  expect(rps(two) / rps(one)).toBeGreaterThan(1.5);
  expect(rps(two) / rps(one)).toBeLessThan(2.5);
  expect(two.results.warnings.map((w) => w.code)).toContain('shared-cores');
});

test('what one server keeps clients waiting is not taken for slowness of the one that they miss for it', async (test) => {
  // A kept connection holds the one worker of Apache: the second client waits for that, through turns of nginx, too.
  const run = await bench(
    project,
    ...(['kept', '--runtimes', 'apache[workers=1],nginx-fpm[workers=4]', '--paths', '/io?ms=40'] as const),
    ...['--load', 'vus(2, 4s)', '--warmup', '0s', '--timeout', '500ms', '--blocks', '1'],
  );
  const [held] = of(run, 'apache', 'paths');
  expect(held?.errors.map(({ kind }) => kind)).toEqual(['timeout']);
  const [free] = of(run, 'nginx-fpm', 'paths');
  expect(free?.turnMs).toBe(200);
  if ((free?.guards.stallMs ?? 0) > 300) test.skip(true, 'the machine stood still');
  // Both clients may be late once: the machine stands still for half a second.
  const late = free?.errors.map(({ kind, count }) => ({ kind, few: count <= 2 }));
  expect([[], [{ kind: 'timeout', few: true }]]).toContainEqual(late);
  // Two clients, each 25 times a second, less what a request needs besides. It got about 30.
  expect(free?.achievedRps).toBeGreaterThan(35);
  expect(free?.achievedRps).toBeLessThan(54);
});

test('k6 fed by a trivial server is reported as the limit: ≥, and not ranked', async (test) => {
  const app = join(root, 'test/fixtures/apps/static');
  const run = await bench(
    project,
    ...(['static', '--app', app, '--runtimes', 'nginx-fpm', '--paths', '/hello.txt'] as const),
    ...['--load', 'vus(32, 3s)', '--warmup', '1s', '--timeout', '1s', '--blocks', '1'],
  );
  needQuiet(test, run.results.measurements);
  const [m] = of(run, 'nginx-fpm', 'paths');
  expect(m?.generator).toMatchObject({ bound: true, reasons: [expect.stringContaining('of its CPUs')] });
  expect(run.stdout).toMatch(/≥ ?\d/);
});
