import { describe, expect, test } from 'vitest';
import { codes, first, rowOf, server } from '../../test/fixtures/results/analysed.ts';
import { fixtures, makeResults } from '../../test/fixtures/results/make.ts';
import { Results } from '../results/results.ts';

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
