import { describe, expect, test } from 'vitest';
import { Samples } from './samples.ts';

/** CPU samples at these uptimes, in seconds, of a machine that was booted at unix time 0. */
function samplesAt(...uptimes: number[]): Samples {
  const samples = new Samples();
  samples.add('clock 0 0.00');
  for (const uptime of uptimes) samples.add(`cpu ${uptime.toFixed(2)} 0`);
  return samples;
}

describe('a stall', () => {
  const samples = samplesAt(0, 0.1, 0.2, 0.3, 0.55, 0.65, 0.75, 0.86, 0.96);

  test.each([
    ['a stretch without', 50, 250, 0],
    ['one inside', 150, 700, 150],
    ['one that the stretch ends in', 150, 400, 150],
    ['one that the stretch begins in', 400, 700, 150],
    ['the grid of uptime', 700, 900, 10],
  ])('%s', (_, from, to, expected) => expect(samples.stallMs(from, to)).toBe(expected));

  test.each([
    ['before the first sample', -50, 250],
    ['behind the last', 700, 1000],
  ])('is not known %s', (_, from, to) => expect(samples.stallMs(from, to)).toBeNull());
});

test('what is used within leaves out what lies before and behind', () => {
  const samples = new Samples();
  samples.add('clock 0 0.00');
  // It starts up until 100 ms, loads until 400 ms at half a CPU, then ends.
  for (const [uptime, used] of [
    ...[
      [0, 0],
      [0.1, 90_000],
      [0.2, 140_000],
    ],
    ...[
      [0.3, 190_000],
      [0.4, 240_000],
      [0.5, 330_000],
    ],
  ] as [number, number][]) {
    samples.add(`cpu ${uptime.toFixed(2)} ${used}`);
  }
  expect(samples.usedUs(0, 90, 410)).toBe(330_000);
  expect(samples.usedWithinUs(0, 90, 410)).toBe(160_000);
  expect(samples.usedWithinUs(0, 110, 190)).toBeNull();
  expect(samples.usedWithinUs(1, 90, 410)).toBeNull();
});

test('a container is counted with another one', () => {
  // The arena, a server, a service, and what stands before the server.
  const samples = new Samples(new Map([[3, 1]]));
  samples.add('clock 0 0.00');
  samples.add('cpu 0.00 5 100 7 10');
  samples.add('cpu 0.10 5 300 9 40');
  samples.add('cpu 0.20 5 400 9 -1');
  samples.add('mem 0.10 1:1:0:0 1000:3:20:0 50:1:0:0 200:2:1:1');
  expect([0, 1, 2, 3].map((i) => samples.usedUs(i, 0, 100))).toEqual([0, 230, 2, 0]);
  expect(samples.usedUs(1, 0, 200)).toBeNull();
  expect(samples.memory[0]?.containers[1]).toEqual({
    bytes: 1200,
    processes: 5,
    throttledUs: 21,
    oomKills: 1,
  });
});
