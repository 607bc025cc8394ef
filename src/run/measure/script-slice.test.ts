import { expect, test } from 'vitest';
import type { K6Metric } from '../load/k6.ts';
import { failedSetup, readScript } from './script-slice.ts';

const counter = (name: string): K6Metric => ({
  ...{ name, custom: true, type: 'counter', contains: 'default', values: { count: 1 } },
});

test('metrics of thresholds are kept, however many a script has', () => {
  const metrics = [...Array(150).keys()].map((i) => counter(`steps_${i}`));
  const summary = {
    ...{ durationMs: 1, endedMs: 1, endpoints: [], metrics: {} },
    script: { checks: [], metrics: [...metrics, { ...counter('http_reqs'), custom: false }] },
  };
  const thresholds = ['steps_149', 'http_reqs'].map((metric) => ({ metric, condition: 'count>0' }));
  const read = readScript({ summary }, thresholds);
  expect(read.metrics.slice(0, 2).map(({ name }) => name)).toEqual(['steps_149', 'http_reqs']);
  expect([read.metrics.length, read.left]).toEqual([100, 51]);
});

test('a setup failed if k6 ended with an error before any iteration, and without a teardown', () => {
  const none = { count: 0, first: null };
  const thrown = { count: 1, first: 'login failed (load/login.js:6:9)' };
  const log = { thrown, printed: none, aborted: null, failed: null, ended: thrown.first };
  const run = (metrics: Record<string, Record<string, number>>) => ({
    ...{ summary: { durationMs: 1, endedMs: 1, endpoints: [], metrics }, log },
  });
  expect(failedSetup(run({ iterations: { count: 0 } }))).toBe('login failed (load/login.js:6:9)');
  expect(failedSetup(run({}))).toBe('login failed (load/login.js:6:9)');
  expect(failedSetup(run({ iterations: { count: 9 } }))).toBeNull();
  expect(failedSetup(run({ bench_load_end: { value: 1 } }))).toBeNull();
  // It is no iteration that threw.
  expect(readScript(run({})).thrown).toEqual(none);
  expect(readScript(run({ iterations: { count: 9 } })).thrown).toEqual(thrown);
});
