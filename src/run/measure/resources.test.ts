import { expect, test } from 'vitest';
import { scenarioOf } from '../../../test/fixtures/plan.ts';
import type { Slice } from '../../plan/timeline/slices.ts';
import { Samples } from '../sample/samples.ts';
import type { BatchOutcome } from './batch-outcome.ts';
import { measureDuets } from './duets.ts';
import { idleUsPerSecond, readResources } from './resources.ts';

const START = 1_800_000_000_000;

/**
 * Two variants warmed up for a second each, one after the other. The first uses a whole CPU until `busyUntil`, ms, and so many
 * µs a second after that. The sampler reads every 100 ms, not at the same times.
 */
function warmUp(busyUntil: number, afterUs: number): Parameters<typeof idleUsPerSecond>[0] {
  const slice = (number: number, variant: string, startMs: number) => ({
    ...{ number, variant, startMs, durationMs: 1000, warmup: true, block: 0 },
    ...{ turns: null, turnMs: null, duet: null, steps: [] },
  });
  const samples = new Samples();
  samples.add(`clock ${START / 1000} 0.00`);
  for (let atMs = -60; atMs <= 2140; atMs += 100) {
    const busyMs = Math.min(Math.max(0, atMs), busyUntil);
    const us = 1000 * busyMs + (Math.max(0, atMs - busyUntil) * afterUs) / 1000;
    samples.add(`cpu ${(atMs / 1000).toFixed(2)} ${Math.round(us)} 0`);
  }
  const metrics = {
    'bench_slice_start{slice:s1}': { min: START },
    'bench_slice_start{slice:s2}': { min: START + 1000 },
  };
  return {
    batch: { slices: [slice(1, 'a', 0), slice(2, 'b', 1000)] },
    ...{ summary: { metrics }, samples },
  } as unknown as Pick<BatchOutcome, 'batch' | 'summary' | 'samples'>;
}

test.each([
  ['ends with its slice', 1000],
  ['goes on with its last requests for a while', 1400],
])('a server that %s is idle while another one is loaded', (_, busyUntil) => {
  expect(idleUsPerSecond(warmUp(busyUntil, 0), 0, 'a')).toBeCloseTo(0, 6);
});

test('a server that works all the time is not', () => {
  expect(idleUsPerSecond(warmUp(1000, 50_000), 0, 'a')).toBeCloseTo(50_000, -2);
});

test('a server that was not warmed up yet is not judged', () => {
  expect(idleUsPerSecond(warmUp(1000, 0), 1, 'b')).toBeNull();
});

/** A second of load on `a` by a k6 process of its own. Beside it `b` polls, `c` is idle, and `d` has died. */
function loadAlone(more: object = {}): BatchOutcome {
  const slice = { number: 1, variant: 'a', block: 0, warmup: false, startMs: 0, durationMs: null, ...more };
  const samples = new Samples();
  samples.add(`clock ${START / 1000} 0.00`);
  for (let atMs = -160; atMs <= 2140; atMs += 100) {
    // Until the middle of the slice, the last requests to it from before keep `c` busy.
    const c = 1000 * Math.min(400, Math.max(0, atMs));
    samples.add(`cpu ${(atMs / 1000).toFixed(2)} 0 ${1000 * (atMs + 200)} ${50 * (atMs + 200)} ${c} -1`);
  }
  return {
    batch: { slices: [{ turns: null, turnMs: null, duet: null, steps: [], ...slice }], drainMs: 0 },
    ...{
      summary: { metrics: {} },
      samples,
      services: new Map(),
      cpus: { server: [0], load: [1], services: [] },
    },
    containers: new Map([
      ['a', 1],
      ['b', 2],
      ['c', 3],
      ['d', 4],
    ]),
  } as unknown as BatchOutcome;
}

const idleBeside = (outcome: BatchOutcome) =>
  readResources(outcome, outcome.batch.slices[0] as Slice, START, 1000, 1000, 10).idle;

test('a variant that is loaded by a k6 process of its own shows what each of the others uses meanwhile', () => {
  expect(idleBeside(loadAlone())).toEqual([
    { variant: 'b', usPerSecond: expect.closeTo(50_000, 0) },
    { variant: 'c', usPerSecond: expect.closeTo(0, 6) },
  ]);
});

test('servers that take turns are not idle beside each other', () => {
  expect(idleBeside(loadAlone({ turns: [0] }))).toBeUndefined();
  const two = loadAlone();
  const [slice] = two.batch.slices as [Slice];
  const batch = { ...two.batch, slices: [slice, { ...slice, number: 2, variant: 'b' }] };
  expect(idleBeside({ ...two, batch })).toBeUndefined();
});

test('a duet in which nothing was asked names the stall of the machine, if there was one', () => {
  const alone = loadAlone({ duet: 'a', durationMs: 1000 });
  const [one] = alone.batch.slices as [Slice];
  const batch = {
    ...alone.batch,
    scenario: scenarioOf('x', 'vus(2, 1s)'),
    slices: [one, { ...one, number: 2, variant: 'b' }],
  };
  const reasonsOf = (samples: Samples) =>
    measureDuets({ ...alone, batch, samples, beganMs: START } as BatchOutcome).map(({ reason }) => reason);
  expect(reasonsOf(alone.samples)).toEqual(['k6 made no request']);
  const late = new Samples();
  late.add(`clock ${START / 1000} 0.00`);
  for (const uptime of ['0.00', '1.40', '1.50']) late.add(`cpu ${uptime} 0 0 0`);
  expect(reasonsOf(late)).toEqual(['k6 made no request, and the machine stood still for 1,300 ms']);
});
