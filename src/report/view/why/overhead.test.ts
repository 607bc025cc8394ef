import { expect, test } from 'vitest';
import { tellOverhead } from './overhead.ts';

test.each([
  [[0.034], 'With the sampler a request took 3 % more CPU.'],
  [[0.034, null, 0.062], 'With the sampler a request took up to 6 % more CPU.'],
  [[-0.02], 'With the sampler a request took no more CPU.'],
  [[null], ''],
  [[], ''],
])('%j', (overheads, text) => {
  expect(tellOverhead(overheads.map((overhead) => ({ overhead, every: null })))).toBe(text);
});

test.each([
  [[[1, 1]], 'With the sampler a request'],
  [[[2, 2]], 'With the sampler in one of 2 requests, a request'],
  [
    [
      [1, 3],
      [2, 4],
    ],
    'With the sampler in one of 1 to 4 requests, a request',
  ],
])('in a share of the requests: %j', (shares, text) => {
  const whys = shares.map(([least = 1, most = 1]) => ({ overhead: 0.03, every: { least, most } }));
  expect(tellOverhead(whys)).toContain(text);
});
