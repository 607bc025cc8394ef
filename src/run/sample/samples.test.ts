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

describe('the own reading of the sampler', () => {
  /** As many samples as these pairs: uptime of the sample, and how long it was read, in seconds. */
  function samplesWith(...pairs: [number, number][]): Samples {
    const samples = new Samples();
    samples.add('clock 0 0.00');
    for (const [uptime, read] of pairs) {
      samples.add(`cpu ${uptime.toFixed(2)} 0`);
      samples.add(`done ${(uptime + read).toFixed(2)}`);
    }
    return samples;
  }

  test('is no stall', () => {
    const samples = samplesWith([0, 0.08], [0.18, 0.08], [0.36, 0.09], [0.55, 0.08], [0.73, 0.08]);
    expect(samples.stallMs(0, 700)).toBe(0);
  });

  test('hides none: neither of the sleep between nor of a reading that was interrupted', () => {
    const asleep = samplesWith([0, 0.08], [0.18, 0.08], [0.66, 0.08], [0.84, 0.08]);
    expect(asleep.stallMs(0, 800)).toBe(300);
    const interrupted = samplesWith([0, 0.02], [0.12, 0.02], [0.24, 0.42], [0.76, 0.02], [0.88, 0.02]);
    expect(interrupted.stallMs(0, 850)).toBe(370);
  });
});

test('after somebody has set the clock, only what follows has a time', () => {
  const samples = new Samples();
  samples.add('clock 5000 0.00');
  for (const [uptime, used] of [
    [1, 10],
    [1.1, 20],
  ]) {
    samples.add(`cpu ${uptime?.toFixed(2)} ${used}`);
    samples.add(`done ${uptime?.toFixed(2)}`);
  }
  expect([samples.usedUs(0, 5_001_000, 5_001_100), samples.completeMs]).toEqual([10, 5_001_100]);
  samples.add('clock 1401.20 1.20');
  samples.add('done 1.25');
  expect(samples.clockSteps).toEqual([-3_600_000]);
  expect([samples.usedUs(0, 5_001_000, 5_001_100), samples.completeMs]).toEqual([null, 0]);
  for (const [uptime, used] of [
    [1.3, 30],
    [1.4, 70],
  ])
    samples.add(`cpu ${uptime?.toFixed(2)} ${used}`);
  expect(samples.usedUs(0, 1_401_310, 1_401_390)).toBe(40);
});

describe('samples of hours', () => {
  const samples = new Samples();
  samples.add('clock 0 0.00');
  const COUNT = 8 * 3600 * 10;
  for (let i = 0; i < COUNT; i++) {
    const uptime = (i / 10).toFixed(2);
    samples.add(`cpu ${uptime} ${i} ${2 * i}`);
    if (i % 2 === 0) samples.add(`host ${uptime} 0:${i}:0 1:${i}:1`);
    if (i % 5 === 0) samples.add(`mem ${uptime} 1:1:0:0 2:1:0:0`);
  }

  test('are looked up by a few steps each', () => {
    let reads = 0;
    const counted = <T extends object>(all: readonly T[]) =>
      new Proxy(all as T[], {
        get(target, key, receiver) {
          if (typeof key === 'string' && /^\d+$/.test(key)) reads++;
          return Reflect.get(target, key, receiver);
        },
      });
    for (const kind of ['cpu', 'host', 'memory'] as const) {
      Object.defineProperty(samples, kind, { value: counted(samples[kind] as object[]) });
    }
    const endMs = COUNT * 100 - 1000;
    expect(samples.usedUs(1, endMs - 150, endMs)).toBe(4);
    expect(samples.usedWithinUs(1, endMs - 300, endMs)).toBe(6);
    expect(samples.busy([0, 1], endMs - 400, endMs)).toBeCloseTo(0.1);
    expect(samples.memoryBetween(endMs - 900, endMs)).toHaveLength(2);
    expect(samples.stallMs(endMs - 400, endMs)).toBe(0);
    expect(reads).toBeLessThan(400);
  });

  test('are forgotten except for those that the next interval begins with', () => {
    const fromMs = 3_600_050;
    const expected = samples.usedUs(1, fromMs, fromMs + 1000);
    samples.forget(fromMs);
    expect(samples.cpu[0]?.atMs).toBe(3_600_000);
    expect(samples.usedUs(1, fromMs, fromMs + 1000)).toBe(expected);
    expect(samples.host[0]?.atMs).toBe(3_600_000);
    expect(samples.memory[0]?.atMs).toBe(3_600_000);
  });
});
