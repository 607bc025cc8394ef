import { mean, sampleVariance } from 'simple-statistics';
import type { Count, Results } from '../../results/results.ts';
import { ALPHA } from '../../stats/limits.ts';
import { tCritical, tPValue } from '../../stats/student.ts';
import { holm } from '../../stats/verdict.ts';
import type { CountChange, CountRow, CountSide } from '../counted.ts';
import { judgeInstructions } from './instructions.ts';
import { chooseReference } from './reference.ts';

/** With an interval, 'same' needs all of it within this share of the base. */
const SAME = 0.01;

/** Counts of one variant under one name: a list of repeats for each fresh start. */
interface Counted extends Omit<CountSide, 'instances'> {
  starts: readonly (readonly number[])[];
}

/** A comparison before the others are known. */
interface Draft {
  row: Omit<CountRow, 'change'>;
  change: Omit<CountChange, 'verdict'> | null;
  /** Null where both sides are constant, or there is nothing to test. */
  p: number | null;
}

/**
 * The counts of each variant of what is checked out, against its other ref where there is one, else against the
 * reference. Constant on both sides, two numbers are compared as they are. Else by Student's t over fresh starts.
 */
export function judgeCounts(results: Results): Map<string, CountRow[]> {
  const drafts = [...Map.groupBy(results.counts, ({ scenario }) => scenario)].flatMap(([scenario, counts]) =>
    draftScenario(results, counts).map((draft) => ({ ...draft, scenario })),
  );
  const tested = drafts.filter(({ p }) => p !== null);
  const adjusted = new Map(holm(tested.map(({ p }) => p as number)).map((p, i) => [tested[i], p]));
  const rows = drafts.map((draft) => {
    const change = draft.change && { ...draft.change, verdict: verdictOf(draft.change, adjusted.get(draft)) };
    return { scenario: draft.scenario, row: { ...draft.row, change } };
  });
  const grouped = Map.groupBy(rows, ({ scenario }) => scenario);
  return new Map([...grouped].map(([scenario, own]) => [scenario, own.map(({ row }) => row)]));
}

function draftScenario(results: Results, counts: readonly Count[]): Draft[] {
  const { variants, plan } = results;
  const byVariant = Map.groupBy(counts, ({ variant }) => variant);
  const heads = variants.filter(({ ref }) => ref === null);
  const reference = chooseReference(results)?.id;
  return heads.flatMap(({ id, label, base }) => {
    const own = namesOf(byVariant.get(id) ?? []);
    const against = plan.compareTo === null ? ('reference' as const) : ('base' as const);
    const other = against === 'base' ? base : reference === id ? null : (reference ?? null);
    const others = other === null ? new Map<string, NamedCount>() : namesOf(byVariant.get(other) ?? []);
    return [...own].map(([key, { side, ...names }]): Draft => {
      const from = others.get(key)?.side;
      const row = { variant: id, label, ...names, side: strip(side) };
      if (!from || other === null) return { row, change: null, p: null };
      return { row, ...compareSides(side, from, { against, reference: other }) };
    });
  });
}

type NamedCount = Pick<CountRow, 'name' | 'by' | 'endpoint'> & { side: Counted };

/** Counts of a variant, by counter, endpoint and name. */
function namesOf(counts: readonly Count[]): Map<string, NamedCount> {
  const values = counts.flatMap(({ values, ...count }) => values.map((value) => ({ ...count, ...value })));
  const found = Map.groupBy(values, ({ by, endpoint, name }) => JSON.stringify([by, endpoint, name]));
  return new Map(
    [...found].flatMap(([key, own]) => {
      const [first] = own;
      const starts = own.map(({ perRequest }) => perRequest).filter(({ length }) => length > 0);
      if (!first || starts.length === 0) return [];
      const failures = own.reduce((sum, one) => sum + one.failures, 0);
      const { by, endpoint, name } = first;
      const floors = own.flatMap(({ floorRatio }) => floorRatio ?? []);
      const floor = floors.length > 0 && { floorRatio: Math.max(...floors) };
      return [[key, { by, endpoint, name, side: { ...sideOf(starts, failures), ...floor } }]];
    }),
  );
}

function sideOf(starts: readonly (readonly number[])[], failures: number): Counted {
  const all = starts.flat();
  const [low, high] = [Math.min(...all), Math.max(...all)];
  // The same number of events over the same number of requests is the same quotient, except for the last bits.
  const constant = all.length > 1 && high - low <= 1e-9 * Math.max(1, Math.abs(high));
  return {
    perRequest: constant ? (all[0] as number) : mean(starts.map((repeats) => mean([...repeats]))),
    ...{ constant, low, high, repeats: all.length, failures, starts },
  };
}

function strip({ starts, ...side }: Counted): CountSide {
  return { ...side, instances: starts.length };
}

function compareSides(
  to: Counted,
  from: Counted,
  pair: Pick<CountChange, 'against' | 'reference'>,
): Pick<Draft, 'change' | 'p'> {
  const difference = to.perRequest - from.perRequest;
  const ratio = from.perRequest > 0 ? to.perRequest / from.perRequest : null;
  const change = { ...pair, from: strip(from), difference, ratio, interval: null, reasons: [] };
  const failures = to.failures + from.failures;
  if (failures > 0) return { change: { ...change, reasons: [FAILED] }, p: null };
  if (isExact(to, from)) return { change, p: null };
  const test = testSides(to.starts, from.starts);
  if (test === null) return { change: { ...change, reasons: [ONCE] }, p: null };
  const { half, p } = test;
  const interval = { low: difference - half, high: difference + half, level: 1 - ALPHA };
  return { change: { ...change, interval }, p };
}

/** No spread is to be judged: it never differs, or its floor has how much. */
function isExact(to: Counted, from: Counted): boolean {
  return (to.constant && from.constant) || to.floorRatio !== undefined;
}

const FAILED = 'some requests of the count failed';
const ONCE = 'it was counted only once';

/**
 * Student's t for two samples. A fresh start is one observation, so that what differs between starts counts in full;
 * with one start on a side a repeat is. The error is never taken for smaller than that between repeats.
 */
function testSides(
  to: readonly (readonly number[])[],
  from: readonly (readonly number[])[],
): { half: number; p: number } | null {
  const between = errorOf(
    to.map((one) => mean([...one])),
    from.map((one) => mean([...one])),
  );
  const within = errorOf(to.flat(), from.flat());
  if (within === null) return null;
  const { df } = to.length > 1 && from.length > 1 && between ? between : within;
  const error = Math.max(to.length > 1 && from.length > 1 ? (between?.error ?? 0) : 0, within.error);
  const difference = mean(to.map((one) => mean([...one]))) - mean(from.map((one) => mean([...one])));
  const p = error > 0 ? tPValue(difference / error, df) : difference === 0 ? 1 : 0;
  return { half: error * tCritical(ALPHA, df), p };
}

/** Standard error of the difference of two means with one common variance; null with fewer than three values in all. */
function errorOf(a: readonly number[], b: readonly number[]): { error: number; df: number } | null {
  const df = a.length + b.length - 2;
  if (df < 1) return null;
  const squares = (all: readonly number[]) =>
    all.length > 1 ? sampleVariance([...all]) * (all.length - 1) : 0;
  const variance = (squares(a) + squares(b)) / df;
  return { error: Math.sqrt(variance * (1 / a.length + 1 / b.length)), df };
}

function verdictOf(
  change: Omit<CountChange, 'verdict'>,
  adjustedP: number | undefined,
): CountChange['verdict'] {
  const { difference, interval, from, reasons } = change;
  if (reasons.length > 0) return 'inconclusive';
  if (from.floorRatio !== undefined) return judgeInstructions(difference, from.perRequest);
  if (interval === null) {
    // Quotients that represent the same number.
    if (Math.abs(difference) <= 1e-9 * Math.max(1, from.perRequest)) return 'same';
    return difference > 0 ? 'more' : 'fewer';
  }
  if (adjustedP !== undefined && adjustedP < ALPHA) return difference > 0 ? 'more' : 'fewer';
  const most = SAME * from.perRequest;
  return interval.low >= -most && interval.high <= most ? 'same' : 'inconclusive';
}
