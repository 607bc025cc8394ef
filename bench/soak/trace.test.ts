/** The analysis of a soak against servers of which is known what they keep. */
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { judge, readTraces } from './trace.ts';

const traces = readTraces(join(import.meta.dirname, 'data/soaks.ndjson'));
const tight = traces.filter(({ leak }) => leak === 0);
const leaky = traces.filter(({ leak }) => leak > 0);
/** Found ÷ true. */
const slopes = leaky.map((trace) => (judge(trace)?.bytesPerThousand.value ?? 0) / 1000 / trace.leak);

test('of servers that keep nothing, as many as were soaked, none is flagged', () => {
  expect(tight.length).toBeGreaterThanOrEqual(20);
  expect(tight.map((trace) => judge(trace)?.leaks)).toEqual(tight.map(() => false));
});

test('each that keeps some of each request is flagged, with a slope within a tenth', () => {
  expect(leaky.length).toBeGreaterThanOrEqual(20);
  expect(leaky.map((trace) => judge(trace)?.leaks)).toEqual(leaky.map(() => true));
  expect(Math.min(...slopes)).toBeGreaterThan(0.9);
  expect(Math.max(...slopes)).toBeLessThan(1.1);
});

test('several starts pooled are flagged no more and no less', () => {
  const of = (runtime: string) => (group: typeof traces) =>
    judge(...group.filter((t) => t.runtime === runtime));
  for (const pool of ['nginx-fpm', 'apache'].map(of)) {
    expect(pool(tight)?.leaks).toBe(false);
    expect(pool(leaky)).toMatchObject({ leaks: true });
  }
});

test('steady servers do not lose RPS surely, except for the chance of 1 %', () => {
  const sure = traces.filter((trace) => {
    const decay = judge(trace)?.decay;
    return decay && decay.value + decay.half < 0;
  });
  expect(sure.length).toBeLessThanOrEqual(2);
});
