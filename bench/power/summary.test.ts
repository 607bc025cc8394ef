import { describe, expect, test } from 'vitest';
import { compare } from '../../src/analyse/judge/compare.ts';
import type { Duet, Results } from '../../src/results/results.ts';
import { makeRandom } from '../../src/stats/random.ts';
import { makeResults } from '../../test/fixtures/results/make.ts';
import type { ComparisonLine, Line, SeriesLine } from './data.ts';
import { describeRun } from './record.ts';
import { judgeAgain } from './restore.ts';
import type { TreatmentName } from './series.ts';
import { count, readSeries, summarise } from './summary.ts';

const header: SeriesLine = {
  ...{ kind: 'series', seed: 1, commit: 'c0ffee', plan: ['--budget', '1m'] },
  ...{ swapped: false, started: '2026-01-01T00:00:00Z' },
};

/** A run whose head needs `change` more CPU per request. */
function runWith(change: number, seed: number, duets = false): Results {
  const results = makeResults({
    servers: [
      {
        id: 'head',
        rps: 900 / (1 + change),
        cpuMs: 1 + change,
        instanceSd: 0.002,
        base: { cpuMs: 1, rps: 900 },
      },
    ],
    instances: 6,
    seed,
  });
  for (const slice of results.measurements) if (slice.cpu) slice.cpu.busyRatio = 1;
  const measured = duets ? { ...results, duets: makeDuets(change, seed) } : results;
  return { ...measured, comparisons: compare(measured) };
}

function makeDuets(change: number, seed: number): Duet[] {
  const random = makeRandom(seed);
  return Array.from({ length: 6 }).flatMap((_, instance) =>
    (['variant', 'base'] as const).map((first): Duet => {
      const cpuUs = Math.round(1e6 * (1 + change) * (1 + 0.004 * (random() - 0.5)));
      return {
        ...{ duet: true, variant: 'head', base: 'head:base', scenario: 'quick', instance, block: 0, first },
        ...{ outcome: 'ok', reason: null, startedMs: 0, durationMs: 1020 },
        sides: {
          variant: { requests: 800, failures: 0, cpuUs },
          base: { requests: 800, failures: 0, cpuUs: 1_000_000 },
        },
        guards: { foreignCpuRatio: 0, stealRatio: 0, stallMs: 0, overlapMs: 0 },
      };
    }),
  );
}

function lineOf(results: Results, treatment: TreatmentName, n: number): ComparisonLine {
  return {
    ...{ kind: 'comparison', id: `${treatment}/apache/${n}`, target: 'apache', treatment, seed: n },
    ...{ tool: { version: '0', commit: 'c0ffee', k6: '1' }, machine: results.host, injected: null },
    before: { waitedSeconds: 2, busyRatio: 0, load1: 0, quiet: true },
    ...{ started: '2026-01-01T00:00:00Z', wallSeconds: 60, exitCode: 0, failure: null },
    ...describeRun(results),
  };
}

describe('a line of the data file', () => {
  test.each([
    [0, false],
    [0.02, false],
    [-0.05, false],
    [0.02, true],
  ])('is judged again as the run was (%d, duets: %s)', (change, duets) => {
    const results = runWith(change, 7, duets);
    const again = judgeAgain(lineOf(results, 'aa', 1));
    const plain = ({ metric, verdict, primary, how, pairs }: Results['comparisons'][number]) =>
      [metric, verdict, primary, how, pairs].join();
    expect(again.map(plain)).toEqual(results.comparisons.map(plain));
    for (const [i, one] of again.entries())
      expect(one.ratio).toBeCloseTo(results.comparisons[i]?.ratio ?? 0, 4);
    expect(again).toHaveLength(6);
    expect(again.some(({ how }) => how === 'together')).toBe(duets);
  });

  test('keeps ln(head ÷ base) of each instance', () => {
    const { instances } = lineOf(runWith(0.05, 3), 'cpu-5', 1);
    expect(instances).toHaveLength(6);
    for (const { ln } of instances) {
      expect(ln.cpu).toBeGreaterThan(0.03);
      expect(ln.rps).toBeLessThan(-0.03);
    }
  });
});

describe('the summary', () => {
  const lines: Line[] = [
    header,
    ...[1, 2, 3, 4].map((n) => lineOf(runWith(0, n), 'aa', n)),
    // Declared as equal, in truth not: a false verdict.
    lineOf(runWith(0.05, 5), 'aa', 5),
    ...[6, 7, 8].map((n) => lineOf(runWith(0.05, n), 'cpu-5', n)),
    lineOf(runWith(-0.05, 9), 'cpu-5', 9),
    { ...lineOf(runWith(0, 10), 'cpu-5', 10), machine: null, slices: {}, instances: [], comparisons: [] },
  ];
  const { judged } = readSeries(lines, false);
  const of = (treatment: TreatmentName) => judged.filter(({ line }) => line.treatment === treatment);

  test('counts wrong verdicts where nothing was done', () => {
    expect(count(of('aa'))).toMatchObject({ n: 5, failed: 0, found: null, wrong: 1 });
  });

  test('counts what was found, the wrong direction, and what was not measured', () => {
    expect(count(of('cpu-5'))).toMatchObject({ n: 4, failed: 1, found: 3, wrong: 1 });
  });

  test('expects the other direction when the arms were swapped', () => {
    const swapped = readSeries([{ ...header, swapped: true }, ...lines.slice(1)], false).judged;
    expect(count(swapped.filter(({ line }) => line.treatment === 'cpu-5'))).toMatchObject({
      found: 1,
      wrong: 3,
    });
  });

  test('says the same when it judges again', () => {
    expect(summarise(readSeries(lines, true))).toBe(summarise(readSeries(lines, false)));
  });

  test('has a row for each treatment and target, and their sum', () => {
    const text = summarise(readSeries(lines, false));
    expect(text).toContain('| nothing | apache | 5 | 1 (1–72 %) |');
    expect(text).toContain('| CPU + 5 % | **all** | 4 | 3 (19–99 %) | 1 |');
  });
});
