import { expect, test } from 'vitest';
import { tellOverhead } from './overhead.ts';

test.each([
  [[0.034], 'With the sampler a request took 3 % more CPU.'],
  [[0.034, null, 0.062], 'With the sampler a request took up to 6 % more CPU.'],
  [[-0.02], 'With the sampler a request took no more CPU.'],
  [[null], ''],
  [[], ''],
])('%j', (overheads, text) => {
  expect(tellOverhead(overheads.map((overhead) => ({ overhead })))).toBe(text);
});
