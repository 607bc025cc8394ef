import { describe, expect, test } from 'vitest';
import { fixtures, makeResults, type Server } from '../../test/fixtures/results/make.ts';
import { Results } from '../results/results.ts';
import { fromPercentiles } from '../stats/histogram.ts';
import { analyse } from './analyse.ts';
import type { Row, ScenarioSummary } from './summary.ts';

const server = (id: string, more: Partial<Server> = {}): Server => ({ id, rps: 500, ...more });
const first = (results: Results): ScenarioSummary => analyse(results).scenarios[0] as ScenarioSummary;
const rowOf = (scenario: ScenarioSummary, id: string): Row =>
  scenario.rows.find((row) => row.variant === id) as Row;
const codes = (results: Results) => analyse(results).warnings.map((warning) => warning.code);

test.each(Object.keys(fixtures))('the fixture %s is results.json', (name) => {
  expect(Results.safeParse(fixtures[name]?.()).error).toBeUndefined();
});

describe('ranking', () => {
  test('closed load: by RPS, best only when it is surely ahead', () => {
    const scenario = first(fixtures.quick?.() as Results);
    expect(scenario.metric).toBe('rps');
    expect(scenario.rows.map((row) => [row.label, row.state])).toEqual([
      ['apache', { kind: 'ranked', rank: 1, shared: false }],
      ['nginx-fpm (unix)', { kind: 'ranked', rank: 2, shared: false }],
      ['nginx-fpm (tcp)', { kind: 'ranked', rank: 3, shared: false }],
    ]);
    expect(scenario.best).toBe('apache@8.4');
  });

  test('variants that do not surely differ share a place and none is best', () => {
    const scenario = first(fixtures.tie?.() as Results);
    expect(scenario.rows.map((row) => row.state)).toMatchObject([
      { rank: 1, shared: true },
      { rank: 1, shared: true },
      { rank: 3, shared: false },
    ]);
    expect(scenario.best).toBeNull();
  });

  test('what RPS cannot separate, CPU per request may', () => {
    const scenario = first(fixtures.tie?.() as Results);
    expect(scenario.cheapest).toBe('apache@8.4');
    expect(first(fixtures['one-start']?.() as Results).cheapest).toBeNull();
  });

  test('a single slice has no interval, so it is never surely ahead', () => {
    const results = makeResults({
      servers: [server('a', { rps: 900 }), server('b')],
      instances: 1,
      scenario: { blocks: 1 },
    });
    expect(first(results).best).toBeNull();
    expect(rowOf(first(results), 'a').rps).toMatchObject({ half: null, over: 'nothing', n: 1 });
  });

  test('one start: the interval is over its slices and says so', () => {
    const results = fixtures['one-start']?.() as Results;
    expect(rowOf(first(results), 'apache@8.4').rps).toMatchObject({ over: 'slices', n: 4 });
    expect(codes(results)).toContain('few-instances');
  });

  test('open load: by p99, and who cannot hold the rate is not ranked', () => {
    const scenario = first(fixtures.journey?.() as Results);
    expect(scenario).toMatchObject({ model: 'open', metric: 'p99' });
    expect(scenario.rows.map((row) => [row.label, row.state.kind])).toEqual([
      ['apache', 'ranked'],
      ['nginx-fpm (unix)', 'ranked'],
      ['nginx-fpm (tcp)', 'unranked'],
    ]);
    expect(rowOf(scenario, 'nginx-fpm@8.4[listen=tcp]').state).toMatchObject({ cause: 'rate-missed' });
  });

  test('open load with too few requests for p99: by p95', () => {
    const results = makeResults({
      servers: [server('a', { p50Ms: 4 })],
      offeredRps: 50,
      scenario: { blocks: 2 },
    });
    expect(first(results).metric).toBe('p95');
  });
});

describe('what is kept out of the ranking', () => {
  const scenario = first(fixtures.mixed?.() as Results);

  test('a server that answers 500 fast is not first', () => {
    const row = rowOf(scenario, 'broken@8.4');
    expect(row.rps?.value).toBeGreaterThan(rowOf(scenario, 'apache@8.4').rps?.value as number);
    expect(row.state).toMatchObject({
      kind: 'unranked',
      cause: 'ok-ratio',
      reason: expect.stringMatching(/^only 6[12].* % of answers OK, 99 % needed; mostly http 500$/),
    });
    expect(scenario.rows[0]?.label).toBe('apache');
    expect(scenario.best).toBe('apache@8.4');
  });

  test('a server that never answers right has no numbers to be proud of', () => {
    expect(rowOf(scenario, 'unit@8.4')).toMatchObject({
      state: {
        kind: 'failed',
        stage: 'run',
        reason: 'only 0 % of answers OK, 99 % needed; mostly http 503',
      },
      okRatio: 0,
      rps: null,
      latency: null,
    });
  });

  test.each([
    [0.071, 'failed'],
    [0.49, 'failed'],
    [0.51, 'unranked'],
  ])('with %d of its answers right a variant is %s', (okRatio, kind) => {
    const results = makeResults({ servers: [server('a', { okRatio }), server('b')] });
    expect(rowOf(first(results), 'a').state.kind).toBe(kind);
  });

  test('requests without an answer are not right answers', () => {
    const results = makeResults({ servers: [server('a', { rps: 100, interrupted: 8 })] });
    expect(first(results).rows[0]?.state).toMatchObject({ cause: 'ok-ratio' });
  });

  test('a slice without any request that failed is a failure under load', () => {
    const results = makeResults({
      servers: [server('a')],
      change({ measurements }) {
        for (const slice of measurements) {
          Object.assign(slice, {
            outcome: 'failed',
            reason: 'the container is gone',
            requests: 0,
            okCount: 0,
          });
        }
      },
    });
    expect(first(results).rows[0]?.state).toMatchObject({ kind: 'failed', reason: 'the container is gone' });
  });

  test('a generator-bound variant is not ranked, however fast', () => {
    expect(rowOf(scenario, 'swoole@8.4').state).toEqual({
      kind: 'generator-bound',
      reason: 'k6 used 97 % of its CPU',
    });
  });

  test('what did not build is failed, with its log', () => {
    expect(rowOf(scenario, 'roadrunner@8.4').state).toMatchObject({ kind: 'failed', stage: 'build' });
  });

  test('void slices give no numbers', () => {
    expect(rowOf(scenario, 'frankenphp@8.4')).toMatchObject({
      state: { kind: 'unranked', cause: 'no-data', reason: 'all 12 slices are void: k6 made no request' },
      rps: null,
      latency: null,
    });
  });

  test('the order is ranked, generator-bound, unranked, failed', () => {
    const kinds = scenario.rows.map((row) => row.state.kind);
    expect(kinds).toEqual([
      ...['ranked', 'ranked', 'generator-bound'],
      ...['unranked', 'unranked', 'failed', 'failed'],
    ]);
  });

  test("the scenario's own share of right answers counts", () => {
    const servers = [server('a', { okRatio: 0.97 })];
    expect(first(makeResults({ servers })).rows[0]?.state.kind).toBe('unranked');
    expect(first(makeResults({ servers, scenario: { slo: { okRatio: 0.95 } } })).rows[0]?.state.kind).toBe(
      'ranked',
    );
  });

  test('errors of a failed slice count, its numbers do not', () => {
    const results = makeResults({
      servers: [server('a')],
      change({ measurements: [slice] }) {
        Object.assign(slice as object, { outcome: 'failed', reason: 'reset', okCount: 0, achievedRps: 9 });
      },
    });
    const row = first(results).rows[0] as Row;
    expect(row.okRatio).toBeLessThan(0.95);
    expect(row.rps?.value).toBeGreaterThan(400);
    expect(row.slices).toMatchObject({ ok: 11, failed: 1 });
  });

  test('a server that hangs in some slices is not ranked, few as its wrong answers are', () => {
    const results = makeResults({
      servers: [server('a')],
      change({ measurements }) {
        for (const slice of measurements.slice(0, 5)) {
          Object.assign(slice, {
            outcome: 'failed',
            reason: 'no request was answered in time',
            requests: 0,
            okCount: 0,
            interrupted: 1,
          });
        }
      },
    });
    const row = first(results).rows[0] as Row;
    expect(row.okRatio).toBeGreaterThan(0.99);
    expect(row.state).toEqual({
      ...{ kind: 'unranked', cause: 'ok-ratio' },
      reason: '5 of 12 slices failed: no request was answered in time',
    });
  });

  test('a share of right answers below the criterion is a missed criterion', () => {
    const missing = makeResults({
      servers: [server('a', { okRatio: 0.97 })],
      scenario: { slo: { okRatio: 0.99 } },
    });
    expect(first(missing).rows[0]?.sloMissed).toEqual(['OK 97 % < 99 %']);
  });

  test('what is slower than a criterion is printed as a plain number above it', () => {
    const missed = (ms: number, limit: number) =>
      first(
        makeResults({
          servers: [server('a')],
          scenario: { slo: { p50Ms: limit } },
          change({ measurements }) {
            for (const slice of measurements)
              Object.assign(slice.latency as object, { minMs: ms, maxMs: ms });
          },
        }),
      ).rows[0]?.sloMissed;
    expect(missed(1534.2, 20)).toEqual(['p50 1530 ms > 20 ms']);
    // In three digits it would be the limit itself.
    expect(missed(15.304, 15.3)).toEqual(['p50 15.304 ms > 15.3 ms']);
    expect(missed(15, 15)).toEqual([]);
  });

  test('one bound slice of many is a warning, a tenth of them decides', () => {
    const bound = (count: number) =>
      makeResults({
        servers: [server('a')],
        change({ measurements }) {
          for (const slice of measurements.slice(0, count)) {
            slice.generator = { ...slice.generator, bound: true, reasons: ['k6 used 96 % of its CPU'] };
          }
        },
      });
    expect(first(bound(1)).rows[0]?.state.kind).toBe('ranked');
    expect(codes(bound(1))).toContain('generator-bound');
    expect(first(bound(2)).rows[0]?.state.kind).toBe('generator-bound');
  });
});

describe('numbers', () => {
  test('percentiles come from pooled samples, not from averaged percentiles', () => {
    // Eleven slices without and one with a stall: the mean of the p99s is 9 ms, that of all requests 101 ms.
    const results = makeResults({
      servers: [server('a')],
      change({ measurements }) {
        measurements.forEach((slice, i) => {
          const ms = i === 0 ? 101 : 1;
          slice.requests = 500;
          slice.histogram = fromPercentiles(
            [
              { p: 0, ms },
              { p: 100, ms },
            ],
            500,
          );
          slice.latency = {
            ...(slice.latency as NonNullable<typeof slice.latency>),
            minMs: ms,
            avgMs: ms,
            maxMs: ms,
          };
        });
      },
    });
    const row = first(results).rows[0] as Row;
    expect(row.p99?.value).toBeCloseTo(101, 0);
    expect(row.p99?.range?.low).toBeCloseTo(1, 1);
    expect(row.latency?.percentiles.find(({ p }) => p === 99)?.ms).toBeCloseTo(101, 0);
    expect(row.latency?.avgMs).toBeCloseTo((101 + 11) / 12, 6);
    expect(row.latency?.samples).toBe(6000);
  });

  test('instances are weighed alike and their means make the interval', () => {
    const results = makeResults({
      servers: [server('a')],
      scenario: { blocks: 2 },
      change({ measurements }) {
        measurements.forEach((slice) => {
          slice.achievedRps = 1000 + 10 * slice.instance + (slice.block === 0 ? -200 : 200);
        });
      },
    });
    // Means 1000, 1010, 1020: s = 10; the wide spread of the slices is not in it.
    const row = first(results).rows[0] as Row;
    expect(row.rps?.value).toBeCloseTo(1010, 9);
    expect(row.rps?.half).toBeCloseTo((4.30265273 * 10) / Math.sqrt(3), 6);
  });

  test('endpoints end in Aggregated, and their counts add up', () => {
    const row = rowOf(first(fixtures.journey?.() as Results), 'nginx-fpm@8.4[listen=unix]');
    expect(row.endpoints.map((endpoint) => endpoint.name)).toEqual([
      'GET /',
      'POST /register',
      'POST /login',
      'GET /user',
      'Aggregated',
    ]);
    const aggregated = row.endpoints.at(-1);
    const parts = row.endpoints.slice(0, -1);
    expect(parts.reduce((sum, part) => sum + part.requests, 0)).toBe(aggregated?.requests);
    expect(parts.reduce((sum, part) => sum + part.failures, 0)).toBe(aggregated?.failures);
    expect(row.errors).toEqual([{ endpoint: 'GET /user', kind: 'timeout', count: 24, sample: null }]);
  });
});

describe('warnings', () => {
  const quiet = codes(fixtures.quick?.() as Results);
  test('a quiet run has none', () => {
    expect(quiet).toEqual([]);
  });

  const cases: [code: string, change: (results: Results) => void][] = [
    ['shared-cores', ({ plan }) => plan.cpus.load.push(0)],
    ['stopped', ({ run }) => Object.assign(run, { stopped: 'SIGINT' })],
    [
      'steal',
      ({ measurements: [slice] }) =>
        Object.assign((slice as never as { guards: object }).guards, { stealRatio: 0.02 }),
    ],
    [
      'foreign-cpu',
      ({ measurements: [slice] }) =>
        Object.assign((slice as never as { guards: object }).guards, { foreignCpuRatio: 0.2 }),
    ],
    [
      'stalls',
      ({ measurements: [slice] }) =>
        Object.assign((slice as never as { guards: object }).guards, { stallMs: 80 }),
    ],
    ['void-slices', ({ measurements: [slice] }) => Object.assign(slice as object, { outcome: 'void' })],
    [
      'failed-slices',
      ({ measurements: [slice] }) =>
        Object.assign(slice as object, { outcome: 'failed', requests: 0, okCount: 0 }),
    ],
    ['dropped-iterations', ({ measurements: [slice] }) => Object.assign(slice as object, { dropped: 1 })],
    ['interrupted', ({ measurements: [slice] }) => Object.assign(slice as object, { interrupted: 1 })],
    ['opcache-off', ({ variants: [variant] }) => Object.assign(variant?.facts as object, { opcache: false })],
    ['php-differs', ({ variants: [variant] }) => Object.assign(variant?.facts as object, { php: '8.4.1' })],
    [
      'connections-exceed-workers',
      ({ variants: [variant] }) => Object.assign(variant?.options as object, { workers: 4 }),
    ],
    [
      'body-size',
      ({ measurements }) => {
        for (const slice of measurements.filter(({ variant }) => variant === 'apache@8.4')) {
          for (const endpoint of slice.endpoints) endpoint.bytesPerResponse = 42_000;
        }
      },
    ],
    ['slo-missed', ({ plan }) => Object.assign(plan.scenarios[0]?.slo as object, { p95Ms: 0.1 })],
    [
      'generator-busy',
      ({ measurements }) => {
        for (const slice of measurements) slice.generator.busyRatio = 0.6;
      },
    ],
  ];
  test.each(cases)('%s', (code, change) => {
    const results = fixtures.quick?.() as Results;
    change(results);
    const { warnings } = analyse(results);
    expect(warnings.map((warning) => warning.code)).toEqual([code]);
    expect(warnings[0]?.remedy).not.toBe('');
  });

  test('few starts: as many as there were, whatever was planned', () => {
    const results = fixtures.quick?.() as Results;
    results.measurements = results.measurements.filter(({ instance }) => instance === 0);
    const { warnings, scenarios } = analyse(results);
    expect(scenarios[0]?.starts).toBe(1);
    expect(warnings).toMatchObject([
      { code: 'few-instances', message: expect.stringMatching(/^one fresh start of each server/) },
    ]);
    const whole = fixtures.quick?.() as Results;
    whole.plan.instances = 1;
    expect(analyse(whole).warnings).toEqual([]);
  });

  test.each([
    [1000, /engine/],
    [150, /use slices of half a second/],
  ])('counters that were not read in slices of %i ms', (durationMs, remedy) => {
    const change = ({ measurements }: Results) => {
      for (const slice of measurements) {
        slice.durationMs = durationMs;
        slice.generator.busyRatio = null;
      }
    };
    const { warnings } = analyse(makeResults({ servers: [server('a')], change }));
    expect(warnings.find(({ code }) => code === 'no-samples')?.remedy).toMatch(remedy);
  });
  test('p99 of too few requests', () => {
    expect(codes(makeResults({ servers: [server('a', { rps: 80 })] }))).toContain('few-samples');
  });

  test.each([
    [{ errorKind: 'timeout', okRatio: 0.1 }, {}, 'fewer than 8 clients'],
    [{ errorKind: 'timeout', okRatio: 0.1 }, { clients: 1 }, 'what the app waits for'],
    [{ errorKind: 'timeout', okRatio: 0.1 }, { offeredRps: 300 }, 'which is const(300, 1s)'],
    [{ interrupted: 900 }, {}, 'fewer than 8 clients'],
  ])('most answers too late: %j %j', (more, setup, fewer) => {
    const results = makeResults({ servers: [server('a', more), server('b')], ...setup });
    const found = analyse(results).warnings.find(({ code }) => code === 'timeouts');
    expect(found?.message).toMatch(
      /^scenario quick: most requests had no answer within 2 s: a [\d,]+ of [\d,]+$/,
    );
    expect(found?.remedy).toContain('--timeout 10s');
    expect(found?.remedy).toContain(fewer);
    expect(found?.variant).toBe('a');
  });
  test.each([
    { errorKind: 'http 500', okRatio: 0.1 },
    { errorKind: 'timeout', okRatio: 0.6 },
  ])('what failed otherwise needs no other timeout: %j', (more) => {
    expect(codes(makeResults({ servers: [server('a', more)] }))).not.toContain('timeouts');
  });

  test('what the run itself warned of is not repeated', () => {
    const results = fixtures.quick?.() as Results;
    results.plan.cpus.load.push(0);
    const own = { code: 'shared-cores', message: 'own words', remedy: 'own', variant: null };
    results.warnings.push(own);
    expect(analyse(results).warnings).toEqual([own]);
  });
});
