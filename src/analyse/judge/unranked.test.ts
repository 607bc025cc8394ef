import { describe, expect, test } from 'vitest';
import { codes, first, rowOf, server } from '../../../test/fixtures/results/analysed.ts';
import { fixtures, makeResults } from '../../../test/fixtures/results/make.ts';
import type { Results } from '../../results/results.ts';
import type { Row } from '../summary.ts';

describe('what is kept out of the ranking', () => {
  const scenario = first(fixtures.mixed?.() as Results);

  test('a server that answers 500 fast is not first', () => {
    const row = rowOf(scenario, 'broken@8.4');
    expect(row.rps?.value).toBeGreaterThan(rowOf(scenario, 'apache@8.4').rps?.value as number);
    expect(row.state).toMatchObject({
      kind: 'unranked',
      cause: 'ok-ratio',
      reason: expect.stringMatching(/^only 6[12].* % of answers OK, 99 % needed; mostly http 500 at \/$/),
    });
    expect(scenario.rows[0]?.label).toBe('apache');
    expect(scenario.best).toBe('apache@8.4');
  });

  test('a server that never answers right has no numbers to be proud of', () => {
    expect(rowOf(scenario, 'unit@8.4')).toMatchObject({
      state: {
        kind: 'failed',
        stage: 'run',
        reason: 'no answer was OK; mostly http 503',
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

  test('the answers named as wrong are those that count as wrong', () => {
    const results = makeResults({
      servers: [server('a', { okRatio: 0.98 }), server('b')],
      change({ measurements }) {
        for (const { errors } of measurements.filter(({ variant }) => variant === 'a'))
          errors.unshift({ kind: 'other status', endpoint: '/', count: 1000, sample: null });
      },
    });
    expect(rowOf(first(results), 'a').state).toMatchObject({
      reason: expect.stringMatching(/; mostly http 500/),
    });
  });

  test.each([
    [1, 'ranked'],
    [2, 'unranked'],
  ])('of ten slices, of which a tenth may fail, %d failed: %s', (failed, kind) => {
    const results = makeResults({
      ...{ servers: [server('a')], instances: 1, scenario: { blocks: 10, slo: { okRatio: 0.9 } } },
      change({ measurements }) {
        for (const slice of measurements.slice(0, failed))
          Object.assign(slice, { outcome: 'failed', requests: 0, okCount: 0, errors: [], endpoints: [] });
      },
    });
    expect(rowOf(first(results), 'a').state.kind).toBe(kind);
  });

  test.each([
    ['http 500 at /', 90],
    ['no answer in time', 110],
  ])('mostly %s', (kind, interrupted) => {
    const results = makeResults({
      servers: [server('a')],
      change: ({ measurements }) =>
        measurements.forEach((slice) => {
          const errors = [{ kind: 'http 500', endpoint: '/', count: 100, sample: null }];
          Object.assign(slice, { requests: 1000, okCount: 900, interrupted, errors });
        }),
    });
    expect(rowOf(first(results), 'a').state).toMatchObject({
      reason: expect.stringMatching(`; mostly ${kind}$`),
    });
  });

  test('a rate that an idle server misses is missed for lack of clients', () => {
    const missed = (busyRatio: number, vus = 6) => {
      const results = makeResults({
        servers: [server('a')],
        offeredRps: 100,
        change({ measurements }) {
          const step = { offsetMs: 0, durationMs: 1000, offeredRps: 100, vus };
          for (const slice of measurements) {
            const cpu = slice.cpu && { ...slice.cpu, busyRatio };
            const steps = [{ ...step, requests: 50, failures: 0, dropped: 50, latency: null }];
            Object.assign(slice, { cpu, steps, dropped: slice.iterations });
          }
        },
      });
      return rowOf(first(results), 'a').state;
    };
    expect(missed(0.03)).toMatchObject({
      cause: 'rate-missed',
      reason:
        "did not sustain the rate: 50 % of the iterations could not start in time; all 6 clients were waiting, and the server used 3 % of its CPUs: increase `max-vus`, or the server's workers if all of them wait, too",
    });
    expect(missed(0.03, 1)).toMatchObject({
      reason: expect.stringContaining('; its only client was waiting, and'),
    });
    expect(missed(0.9)).toMatchObject({ reason: expect.not.stringContaining('max-vus') });
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
