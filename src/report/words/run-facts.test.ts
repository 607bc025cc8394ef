import { expect, test } from 'vitest';
import { summaryOf } from '../../../test/fixtures/results/summaries.ts';
import { machineFacts } from './run-facts.ts';

test.each([
  ['containerd', 'image store containerd: sizes include compressed layers'],
  ['graph driver', 'image store graph driver: sizes without compressed layers'],
  [undefined, ''],
] as const)('the image store %s is beside the version of Docker', (imageStore, expected) => {
  const summary = summaryOf('base');
  const host = { ...summary.host, ...(imageStore && { imageStore }) };
  const { Docker } = Object.fromEntries(machineFacts({ ...summary, host }));
  expect(Docker).toBe(['engine 28.0.4, buildx 0.23.0', expected].filter(Boolean).join(', '));
});
