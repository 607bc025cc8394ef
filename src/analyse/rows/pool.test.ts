import { describe, expect, test } from 'vitest';
import { first, rowOf, server } from '../../../test/fixtures/results/analysed.ts';
import { fixtures, makeResults } from '../../../test/fixtures/results/make.ts';
import type { Results } from '../../results/results.ts';
import { fromPercentiles } from '../../stats/histogram.ts';
import type { Row } from '../summary.ts';

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
