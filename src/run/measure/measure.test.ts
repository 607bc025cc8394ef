import { describe, expect, test } from 'vitest';
import { scenarioOf } from '../../../test/fixtures/plan.ts';
import { compileLoad } from '../../plan/timeline/load-steps.ts';
import type { Measurement, RequestError } from '../../results/results.ts';
import { type K6Summary, TREND_STATS } from '../load/k6.ts';
import { Samples } from '../sample/samples.ts';
import type { BatchOutcome } from './batch-outcome.ts';
import { measureSlices } from './measure.ts';

const START = 1_800_000_000_000;

const NONE = { count: 0, first: null };
const QUIET = { thrown: NONE, printed: NONE, aborted: null, failed: null };

/** Values that k6 exports for samples, with its definition of percentiles. */
function trend(values: number[]): Record<string, number> {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (p: number) => {
    const index = (p / 100) * (sorted.length - 1);
    const [low, high] = [sorted[Math.floor(index)] ?? 0, sorted[Math.ceil(index)] ?? 0];
    return low + (high - low) * (index - Math.floor(index));
  };
  const stats = Object.fromEntries(
    TREND_STATS.flatMap((stat) => {
      const p = /^p\((.*)\)$/.exec(stat)?.[1];
      return p === undefined ? [] : [[stat, at(Number(p))]];
    }),
  );
  const avg = values.reduce((a, b) => a + b, 0) / Math.max(1, values.length);
  return { ...stats, count: values.length, min: sorted[0] ?? 0, avg, max: sorted.at(-1) ?? 0 };
}

interface Given {
  load?: string;
  /** Latency of what was answered, ms. */
  answered?: number[];
  failures?: number;
  refused?: number;
  timeouts?: number;
  /** Right statuses with wrong content. */
  wrong?: number;
  /** Answered at k6's second attempt. */
  resent?: number;
  dropped?: number;
  late?: number;
  /** ms that its clients were still busy elsewhere as its turns began. */
  head?: number;
  started?: number;
  resting?: number;
  /** CPU of the load's and the server's CPU set during the slice of a second, 0…1. */
  k6?: number;
  server?: number;
  /** So many samples are missing from its middle, as the machine stands still. */
  missed?: number;
  noSummary?: boolean;
  code?: string;
  /** What ended the k6 of a user's script. */
  ended?: string;
  /** Requests of a user's script that k6 calls failed, and counts by tags: `status:500,expected_response:false`. */
  script?: { failed: number; counts: Record<string, number> };
}

function measureOne(given: Given): Measurement {
  const { answered = [], failures = 0, refused = 0, timeouts = 0, dropped = 0, late = 0 } = given;
  const scenario = scenarioOf('test', given.load ?? 'vus(8, 1s)', {
    journey:
      given.ended || given.script
        ? { kind: 'script', name: 'x', file: '/x.js' }
        : { kind: 'paths', paths: ['/x'] },
    warmupMs: 0,
  });
  const unanswered = [...Array(refused).fill(0), ...Array(timeouts).fill(500)];
  const all = [...answered, ...unanswered];
  const requests = all.length;
  const summary: K6Summary = {
    durationMs: 1000,
    endedMs: START + 1000,
    endpoints: ['/x'],
    metrics: {
      'http_req_duration{slice:s7}': trend(all),
      'http_req_duration{slice:s7,status:0}': trend(unanswered),
      'http_req_duration{slice:s7,name:e0}': trend(all),
      'http_req_duration{step:s7_0}': trend(all),
      // As in main.js, these are missing if there are none.
      ...(unanswered.length > 0 && {
        'http_req_duration{slice:s7,name:e0,status:0}': trend(unanswered),
        'http_req_duration{step:s7_0,status:0}': trend(unanswered),
      }),
      'http_req_failed{slice:s7}': {
        passes: failures + refused + timeouts + (given.script?.failed ?? 0),
      },
      'http_reqs{slice:s7}': { count: requests },
      ...Object.fromEntries(
        Object.entries(given.script?.counts ?? {}).map(([tags, count]) => [
          `http_reqs{slice:s7,${tags}}`,
          { count },
        ]),
      ),
      'iterations{slice:s7}': { count: requests },
      'bench_started{slice:s7}': { count: given.started ?? requests },
      'bench_resting{slice:s7}': { count: given.resting ?? 0 },
      'bench_late{slice:s7}': { count: late },
      'bench_head{slice:s7}': { count: given.head ?? 0 },
      'dropped_iterations{scenario:lane0}': { count: dropped },
      'bench_slice_start{slice:s7}': { min: START },
      'bench_resent{slice:s7}': { count: given.resent ?? 0 },
      'bench_resent{slice:s7,name:e0}': { count: given.resent ?? 0 },
      'bench_errors{slice:s7,endpoint:e0,kind:refused}': { count: refused },
      'bench_errors{slice:s7,endpoint:e0,kind:timeout}': { count: timeouts },
      'bench_errors{slice:s7,endpoint:e0,kind:http 500}': { count: failures },
      'bench_errors{slice:s7,endpoint:e0,kind:wrong answer}': { count: given.wrong ?? 0 },
      'bench_errors{step:s7_0,kind:wrong answer}': { count: given.wrong ?? 0 },
    },
  };
  const samples = new Samples();
  samples.add(`clock ${START / 1000} 0.00`);
  for (let tick = -2; tick <= 20; tick++) {
    if (tick > 2 && tick <= 2 + (given.missed ?? 0)) continue;
    const share = Math.min(1, Math.max(0, tick / 10));
    const uptime = (tick / 10).toFixed(2);
    samples.add(
      `cpu ${uptime} ${Math.round(share * (given.k6 ?? 0.1) * 1e6)} ${Math.round(share * (given.server ?? 0.5) * 1e6)}`,
    );
    samples.add(
      `host ${uptime} 0:${Math.round(share * (given.server ?? 0.5) * 100)}:0 1:${Math.round(share * (given.k6 ?? 0.1) * 100)}:0`,
    );
    samples.add(`mem ${uptime} 0:1:0:0 ${1_000_000 + tick}:5:0:0`);
  }
  const outcome: BatchOutcome = {
    batch: {
      scenario,
      drainMs: 500,
      slices: [
        {
          ...{
            number: 7,
            variant: 'a',
            block: 0,
            warmup: false,
            startMs: 0,
            durationMs: 1000,
            turns: null,
            turnMs: null,
            duet: null,
          },
          steps: compileLoad(scenario.load, scenario),
        },
      ],
    },
    ...{
      instance: 0,
      summary: given.noSummary ? null : summary,
      trouble: given.noSummary ? 'k6 was killed' : '',
      ...(given.code && { code: given.code }),
      ...(given.ended && { log: { ...QUIET, ended: given.ended } }),
    },
    ...{ errors: [], samples, containers: new Map([['a', 1]]), arena: 0 },
    cpus: { server: [0], load: [1], services: [] },
    ...{ services: new Map(), beganMs: START },
  };
  return measureSlices(outcome)[0] as Measurement;
}

const ramp = (n: number) => Array.from({ length: n }, (_, i) => 1 + i / n);

describe('measure', () => {
  test('rates, CPU per request and exact percentiles of a plain slice', () => {
    const m = measureOne({ answered: ramp(1000), server: 0.5 });
    expect(m).toMatchObject({
      outcome: 'ok',
      requests: 1000,
      okCount: 1000,
      achievedRps: 1000,
      interrupted: 0,
    });
    expect(m.cpu?.perRequestUs).toBeCloseTo(500, 6);
    expect(m.latency?.p50Ms).toBeCloseTo(1.4995, 6);
    expect(m.latency?.p99_9Ms).toBeCloseTo(1 + 0.999 * 0.999, 6);
    expect(m.histogram.reduce((sum, [, n]) => sum + n, 0)).toBe(1000);
    expect(m.generator).toMatchObject({ bound: false, busyRatio: expect.closeTo(0.1, 6) });
  });

  test('a right answer at k6’s second attempt is a reset, not a right answer', () => {
    const m = measureOne({ answered: ramp(1000), failures: 3, resent: 7 });
    expect(m).toMatchObject({ outcome: 'ok', requests: 1000, okCount: 990 });
    expect(m.errors).toEqual([
      { kind: 'http 500', endpoint: '/x', count: 3, sample: null },
      { kind: 'reset, sent again', endpoint: '/x', count: 7, sample: null },
    ]);
    expect(m.endpoints[0]?.failures).toBe(7);
    expect(m.steps[0]?.failures).toBe(10);
  });

  test('what clients came late by, from the turn before, is no time of this server', () => {
    // Eight clients, 0.1 s each, of a second.
    expect(measureOne({ answered: ramp(900), head: 800 }).achievedRps).toBeCloseTo(1000, 6);
    expect(measureOne({ answered: ramp(910), head: 800, late: 10 }).achievedRps).toBeCloseTo(1000, 6);
  });

  test('a head as long as the slice leaves no rate, and no infinite one', () => {
    expect(measureOne({ answered: ramp(10), head: 8000 }).achievedRps).toBe(0);
    expect(measureOne({ answered: ramp(10), head: 9000 }).achievedRps).toBe(0);
  });

  test('a refused connection takes no time and is not latency: a server that is down is not fast', () => {
    const m = measureOne({ answered: Array(100).fill(80), refused: 900 });
    expect(m).toMatchObject({ requests: 1000, okCount: 100 });
    // One sample lies on the edge of the two, where k6's percentiles interpolate.
    expect(m.latency?.minMs).toBeGreaterThan(70);
    expect(m.latency?.p50Ms).toBeGreaterThan(79);
    expect(m.errors).toEqual([{ kind: 'refused', endpoint: '/x', count: 900, sample: null }]);
  });

  test.each(['vus(8, 1s)', 'const(500, 1s) const(1000, 1s)'])(
    'nor is it in the row of its path and of its step: %s',
    (load) => {
      const m = measureOne({ load, answered: Array(100).fill(80), refused: 800, timeouts: 100 });
      expect(m.endpoints[0]).toMatchObject({ requests: 1000, latency: m.latency, histogram: m.histogram });
      expect(m.steps[0]).toMatchObject({ requests: 1000, latency: m.latency });
      expect(m.latency?.p50Ms).toBeGreaterThan(79);
      expect(m.latency?.maxMs).toBeGreaterThan(490);
      expect(measureOne({ load, refused: 10 }).steps[0]?.latency).toBeNull();
    },
  );

  test.each(['vus(8, 1s)', 'const(500, 1s) const(1000, 1s)'])(
    'a right status with wrong content is a failure, also of its step: %s',
    (load) => {
      const m = measureOne({ load, answered: ramp(1000), wrong: 40 });
      expect(m).toMatchObject({ okCount: 960, endpoints: [{ failures: 40 }] });
      expect(m.steps[0]).toMatchObject({ requests: 1000, failures: 40 });
    },
  );

  test('a timeout counts as the time that was waited', () => {
    const m = measureOne({ answered: Array(90).fill(10), timeouts: 10 });
    expect(m.latency?.p50Ms).toBeLessThan(11);
    expect(m.latency?.p95Ms).toBeGreaterThan(490);
    expect(m.errors).toMatchObject([{ kind: 'timeout', count: 10 }]);
  });

  test.each<[string, Given, RequestError[], string | null]>([
    [
      'a status that it does not expect',
      { script: { failed: 60, counts: { 'status:302,expected_response:false': 60 } } },
      [{ kind: 'http 302', endpoint: 'all', count: 60, sample: null }],
      'only 40 of 100 answers OK; mostly http 302',
    ],
    [
      'a status that is not in the list',
      { script: { failed: 60, counts: {} } },
      [{ kind: 'http other', endpoint: 'all', count: 60, sample: null }],
      'only 40 of 100 answers OK; mostly http other',
    ],
    ['a status that it expects', { script: { failed: 0, counts: { 'status:404': 60 } } }, [], null],
    [
      'the same status with and without the library',
      { failures: 5, script: { failed: 10, counts: { 'status:500,expected_response:false': 15 } } },
      [
        { kind: 'http 500', endpoint: '/x', count: 5, sample: null },
        { kind: 'http 500', endpoint: 'all', count: 10, sample: null },
      ],
      null,
    ],
    [
      'no answer with and without the library',
      { refused: 5, timeouts: 5, script: { failed: 2, counts: { 'status:0': 12 } } },
      [
        { kind: 'timeout', endpoint: '/x', count: 5, sample: null },
        { kind: 'refused', endpoint: '/x', count: 5, sample: null },
        { kind: 'no answer', endpoint: 'all', count: 2, sample: null },
      ],
      null,
    ],
  ])('failures of a script: %s', (_, given, errors, reason) => {
    expect(measureOne({ answered: ramp(100), ...given })).toMatchObject({ errors, reason });
  });

  test('the cause of most failures is named, also if those had no answer', () => {
    const given = { answered: ramp(100), failures: 70 };
    expect(measureOne({ ...given, started: 160 }).reason).toBe('only 30 of 160 answers OK; mostly http 500');
    expect(measureOne({ ...given, started: 180 }).reason).toBe(
      'only 30 of 180 answers OK; mostly no answer in time',
    );
  });

  test('what ended behind the slice counts by the part within it', () => {
    expect(measureOne({ answered: ramp(88), late: 4 }).achievedRps).toBe(84);
  });

  test('what never ended is interrupted', () => {
    expect(measureOne({ answered: ramp(10), started: 13 }).interrupted).toBe(3);
  });

  test('a client of a script that sleeps in the end waits for no answer', () => {
    const slept = measureOne({ answered: ramp(10), started: 13, resting: 3 });
    expect(slept).toMatchObject({ interrupted: 0, outcome: 'ok' });
    expect(measureOne({ answered: ramp(10), started: 13, resting: 2 }).interrupted).toBe(1);
  });

  test.each<[string, Given, Partial<Measurement>]>([
    ['k6 is killed', { noSummary: true }, { outcome: 'void', reason: 'k6 was killed' }],
    [
      'there is a code for what made it void',
      { noSummary: true, code: 'clock-step' },
      { outcome: 'void', code: 'clock-step' },
    ],
    [
      'every request fails',
      { answered: ramp(50), failures: 50 },
      { outcome: 'failed', reason: 'every request failed' },
    ],
    ['nothing was asked', {}, { outcome: 'void', reason: 'k6 made no request' }],
    [
      'nothing was asked as the machine stood still',
      { missed: 5 },
      { outcome: 'void', reason: 'k6 made no request, and the machine stood still for 500 ms' },
    ],
    [
      'the setup of a script fails',
      { ended: 'login failed (load/login.js:6:9)' },
      { outcome: 'failed', reason: 'setup failed: login failed (load/login.js:6:9)' },
    ],
    [
      'nothing was answered',
      { started: 8 },
      { outcome: 'failed', reason: 'no request was answered in time' },
    ],
    [
      'another server answers on its port',
      { answered: ramp(1000), server: 0 },
      { outcome: 'void', reason: 'its server used no CPU: something else answered on its port' },
    ],
  ])('%s', (_, given, expected) => {
    expect(measureOne(given)).toMatchObject(expected);
  });

  test.each<[string, Given, string[]]>([
    ['k6 at its limit', { answered: ramp(100), k6: 0.95 }, ['k6 used 95 % of its CPUs']],
    ['k6 with room left', { answered: ramp(100), k6: 0.8 }, []],
    [
      'VUs at their cap while k6 is busy',
      { load: 'const(100, 1s)', answered: ramp(80), dropped: 20, k6: 0.7 },
      ['20 iterations dropped: all VUs (11) were waiting'],
    ],
    [
      'the offered rate missed while k6 is busy',
      { load: 'const(100, 1s)', answered: ramp(80), k6: 0.7 },
      ['80 % of the offered rate was sent'],
    ],
    [
      'VUs that wait for the server while k6 idles are not its limit',
      { load: 'const(100, 1s)', answered: ramp(80), dropped: 20, server: 0.98 },
      [],
    ],
  ])('the generator is bound: %s', (_, given, reasons) => {
    expect(measureOne(given).generator).toMatchObject({ bound: reasons.length > 0, reasons });
  });
});
