import { expect, test } from 'vitest';
import { tellOverhead } from './overhead.ts';

test.each([
  [[0.034], 'Profiling, in a pass of its own, added 3 % to the CPU of a request.'],
  [[0.034, null, 0.062], 'Profiling, in a pass of its own, added up to 6 % to the CPU of a request.'],
  [[-0.02], 'Profiling, in a pass of its own, added nothing to the CPU of a request.'],
  [[null], ''],
  [[], ''],
])('%j', (overheads, text) => {
  expect(tellOverhead(overheads.map((overhead) => ({ overhead, every: null })))).toBe(text);
});

test.each([
  [[[1, 1]], 'Profiling, in a pass of its own, added'],
  [[[2, 2]], 'in a pass of its own and in one of 2 requests, added'],
  [
    [
      [1, 3],
      [2, 4],
    ],
    'in a pass of its own and in one of 1 to 4 requests, added',
  ],
])('in a share of the requests: %j', (shares, text) => {
  const whys = shares.map(([least = 1, most = 1]) => ({ overhead: 0.03, every: { least, most } }));
  expect(tellOverhead(whys)).toContain(text);
});
