import { expect, test } from 'vitest';
import type { Batch } from '../../plan/timeline/slices.ts';
import type { K6Summary } from '../load/k6.ts';
import { slowestIdleMs } from './latency.ts';

test('a request where nothing waits: the fastest of each path, of the slowest variant', () => {
  const batch = { slices: [{ number: 0 }, { number: 1 }] } as unknown as Batch;
  const summary: K6Summary = { durationMs: 1000, endedMs: 1000, endpoints: [], metrics: {} };
  const fastest = { s0: [10, 50], s1: [20, 20] };
  for (const [slice, times] of Object.entries(fastest))
    times.forEach((min, i) => {
      summary.metrics[`http_req_duration{slice:${slice},name:e${i}}`] = { min, count: 9 };
    });
  const of = (endpoints: string[]) => slowestIdleMs(batch, { ...summary, endpoints });
  expect(of(['/', '/slow'])).toBe(30);
  expect(of(['/'])).toBe(20);
  // A short warm-up may not reach all paths.
  expect(of(['/', '/slow', '/never'])).toBe(30);
  expect(of([])).toBeNull();
  expect(slowestIdleMs(batch, null)).toBeNull();
});
