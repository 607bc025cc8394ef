import { expect, test } from 'vitest';
import type { Batch } from '../../plan/timeline/slices.ts';
import type { K6Summary } from '../load/k6.ts';
import { slowestIdleMs } from './latency.ts';

const batch = { slices: [{ number: 0 }, { number: 1 }] } as unknown as Batch;

/** `requests`: of each endpoint in a slice of 9 iterations, the fastest in ms, and how many there were. */
function given(requests: Record<string, [number, number][]>): K6Summary {
  const summary: K6Summary = { durationMs: 1000, endedMs: 1000, endpoints: [], metrics: {} };
  for (const [slice, endpoints] of Object.entries(requests)) {
    summary.metrics[`bench_started{slice:${slice}}`] = { count: 9 };
    endpoints.forEach(([min, count], i) => {
      summary.metrics[`http_req_duration{slice:${slice},name:e${i}}`] = { min, count };
    });
  }
  return { ...summary, endpoints: requests.s0?.map((_, i) => `/${i}`) ?? [] };
}

test.each<[string, Parameters<typeof given>[0], number | null]>([
  ['of one path', { s0: [[10, 9]] }, 10],
  ['of the slowest variant', { s0: [[10, 9]], s1: [[30, 9]] }, 30],
  [
    'of paths in turn',
    {
      s0: [
        [10, 5],
        [100, 4],
      ],
    },
    50,
  ],
  [
    'of a journey with all its requests',
    {
      s0: [
        [10, 9],
        [20, 27],
      ],
    },
    70,
  ],
  [
    'with a path that a short warm-up did not reach',
    {
      s0: [
        [10, 9],
        [0, 0],
      ],
    },
    10,
  ],
  ['without an answer', { s0: [[0, 0]] }, null],
  ['without endpoints', {}, null],
])('an iteration where nothing waits: %s', (_, requests, expected) => {
  expect(slowestIdleMs(batch, given(requests))).toBe(expected);
});

test('without a summary, nothing is known', () => {
  expect(slowestIdleMs(batch, null)).toBeNull();
});
