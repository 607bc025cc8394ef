import type { HostFacts, Results, ScenarioFacts } from '../../results/results.ts';
import { ALPHA, MIN_EFFECT, MIN_PAIRS } from '../../stats/limits.ts';
import { satterthwaite, tCritical, tPValue } from '../../stats/student.ts';
import { holm, isSure, type PairedTest, testPairs } from '../../stats/verdict.ts';
import { withoutEffort } from '../merge.ts';
import {
  chooseMetric,
  chooseRanking,
  type Entry,
  type Measured,
  measureVariants,
} from '../rows/variant-rows.ts';
import type { Metric } from '../summary.ts';
import { logRatios, pairSlices } from './pairs.ts';
import { closeTransitively } from './rank.ts';

/** The shards of one plan set against each other, each by its own ratio to the reference that all have measured. */
export interface Across {
  /** Label of the variant that all shards measured. */
  reference: string;
  of: number;
  /** Those that there are results of, in their order. */
  shards: readonly { index: number; host: HostFacts; serverCpus: number }[];
  missing: readonly number[];
  scenarios: readonly AcrossScenario[];
}

export interface AcrossScenario {
  facts: ScenarioFacts;
  /** Metric of the ranking; absolute numbers of different machines have no place in it. */
  metric: Metric;
  /**
   * A ramp that some variant did not sustain to its end. Saturation points depend on the machine, and latencies would
   * only show how far the ramp went: nothing is placed.
   */
  isRamp: boolean;
  /** Best first; behind them what could not be placed. */
  rows: readonly AcrossRow[];
}

export interface AcrossRow {
  label: string;
  /** Null: the reference, which is in all. */
  shard: number | null;
  /**
   * 1 + the number of those surely better; null: it cannot be placed, `why` has the reason, unless nothing of a ramp
   * is.
   */
  place: { rank: number; shared: boolean } | null;
  /** Variant ÷ reference, both of the same machine. */
  toReference: Ratio | null;
  /** Variant ÷ the one on top, with the uncertainty of both machines where they were on two. */
  toFirst: Ratio | null;
  why: string | null;
  /** The load generator was its limit: it can do more than was measured. */
  isBound: boolean;
}

export interface Ratio {
  ratio: number;
  /** At 1 − ALPHA; null with a single pair of starts. */
  interval: { low: number; high: number } | null;
}

/** A variant, compared with the reference on its own machine. */
interface Candidate {
  entry: Entry;
  shard: number;
  /** Null for the reference. */
  test: PairedTest | null;
  /** The reference on the same machine. */
  beside: Entry | null;
}

/** Null where the results are not shards of one plan: there is nothing that would connect their machines. */
export function compareAcross(list: readonly Results[]): Across | null {
  const [first] = list;
  const shard = first?.plan.shard;
  if (!first || !shard || list.length < 2) return null;
  const asked = (results: Results) =>
    JSON.stringify([
      ...[
        results.plan.shard?.of,
        results.plan.reference,
        results.plan.scenarios.map(withoutEffort),
        results.tool,
      ],
      labelOf(results, results.plan.reference),
    ]);
  if (list.some((results) => asked(results) !== asked(first))) return null;
  const indexes = list.map(({ plan }) => plan.shard?.index as number);
  if (new Set(indexes).size < indexes.length) return null;
  const sorted = [...list].sort((a, b) => (a.plan.shard?.index ?? 0) - (b.plan.shard?.index ?? 0));
  const measured = sorted.map(measureVariants);
  return {
    reference: labelOf(first, first.plan.reference),
    of: shard.of,
    shards: sorted.map(({ plan, host }) => ({
      ...{ index: plan.shard?.index as number, host, serverCpus: plan.cpus.server.length },
    })),
    missing: missingShards(list),
    scenarios: first.plan.scenarios.map((facts, i) =>
      placeAll(
        facts,
        measured.map((scenarios) => scenarios[i] as Measured),
        sorted,
      ),
    ),
  };
}

/** The machines that gave no results; empty where the results are not all shares of as many machines. */
export function missingShards(list: readonly Pick<Results, 'plan'>[]): number[] {
  const shards = list.map(({ plan }) => plan.shard);
  const of = shards[0]?.of ?? 0;
  if (shards.some((shard) => shard?.of !== of)) return [];
  const indexes = shards.map((shard) => shard?.index);
  return Array.from({ length: of }, (_, i) => i + 1).filter((index) => !indexes.includes(index));
}

function labelOf({ variants }: Results, id: string | null): string {
  return variants.find((variant) => variant.id === id)?.label ?? '';
}

function placeAll(
  facts: ScenarioFacts,
  measured: readonly Measured[],
  list: readonly Results[],
): AcrossScenario {
  // A shard without measurements does not know whether the load has a rate.
  const known = measured.filter(({ entries }) => entries.some(({ slices }) => slices.length > 0));
  const metrics = (known.length > 0 ? known : measured).map(chooseMetric);
  const metric = metrics.find((other) => other === 'p95') ?? (metrics[0] as Metric);
  const isRamp = measured.some((scenario) => chooseRanking(scenario) === 'holds');
  const candidates = withOneReference(
    measured.flatMap((scenario, i) => collect(scenario, list[i] as Results, metric)),
  );
  const reasons = candidates.map((candidate) => obstacleOf(candidate, candidates));
  const placed = isRamp ? [] : candidates.filter((_, i) => reasons[i] === null);
  const places = rankAll(placed, metric);
  const order = placed
    .map((candidate, i) => ({ candidate, rank: places[i] as number }))
    .sort((a, b) => a.rank - b.rank || worth(b.candidate, metric) - worth(a.candidate, metric));
  const top = order[0]?.candidate;
  const row = (candidate: Candidate): Omit<AcrossRow, 'place' | 'why'> => ({
    label: candidate.entry.variant.label,
    shard: candidate.test === null ? null : candidate.shard,
    toReference: isRamp ? null : toRatio(candidate.test),
    toFirst: top && candidate !== top ? toRatio(testTwo(candidate, top, metric)) : null,
    isBound: candidate.entry.row.state.kind === 'generator-bound',
  });
  return {
    ...{ facts, metric, isRamp },
    rows: [
      ...order.map(({ candidate, rank }) => ({
        ...row(candidate),
        place: { rank, shared: places.filter((other) => other === rank).length > 1 },
        why: null,
      })),
      ...candidates.flatMap((candidate, i) => {
        const why = reasons[i] ?? null;
        return placed.includes(candidate) ? [] : [{ ...row(candidate), toFirst: null, place: null, why }];
      }),
    ],
  };
}

/** The reference represents all shards: it is taken from the first in which it can be ranked, else from the first. */
function withOneReference(all: readonly Candidate[]): Candidate[] {
  const references = all.filter(({ test }) => test === null);
  const one = references.find((candidate) => obstacleOf(candidate, all) === null) ?? references[0];
  return all.filter((candidate) => candidate.test !== null || candidate === one);
}

/** The variants of one shard. */
function collect(scenario: Measured, { plan }: Results, metric: Metric): Candidate[] {
  const shard = plan.shard?.index as number;
  const reference = scenario.entries.find(({ variant }) => variant.id === plan.reference);
  return scenario.entries.flatMap((entry): Candidate[] => {
    if (entry.variant.ref !== null) return [];
    const beside = reference ?? null;
    if (entry === reference) return [{ entry, shard, test: null, beside }];
    const pairs = reference ? logRatios(pairSlices(entry.slices, reference.slices), metric) : [];
    return [{ entry, shard, test: testPairs(pairs) ?? NOTHING_PAIRED, beside }];
  });
}

const NOTHING_PAIRED: PairedTest = { pairs: 0, mean: 0, spread: null, interval: null, p: null };

function obstacleOf({ entry, test, shard, beside }: Candidate, all: readonly Candidate[]): string | null {
  const { state } = entry.row;
  if (state.kind === 'failed' || state.kind === 'unranked') return state.reason;
  if (state.kind === 'generator-bound') return `the load generator was the limit: ${state.reason}`;
  if (test === null) {
    return all.some((other) => (other.test?.pairs ?? 0) > 0)
      ? null
      : 'nothing was measured on the same machine';
  }
  if (test.pairs === 0) return `no results for the reference on machine ${shard}`;
  // The reference must be fit to be ranked as well: a ratio to a lower bound means nothing.
  const theirs = beside && obstacleOf({ entry: beside, test: null, shard, beside: null }, all);
  return theirs && `of the reference on machine ${shard}: ${theirs}`;
}

/** Place of each: 1 + how many are surely better. All tests are corrected together, as in a ranking on one machine. */
function rankAll(candidates: readonly Candidate[], metric: Metric): number[] {
  const tests = candidates.flatMap((a, i) =>
    candidates.slice(i + 1).map((b) => ({ a, b, test: testTwo(a, b, metric) })),
  );
  const ps = holm(tests.map(({ test }) => test?.p ?? 1));
  const better = new Map(candidates.map((candidate) => [candidate, new Set<Candidate>()]));
  tests.forEach(({ a, b, test }, i) => {
    if (!test || !isBetter(test, ps[i] as number)) return;
    const [ahead, behind] = test.mean > 0 === (metric === 'rps') ? [a, b] : [b, a];
    better.get(behind)?.add(ahead);
  });
  closeTransitively(better);
  return candidates.map((candidate) => 1 + (better.get(candidate)?.size ?? 0));
}

/** With fewer than MIN_PAIRS starts: the interval of this one ratio decides, uncorrected, as in a ranking by intervals. */
function isBetter(test: PairedTest, adjustedP: number): boolean {
  if (test.pairs >= MIN_PAIRS) return isSure(test, adjustedP);
  return test.p !== null && test.p < ALPHA && Math.abs(Math.exp(test.mean) - 1) >= MIN_EFFECT;
}

/**
 * One variant against another: in pairs where one machine had both, else by how each machine compares with the
 * reference.
 */
function testTwo(a: Candidate, b: Candidate, metric: Metric): PairedTest | null {
  if (b.test === null) return a.test;
  if (a.test === null) return inverse(b.test);
  if (a.shard === b.shard) return testPairs(logRatios(pairSlices(a.entry.slices, b.entry.slices), metric));
  return testApart(a.test, b.test);
}

function inverse(test: PairedTest): PairedTest {
  const { interval, mean } = test;
  return { ...test, mean: -mean, interval: interval && { low: 1 / interval.high, high: 1 / interval.low } };
}

/**
 * The difference of two means of ln(variant ÷ reference) from different machines: their variances add up (Welch 1947,
 * with Satterthwaite's degrees of freedom). Effects of a kind of machine on only one runtime are left out.
 */
function testApart(a: PairedTest, b: PairedTest): PairedTest | null {
  const pairs = Math.min(a.pairs, b.pairs);
  const mean = a.mean - b.mean;
  if (pairs === 0) return null;
  if (a.spread === null || b.spread === null) return { pairs, mean, spread: null, interval: null, p: null };
  const [u, v] = [a.spread ** 2 / a.pairs, b.spread ** 2 / b.pairs];
  const error = Math.sqrt(u + v);
  if (error === 0) {
    const ratio = Math.exp(mean);
    return { pairs, mean, spread: 0, interval: { low: ratio, high: ratio }, p: mean === 0 ? 1 : 0 };
  }
  const df = satterthwaite([
    { variance: u, df: a.pairs - 1 },
    { variance: v, df: b.pairs - 1 },
  ]);
  const half = error * tCritical(ALPHA, df);
  return {
    ...{ pairs, mean, spread: error * Math.sqrt(pairs), p: tPValue(mean / error, df) },
    interval: { low: Math.exp(mean - half), high: Math.exp(mean + half) },
  };
}

function toRatio(test: PairedTest | null): Ratio | null {
  return test === null || test.pairs === 0 ? null : { ratio: Math.exp(test.mean), interval: test.interval };
}

/** More is better. */
function worth({ test }: Candidate, metric: Metric): number {
  return (test?.mean ?? 0) * (metric === 'rps' ? 1 : -1);
}
