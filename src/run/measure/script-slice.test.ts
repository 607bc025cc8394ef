import { expect, test } from 'vitest';
import type { K6Metric } from '../load/k6.ts';
import { readScript } from './script-slice.ts';

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
