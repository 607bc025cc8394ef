import { expect, test } from 'vitest';
import { makeResults, type Server } from '../../test/fixtures/results/make.ts';
import { makeProfile, type Ramped } from '../../test/fixtures/results/profile.ts';
import { condense } from './condense.ts';
import { formatData, parseData } from './data.ts';

const server = (label: string, capacity: number, p50Ms: number): Ramped => ({
  ...{ id: label.replace('/', '/x-'), label, rps: capacity, capacity, p50Ms },
});

/** Ramps to 1,000 rps on servers that are full at a known rate. */
const ramp = () =>
  makeProfile({
    servers: [server('laravel/fpm', 300, 20), server('laravel/Unit', 600, 2), server('lumen/Unit', 2000, 1)],
    ...{ seconds: 40, instances: 3 },
  });

test('a ramp: what each holds, what it took up to there, in the order of the plan', () => {
  const { run, rows, against } = condense('octane', ramp(), 'abc1234');
  expect(rows.map(({ variant, holds }) => [variant, holds?.kind])).toEqual([
    ['laravel/fpm', 'found'],
    ['laravel/Unit', 'found'],
    ['lumen/Unit', 'beyond'],
  ]);
  const [fpm, unit, lumen] = rows;
  for (const [row, capacity] of [
    [fpm, 300],
    [unit, 600],
  ] as const) {
    expect(Math.abs((row?.holds?.value ?? 0) - capacity)).toBeLessThan(0.2 * capacity);
  }
  // Up to there requests take some ms, beyond it hundreds.
  expect(unit?.holds?.p50?.value).toBeLessThan(20);
  expect(unit?.holds?.p50?.half).not.toBeNull();
  expect(fpm?.sentRatio).toBeLessThan(1);
  expect(lumen?.sentRatio).toBe(1);
  expect(run).toMatchObject({ instances: 3, loads: { stress: 'line(0, 1000, 40s)' }, date: '2026-01-31' });
  expect(run.tool).toContain('abc1234');
  expect(against).toEqual([]);
});

test('the file says the same, in five digits', () => {
  const data = condense('octane', ramp(), 'abc1234');
  const read = parseData(formatData(data));
  expect(read.run).toEqual(data.run);
  expect(read.rows).toHaveLength(3);
  const [was, is] = [data.rows[0]?.holds?.value ?? 0, read.rows[0]?.holds?.value ?? 0];
  expect(Math.abs(is - was)).toBeLessThanOrEqual(was * 5e-4);
  expect(() => parseData(formatData(data).split('\n').slice(1).join('\n'))).toThrow(
    'its first line is no run',
  );
});

test('CPU as a share of the servers’ CPUs, by the length of its samples', () => {
  const results = makeResults({ servers: [{ id: 'a', rps: 50 }], instances: 1, scenario: { blocks: 1 } });
  results.plan.cpus.server = [0, 1];
  const sample = (atMs: number, cpuUs: number) => ({
    ...{ atMs, cpuUs, memoryBytes: 1, processes: 1, throttledUs: 0 },
  });
  // 50 % for 200 ms, 100 % for 800 ms, and what came after the slice.
  for (const slice of results.measurements)
    slice.series = [sample(200, 200_000), sample(1000, 1_600_000), sample(1500, 0)];
  expect(condense('shop', results, '').rows[0]?.cpuPercent).toEqual({ mean: 90, median: 75, max: 100 });
});

test('slices, endpoints and comparisons where the article has them', () => {
  const setup = {
    ...{
      servers: [
        { id: 'unix', rps: 100 },
        { id: 'tcp', rps: 80 },
      ],
      instances: 5,
      scenario: { blocks: 1 },
    },
    endpoints: ['GET /', 'POST /login'],
  };
  const apache = condense('apache', makeResults(setup), '');
  expect(apache.rows.map(({ runs }) => runs?.length)).toEqual([5, 5]);
  expect(apache.against).toMatchObject([{ variant: 'tcp', reference: 'unix', verdict: 'slower' }]);
  expect(apache.rows[0]?.endpoints).toBeUndefined();
  const auth = condense('auth', makeResults(setup), '');
  expect(auth.rows[0]?.endpoints?.map(({ name }) => name)).toEqual(['GET /', 'POST /login', 'Aggregated']);
  expect(auth.against).toEqual([]);
});

test('what shows nothing of a server has a flaw; one that gave in has none', () => {
  const failure = { stage: 'build', reason: 'no such package\nand more', log: '' } as const;
  const unreached = 'the base image rr:1 could not be pulled, as its registry does not answer (EOF)';
  const servers: Server[] = [
    { id: 'fine', rps: 50 },
    { id: 'broken', rps: 50, failure },
    { id: 'unreached', rps: 50, failure: { ...failure, reason: unreached } },
    { id: 'bound', rps: 50, bound: 'k6 used 95 % of its CPUs' },
    { id: 'wrong', rps: 50, okRatio: 0.5 },
  ];
  const { rows } = condense('shop', makeResults({ servers }), '');
  expect(rows.map(({ variant, flaw }) => [variant, flaw])).toEqual([
    ['fine', null],
    ['broken', 'failed to build: no such package'],
    ['unreached', 'no registry gave rr:1'],
    ['bound', 'k6 was the limit'],
    ['wrong', null],
  ]);
});

test('one start has no interval over starts', () => {
  const one = condense('shop', makeResults({ servers: [{ id: 'a', rps: 50 }], instances: 1 }), '');
  expect(one.rows[0]?.rps).toMatchObject({ half: null });
  const two = condense('shop', makeResults({ servers: [{ id: 'a', rps: 50 }], instances: 2 }), '');
  expect(two.rows[0]?.rps?.half).toBeGreaterThan(0);
});
