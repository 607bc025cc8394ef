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

test('a rate has clients enough for its iterations, within what servers have workers for', () => {
  const steps = compile('vus(4, 1s) const(50, 30s)');
  const vus = (iterationMs: number | null, served = Infinity, scenario = {}) =>
    clientsForRate(steps, scenario, iterationMs, served).map((step) => step.vus);
  expect(vus(null)).toEqual([4, 6]);
  expect(vus(10)).toEqual([4, 6]);
  expect(vus(200)).toEqual([4, 16]);
  expect(vus(1000)).toEqual([4, 76]);
  expect(vus(60_000)).toEqual([4, 1000]);
  expect(vus(1000, 16)).toEqual([4, 16]);
  expect(vus(1000, 4)).toEqual([4, 6]);
  expect(vus(1000, Infinity, { maxVus: 6 })).toEqual([4, 6]);
});

test('warm-up is of the manner of the load', () => {
  const warm = (source: string, warmupMs = 1000) =>
    compileWarmup(parseLoad(source), { timeoutMs: 2000, warmupMs });
  expect(warm('vus(8, 1s)')).toMatchObject([{ vus: 8, durationMs: 1000 }]);
  expect(warm('requests(100, 3)')).toMatchObject([{ vus: 3, durationMs: 1000, requests: null }]);
  expect(warm('line(1, 1000, 10m)')).toMatchObject([{ rps: 100 }]);
  expect(warm('vus(8, 1s)', 0)).toEqual([]);
});
