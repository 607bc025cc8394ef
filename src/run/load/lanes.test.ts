import { join } from 'node:path';
import { describe, expect, test } from 'vitest';

// By a path that is no literal: k6 has types of its own.
const { lanesOf, scenariosOfLanes, scenariosOfSlices } = await import(
  join(import.meta.dirname, '../../../scenarios/lib/executors.js')
);

const STEP = { offsetMs: 0, durationMs: 1000, requests: null };
const slices = {
  warm: { steps: [{ ...STEP, rps: 40, vus: 5 }] },
  a: { steps: [{ ...STEP, rps: 40, vus: 5 }] },
  b: { steps: [{ ...STEP, rps: 40, vus: 5 }] },
  first: { steps: [{ ...STEP, rps: 20, vus: 3 }] },
  second: { steps: [{ ...STEP, durationMs: 980, rps: 20, vus: 3 }] },
  ramp: {
    steps: [
      { ...STEP, rps: 10, vus: 5 },
      { ...STEP, offsetMs: 1000, rps: 30, vus: 5 },
    ],
  },
};
const block = (id: string, startMs: number, lengthMs: number, order = [id]) => ({
  ...{ id, startMs, lengthMs, order },
});
const warmup = block('warm', 0, 1000);
const turns = block('turns', 1300, 2000, ['a', 'b']);
const duet = [block('first', 3600, 1000), block('second', 3620, 980)];

type Stage = { target: number; duration: string };

/** When k6 begins requests, ms: where the sum of the rate reaches a whole number (cal in its ramping_arrival_rate.go). */
function arrivals({ stages }: { stages: Stage[] }): number[] {
  const found: number[] = [];
  let [sum, atMs] = [0, 0];
  for (const { target, duration } of stages) {
    const ms = Number.parseFloat(duration);
    const perMs = target / 1e6;
    const end = sum + perMs * ms;
    while (found.length + 1 <= end) found.push(atMs + (found.length + 1 - sum) / perMs);
    [sum, atMs] = [end, atMs + ms];
  }
  return found.map((ms) => Number(ms.toFixed(3)));
}

function loadOf(blocks: ReturnType<typeof block>[]) {
  const scenarios = scenariosOfLanes({ timeoutMs: 500 }, lanesOf(blocks, slices));
  return Object.entries(scenarios).map(([name, one]) => ({
    name,
    ...(one as { preAllocatedVUs: number; maxVUs: number; startRate: number; stages: Stage[] }),
  }));
}

const within = (all: readonly number[], fromMs: number, ms: number) =>
  all.filter((at) => at >= fromMs && at < fromMs + ms).length;

describe('a load with a rate', () => {
  test('is one scenario, with the requests of each block within it and none between', () => {
    const lanes = loadOf([warmup, turns]);
    expect(lanes.map(({ name, preAllocatedVUs, maxVUs }) => [name, preAllocatedVUs, maxVUs])).toEqual([
      ['lane0', 5, 5],
    ]);
    const all = arrivals(lanes[0] as { stages: Stage[] });
    expect(all).toHaveLength(120);
    // The lead is 1 ms; the first request is due after half of the time between two.
    expect([all[0], all[1], all[39], all[40], all.at(-1)]).toEqual([13.5, 38.5, 988.5, 1313.5, 3288.5]);
  });

  test('with duets is two scenarios, of which each loads one version, and which take turns elsewhere', () => {
    const lanes = loadOf([warmup, turns, ...duet]);
    expect(lanes.map(({ name, maxVUs }) => [name, maxVUs])).toEqual([
      ['lane0', 3],
      ['lane1', 3],
    ]);
    const [one, other] = lanes.map(arrivals) as [number[], number[]];
    expect([within(one, 0, 1200), within(other, 0, 1200)]).toEqual([20, 20]);
    expect([within(one, 1300, 2200), within(other, 1300, 2200)]).toEqual([40, 40]);
    // 980 ms of 20 requests per second are 19.6.
    expect([within(one, 3600, 1001), within(other, 3600, 1001)]).toEqual([20, 19]);
    expect(other[0]).toBe((one[0] ?? 0) + 25);
    expect(one[1]).toBe((other[0] ?? 0) + 25);
  });

  test.each([10, 20, 25, 30, 75])(
    'behind duets its lanes still take turns: %i requests per second',
    (rps) => {
      const halves = { rps: rps / 2, vus: 3 };
      const own = {
        a: { steps: [{ ...STEP, rps, vus: 5 }] },
        first: { steps: [{ ...STEP, durationMs: 1020, ...halves }] },
        second: { steps: [{ ...STEP, ...halves }] },
      };
      const window = (ms: number) => [
        { ...block('first', ms, 1020), id: `first${ms}` },
        { ...block('second', ms + 20, 1000), id: `second${ms}` },
      ];
      const blocks = [...window(0), ...window(1300), block('a', 3000, 2000)];
      const [one, other] = Object.values(scenariosOfLanes({ timeoutMs: 500 }, lanesOf(blocks, own))).map(
        (lane) => arrivals(lane as { stages: Stage[] }).filter((at) => at > 3001),
      ) as [number[], number[]];
      expect(Math.abs((one[0] ?? 0) - (other[0] ?? 0))).toBeCloseTo(1000 / rps, 0);
      expect(Math.abs(one.length - other.length)).toBeLessThanOrEqual(1);
    },
  );

  test('that is a ramp has the rate of each step', () => {
    const [lane] = loadOf([warmup, block('ramp', 1000, 2000)]);
    const all = arrivals(lane as { stages: Stage[] });
    expect([within(all, 0, 1001), within(all, 1001, 1000), within(all, 2001, 1000)]).toEqual([40, 10, 30]);
  });

  test('of duets alone has both lanes begin with their block', () => {
    const [one, other] = loadOf(duet).map(arrivals) as [number[], number[]];
    expect([within(one, 0, 1001), within(other, 20, 981)]).toEqual([20, 19]);
    expect(Math.min(...other)).toBeGreaterThan(20);
  });
});

test.each([
  [40, 40, 8],
  [4, 4, 4],
  // What a script does around its load, which needs a client.
  [0, 1, 1],
])('%i requests of 8 clients are %i iterations of %i', (requests, iterations, vus) => {
  const steps = [{ ...STEP, durationMs: null, rps: null, vus: 8, requests }];
  const slice = { id: 's0', startMs: 0, durationMs: null, baseUrl: null, steps };
  expect(scenariosOfSlices({ timeoutMs: 500, slices: [slice] }).s0_0).toMatchObject({ iterations, vus });
});
