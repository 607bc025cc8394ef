import { expect, test } from 'vitest';
import { mostGenerators, segmentFlags } from './segments.ts';

const slice = (...vus: number[]) => ({
  ...{ warmup: false, duet: null },
  steps: vus.map((one) => ({ vus: one, rps: null, requests: null })),
});

test('the shares of all generators are the whole, each once', () => {
  expect(segmentFlags(0, 1)).toEqual([]);
  const sequence = ['--execution-segment-sequence', '0,1/3,2/3,1'];
  expect(segmentFlags(0, 3)).toEqual(['--execution-segment', '0:1/3', ...sequence]);
  expect(segmentFlags(1, 3)).toEqual(['--execution-segment', '1/3:2/3', ...sequence]);
  expect(segmentFlags(2, 3)).toEqual(['--execution-segment', '2/3:1', ...sequence]);
});

test('no generator is without a client', () => {
  expect(mostGenerators([slice(8), slice(8, 3)])).toBe(3);
  expect(mostGenerators([slice(1)])).toBe(1);
  // A script brings its own.
  expect(mostGenerators([slice()])).toBe(Infinity);
  // k6 starts no more clients than there are requests.
  const count = { ...slice(8), steps: [{ vus: 8, rps: null, requests: 2 }] };
  expect(mostGenerators([count])).toBe(2);
});

test('a warm-up or a duet with fewer clients takes no generator from the measured load', () => {
  const warmup = { ...slice(2), warmup: true };
  const duet = { ...slice(2), duet: 'a' };
  expect(mostGenerators([warmup, slice(4), slice(4), duet, duet])).toBe(4);
  // Without a measured slice beside them they have as many generators as clients.
  expect(mostGenerators([warmup])).toBe(2);
  expect(mostGenerators([duet, duet])).toBe(2);
});

test('with duets each generator needs a client in both lanes of a rate', () => {
  const atRate = (vus: number) => ({ ...slice(), steps: [{ vus, rps: 20, requests: null }] });
  const duet = { ...atRate(3), duet: 'a' };
  expect(mostGenerators([atRate(6), atRate(6)])).toBe(6);
  expect(mostGenerators([atRate(6), atRate(6), duet, duet])).toBe(3);
  expect(mostGenerators([duet, duet])).toBe(3);
});
