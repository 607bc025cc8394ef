import { join } from 'node:path';
import { buildSync } from 'esbuild';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';

const TIMEOUT_MS = 2000;

beforeEach(() => void vi.useFakeTimers({ now: 0, toFake: ['Date'] }));
afterEach(() => void vi.useRealTimers());

const wait = (ms: number) => void vi.setSystemTime(Date.now() + ms);

interface Own {
  throughOurs(scenarios: object): Record<string, { exec: string; env: Record<string, string> }>;
  countOwn(journey: object, timeoutMs: number): (data: unknown) => unknown;
  watch: { endMs: number };
}

/** own.js outside of k6, for a client of the scenario `name`, and what it has counted. */
function startClient(scenarios: Record<string, object>, name: string, startTime = 0) {
  const lib = join(import.meta.dirname, '../../scenarios/lib');
  const { outputFiles } = buildSync({
    stdin: { contents: "export * from './own.js'; export { watch } from './watch.js';", resolveDir: lib },
    ...{ bundle: true, write: false, format: 'cjs', external: ['k6', 'k6/*'] },
  });
  const sums: Record<string, number> = {};
  class Counter {
    readonly name: string;
    constructor(metric: string) {
      this.name = metric;
      sums[metric] = 0;
    }
    add(value: number) {
      sums[this.name] = (sums[this.name] ?? 0) + value;
    }
  }
  const execution = { scenario: { startTime }, test: { options: { scenarios } } };
  const modules: Record<string, unknown> = { 'k6/execution': execution, 'k6/metrics': { Counter } };
  const module = { exports: {} as Own };
  const env: Record<string, string> = {};
  const run = new Function('module', 'require', '__ENV', outputFiles[0]?.text ?? '');
  run(module, (from: string) => modules[from], env);
  Object.assign(env, module.exports.throughOurs(scenarios)[name]?.env);
  return {
    ...module.exports,
    /** How many began, and the part of them that was late. */
    counted: () => [sums.bench_started, sums.bench_late],
    resting: () => sums.bench_resting,
  };
}

const plain = { executor: 'constant-vus', duration: '1s' };

describe('the own load of a script', () => {
  test('calls the function that each scenario names', () => {
    const scenarios = { a: { ...plain, exec: 'browse', env: { X: '1' } }, default: plain };
    const { throughOurs } = startClient(scenarios, 'a');
    expect(throughOurs(scenarios).a).toEqual({
      ...plain,
      ...{ exec: 'benchOwn', env: { X: '1', BENCH_SCENARIO: 'a', BENCH_EXEC: 'browse' } },
    });
    const journey = {
      browse: (data: string) => `${data} browsed`,
      default: (data: string) => `${data} done`,
    };
    expect(startClient(scenarios, 'a').countOwn(journey, TIMEOUT_MS)('1')).toBe('1 browsed');
    // Without scenarios, k6 names one so.
    expect(startClient({ default: plain }, '').countOwn(journey, TIMEOUT_MS)('1')).toBe('1 done');
  });

  test('counts an iteration that k6 cuts off as begun', () => {
    const { countOwn, counted } = startClient({ a: plain }, 'a');
    const iterate = countOwn({ default: () => counted() }, TIMEOUT_MS);
    // k6 ends one that hangs without a word to it.
    expect(iterate(0)).toEqual([1, 0]);
  });

  test.each<[string, object]>([
    ['gracefulStop', { ...plain, gracefulStop: '1.9s' }],
    ['gracefulRampDown', { executor: 'ramping-vus', stages: [{ duration: '1s' }], gracefulRampDown: '0s' }],
    ['the kind of executor', { executor: 'externally-controlled', duration: '1s' }],
  ])('counts only those that end, if %s lets requests end early', (_, scenario) => {
    const { countOwn, counted, resting } = startClient({ a: scenario }, 'a');
    const iterate = countOwn({ default: () => [...counted(), resting()] }, TIMEOUT_MS);
    expect(iterate(0)).toEqual([0, 0, 0]);
    expect(counted()).toEqual([1, 0]);
  });

  test('counts the part of an iteration behind the end of all scenarios', () => {
    const scenarios = { a: plain, b: { ...plain, startTime: '1m0s', duration: '2s' } };
    const late = (name: string, startTime: number, fromMs: number) => {
      vi.setSystemTime(fromMs);
      const { countOwn, counted } = startClient(scenarios, name, startTime);
      countOwn({ default: () => wait(400) }, TIMEOUT_MS)(0);
      return counted();
    };
    expect(late('a', 5000, 5900)).toEqual([1, 0]);
    expect(late('b', 65_000, 66_900)).toEqual([1, 0.75]);
    expect(late('b', 65_000, 67_100)).toEqual([1, 1]);
  });

  test('has no end of its own where iterations decide', () => {
    const scenarios = { a: plain, b: { executor: 'per-vu-iterations', iterations: 1 } };
    const { countOwn, counted, watch } = startClient(scenarios, 'b');
    vi.setSystemTime(900_000);
    countOwn({ default: () => wait(400) }, TIMEOUT_MS)(0);
    expect(counted()).toEqual([1, 0]);
    // 10 min and 30 s are k6's defaults.
    expect(watch.endMs).toBe(630_000 - TIMEOUT_MS);
  });
});
