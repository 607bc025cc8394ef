import { describe, expect, test } from 'vitest';
import { parseLoad } from '../../config/parts/load.ts';
import { clientsForRate, compileLoad, compileWarmup } from './load-steps.ts';

const settings = { timeoutMs: 2000, warmupMs: 1000 };
const compile = (source: string) => compileLoad(parseLoad(source), settings);

/** Requests that a load offers. */
const offered = (source: string) =>
  compile(source).reduce((sum, step) => sum + ((step.rps ?? 0) * (step.durationMs ?? 0)) / 1000, 0);

describe('compileLoad', () => {
  test('vus and const are one step', () => {
    expect(compile('vus(8, 1s)')).toEqual([
      { offsetMs: 0, durationMs: 1000, rps: null, vus: 8, requests: null },
    ]);
    expect(compile('const(200, 5s)')).toMatchObject([{ offsetMs: 0, durationMs: 5000, rps: 200 }]);
  });

  test('rates before a count of requests share their clients, too', () => {
    const steps = compile('const(1000, 5s) const(10, 5s) requests(100, 4)');
    expect(steps.map(({ vus }) => vus)).toEqual([steps[0]?.vus, steps[0]?.vus, 4]);
  });
  test('a count of requests ends when they are done', () => {
    expect(compile('requests(1000, 10)')).toEqual([
      { offsetMs: 0, durationMs: null, rps: null, vus: 10, requests: 1000 },
    ]);
  });

  test.each([
    ['line(1, 100, 60s)', 60, 50.5 * 60],
    ['line(1, 1000, 10m)', 300, 500.5 * 600],
    ['line(100, 1, 10s)', 10, 50.5 * 10],
    ['line(1, 10, 1500ms)', 1, 5.5 * 1.5],
  ])('%s becomes %i steps that offer as much as the straight line', (source, steps, requests) => {
    expect(compile(source)).toHaveLength(steps);
    expect(offered(source)).toBeCloseTo(requests, 6);
    for (const step of compile(source)) expect(step.durationMs).toBeGreaterThanOrEqual(1000);
  });

  test("article A's standard load: steps, then a plateau", () => {
    const steps = compile('step(5, 100, 5, 10s) const(100, 2m30s)');
    expect(steps).toHaveLength(21);
    expect(steps.map((s) => s.rps)).toEqual([...Array.from({ length: 20 }, (_, i) => 5 * (i + 1)), 100]);
    expect(steps.at(-1)?.offsetMs).toBe(200_000);
  });

  test('concurrency is capped by max-vus, else by what a tenth of a second of the rate holds', () => {
    expect(compileLoad(parseLoad('const(1000, 1s)'), { timeoutMs: 2000, maxVus: 300 })[0]?.vus).toBe(300);
    expect(compile('const(1000, 1s)')[0]?.vus).toBe(101);
    expect(compile('const(1, 1s)')[0]?.vus).toBe(2);
  });
});

describe('a rate has clients enough for its iterations', () => {
  const script = { journey: { kind: 'script', name: 'x', file: 'x.js' } } as const;
  const paths = { journey: { kind: 'paths', paths: ['/'] } } as const;
  const vus = (load: string, ...[scenario, iterationMs, served, isHalf]: Rest) =>
    clientsForRate(compile(load), scenario, iterationMs, served ?? [Infinity], isHalf).map((s) => s.vus);
  type All = Parameters<typeof clientsForRate>;
  type Rest = [All[1], All[2], All[3]?, All[4]?];

  test.each([null, 10, 200, 1000, 60_000])('%s ms', (iterationMs) => {
    const expected = { null: 6, 10: 6, 200: 16, 1000: 76, 60000: 1000 }[String(iterationMs)];
    expect(vus('const(50, 30s)', paths, iterationMs)).toEqual([expected]);
    expect(vus('vus(4, 1s) const(50, 30s)', script, iterationMs)).toEqual([4, expected]);
    expect(vus('const(50, 30s)', { ...paths, maxVus: 6 }, iterationMs)).toEqual([6]);
  });

  test('of each step the same', () => {
    expect(vus('line(1, 50, 2s)', paths, 200)).toEqual([13, 13]);
  });

  test('within what servers have workers for, a script apart', () => {
    expect(vus('const(50, 30s)', paths, 1000, [Infinity, 16])).toEqual([16]);
    expect(vus('const(50, 30s)', script, 1000, [16])).toEqual([76]);
    // One with too few for the planned six limits no other.
    expect(vus('const(50, 30s)', paths, 1000, [4, 16, 64])).toEqual([16]);
    expect(vus('const(50, 30s)', paths, 1000, [4])).toEqual([6]);
  });

  test('two halves of a duet, or of a slice in two lanes, are not more than the workers', () => {
    expect(vus('const(20, 3s)', paths, 400, [5])).toEqual([4]);
    expect(vus('const(10, 3s)', paths, 400, [5], true)).toEqual([2]);
    expect(vus('const(10, 3s)', paths, 400, [16], true)).toEqual([7]);
  });

  test('not where clients of other parts keep workers', () => {
    expect(vus('vus(4, 1s) const(50, 1s)', paths, 200)).toEqual([4, 6]);
  });
});

test('warm-up is of the manner of the load', () => {
  const warm = (source: string, warmupMs = 1000) =>
    compileWarmup(parseLoad(source), { timeoutMs: 2000, warmupMs });
  expect(warm('vus(8, 1s)')).toMatchObject([{ vus: 8, durationMs: 1000 }]);
  expect(warm('requests(100, 3)')).toMatchObject([{ vus: 3, durationMs: 1000, requests: null }]);
  expect(warm('line(1, 1000, 10m)')).toMatchObject([{ rps: 100 }]);
  expect(warm('vus(8, 1s)', 0)).toEqual([]);
});
