import { expect, test } from 'vitest';
import { segmentFlags } from './segments.ts';

test('the shares of all generators are the whole, each once', () => {
  expect(segmentFlags(0, 1)).toEqual([]);
  const sequence = ['--execution-segment-sequence', '0,1/3,2/3,1'];
  expect(segmentFlags(0, 3)).toEqual(['--execution-segment', '0:1/3', ...sequence]);
  expect(segmentFlags(1, 3)).toEqual(['--execution-segment', '1/3:2/3', ...sequence]);
  expect(segmentFlags(2, 3)).toEqual(['--execution-segment', '2/3:1', ...sequence]);
});
