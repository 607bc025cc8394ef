import { mean } from 'simple-statistics';
import { chooseFitting } from '../../plan/fitting.ts';
import {
  CompareMetric,
  type Comparison,
  type Duet,
  type Results,
  type Variant,
} from '../../results/results.ts';
import { ALPHA, MAX_GUARDED, MIN_PAIRS, SATURATED } from '../../stats/limits.ts';
import {
  benjaminiHochberg,
  holm,
  isSure,
  judge,
  type PairedTest,
  predictDetectable,
  testPairs,
} from '../../stats/verdict.ts';
import { percent } from '../../text/percent.ts';
import { plural } from '../../text/plain.ts';
import { sum } from '../rows/pool.ts';
import { type Entry, hasTail, type Measured, measureVariants } from '../rows/variant-rows.ts';
import type { Limit, Row } from '../summary.ts';
import { testDuets, wereTogether } from './duet-pairs.ts';
import { keyOfPair, leadsOf, names } from './gates.ts';
import {
  type InstancePair,
  type LogSides,
  logSides,
  makePool,
  type Pool,
  pairSlices,
  ratiosOf,
} from './pairs.ts';
import { chooseReference } from './reference.ts';

/**
 * Every variant against its other ref and against the reference, scenario by scenario; comparisons with an earlier
 * run are kept as they stand. Pure: `report` compares anew what `run` has stored. By variant in the order of the plan;
 * of each pair the metric that fits the situation comes first.
 */
export function compare(results: Results): Comparison[] {
  return compareMeasured(results, measureVariants(results));
}

/** Likewise, when rows are there already. */
export function compareMeasured(results: Results, measured: readonly Measured[]): Comparison[] {
  const drafts = measured.flatMap((scenario) => draftScenario(results, scenario));
  // Machines that share a run share ALPHA. Each one exits before it knows the others' p values, so the shares are equal.
  const machines = Math.max(1, results.plan.shard?.of ?? 1);
  const corrected = new Map(
    (['base', 'reference'] as const).flatMap((against) => {
      // A comparison that cannot come to a verdict is no test.
      const tests = drafts.filter((draft) => draft.against === against && draft.obstacles.length === 0);
      return [
        ...correct(
          tests.filter((draft) => draft.primary),
          (ps) => holm(ps).map((p) => Math.min(1, p * machines)),
          machines,
        ),
        ...correct(
          tests.filter((draft) => !draft.primary),
          benjaminiHochberg,
        ),
      ];
    }),
  );
  const concluded = drafts.map((draft) => conclude(draft, corrected.get(draft)));
  const own = oppose(concluded, (i) => drafts[i]?.full ?? false);
  const earlier = results.comparisons.filter(({ against }) => against === 'earlier');
  const numbers = new Map(results.variants.map(({ id }, number) => [id, number]));
  const place = ({ variant, against }: Comparison) =>
    3 * (numbers.get(variant) ?? -1) + ['base', 'earlier', 'reference'].indexOf(against);
  const found = Map.groupBy([...own, ...earlier], ({ scenario }) => scenario);
  // Stable, so each pair keeps its order of metrics.
  return results.plan.scenarios.flatMap(({ name }) =>
    (found.get(name) ?? []).toSorted((a, b) => place(a) - place(b)),
  );
}

/** A comparison before the others are known: everything but what the correction for many tests decides. */
interface Draft {
  variant: string;
  reference: string;
  against: 'base' | 'reference';
  scenario: string;
  metric: CompareMetric;
  primary: boolean;
  /** Both servers used all of their CPUs. */
  full: boolean;
  how: Comparison['how'];
  test: PairedTest | null;
  /** ln of the number halfway between the two sides, each loaded alone. */
  center: number | null;
  slices: number;
  dropped: number;
  /** Those of `slices` that a guard would leave out. */
  disturbed: number;
  /** Why there can be no verdict, whatever the numbers. */
  obstacles: string[];
}

function draftScenario(results: Results, scenario: Measured): Draft[] {
  const { entries } = scenario;
  const heads = entries.filter(({ variant }) => variant.ref === null);
  const byId = new Map(entries.map((entry) => [entry.variant.id, entry]));
  // One that fails under load alone is no reference either, unless all do.
  const hasFailed = ({ id }: Variant) => byId.get(id)?.row.state.kind === 'failed';
  const reference = byId.get((chooseReference(results, hasFailed) ?? chooseReference(results))?.id ?? '');
  const duetsOf = Map.groupBy(
    results.duets.filter((duet) => duet.scenario === scenario.facts.name),
    ({ variant, base }) => JSON.stringify([variant, base]),
  );
  const desk = { results, scenario, duetsOf, pool: makePool() };
  return heads.flatMap((entry) => {
    const base = byId.get(entry.variant.base ?? '');
    return [
      ...(base ? draftPair(desk, entry, base, 'base') : []),
      ...(reference && reference !== entry ? draftPair(desk, entry, reference, 'reference') : []),
    ];
  });
}

/** Data that all pairs of a scenario share. */
interface Desk {
  results: Results;
  scenario: Measured;
  /** By the ids of both. */
  duetsOf: ReadonlyMap<string, readonly Duet[]>;
  pool: Pool;
}

function draftPair(
  { results, scenario, duetsOf, pool }: Desk,
  variant: Entry,
  reference: Entry,
  against: Draft['against'],
): Draft[] {
  const duets = duetsOf.get(JSON.stringify([variant.variant.id, reference.variant.id]));
  const pairs = pairSlices(variant.slices, reference.slices, duets);
  const together = wereTogether(pairs) && testDuets(pairs) !== null;
  const full = areFull(pairs);
  const fitting = chooseFitting({
    against,
    isOpen: scenario.model === 'open',
    together,
    full,
    hasTail: hasTail(scenario),
  });
  const [lead] = fitting;
  const served = [variant, reference].some(({ slices }) => slices.some(({ services }) => services !== null));
  const metrics = [
    lead,
    ...CompareMetric.options.filter((metric) => metric !== lead && (served || metric !== 'services')),
  ];
  return metrics.map((metric) => {
    const how = together && metric === 'cpu' ? 'together' : 'turns';
    const sides = logSides(pairs, metric, pool);
    const test = how === 'together' ? testDuets(pairs) : testPairs(ratiosOf(sides));
    const dropped = sum(pairs, (pair) => (how === 'together' ? pair.duetsDropped : pair.dropped));
    const slices = sum(pairs, (pair) => (how === 'together' ? pair.duets : pair.kept).length);
    const disturbed = sum(pairs, (pair) => (how === 'together' ? pair.duetsDisturbed : pair.disturbed));
    const arms = [variant, reference];
    return {
      variant: variant.variant.id,
      reference: reference.variant.id,
      against,
      scenario: scenario.facts.name,
      metric,
      full,
      primary:
        fitting.includes(metric) ||
        results.plan.gates.some((gate) => names(gate, scenario.facts.name, variant.variant, metric)),
      how,
      test,
      center: centerOf(sides),
      slices,
      dropped,
      disturbed,
      obstacles: [
        ...arms.flatMap((arm) => obstaclesOf(arm, metric)),
        ...obstaclesOfPairs(test?.pairs ?? 0, dropped, slices, how),
      ],
    };
  });
}

/** The number halfway between the two sides, the mean of the starts; null where none is known of both. */
function centerOf(sides: readonly LogSides[]): number | null {
  return sides.length > 0 ? mean(sides.map(([a, b]) => (a + b) / 2)) : null;
}

/** Whether both servers used all of their CPUs. */
function areFull(pairs: readonly InstancePair[]): boolean {
  return (['variant', 'reference'] as const).every((side) => {
    const busy = pairs.flatMap(({ kept }) => kept.map((pair) => pair[side].cpu?.busyRatio ?? 0));
    return busy.length > 0 && sum(busy, (ratio) => ratio) >= SATURATED * busy.length;
  });
}

/** Whether a metric is a cost of the server, which can be compared at any rate. */
export function isCost(metric: CompareMetric): boolean {
  return metric === 'cpu' || metric === 'memory' || metric === 'services';
}

/** Whether nothing but the rate keeps a variant out of the ranking: its costs are sound. */
export function lacksOnlyRate({ state }: Row): boolean {
  return state.kind === 'generator-bound' || (state.kind === 'unranked' && state.cause === 'rate-missed');
}

/** Why a number of a variant cannot be compared with any other. */
export function obstaclesOf({ row }: Pick<Entry, 'row'>, metric: CompareMetric): string[] {
  const { state, label } = row;
  if (isCost(metric) && lacksOnlyRate(row)) return [];
  switch (state.kind) {
    case 'failed':
      return [`${label} failed: ${state.reason}`];
    case 'unranked':
      return [`${label}: ${state.reason}`];
    case 'generator-bound':
      return [`the load generator was the limit for ${label}: ${state.reason}`];
  }
  if (row.holds?.kind === 'found' && !isCost(metric)) {
    return [`${label} did not sustain the whole ramp, only ${rateOf(row.holds)}`];
  }
  if (metric.startsWith('p') && row.latencyDoubtful) {
    return [
      `k6 was ${percent(row.generatorBusyRatio ?? 0)} busy with ${label}: part of the latency may be its own`,
    ];
  }
  return [];
}

/** `620 ± 20 rps` */
function rateOf({ value, half }: Limit): string {
  const shown = (number: number, precision: number) =>
    Number(number.toPrecision(precision)).toLocaleString('en');
  return `${shown(value, 3)}${half === null ? '' : ` ± ${shown(half, 2)}`} rps`;
}

function obstaclesOfPairs(pairs: number, dropped: number, slices: number, how: Comparison['how']): string[] {
  const all = dropped + slices;
  if (all === 0) return ['not measured side by side'];
  if (pairs === 0 && slices > 0) return ['not known for both'];
  const parts = how === 'together' ? 'times in which both were loaded' : 'pairs of slices';
  const share = `${percent(dropped / all)} of the ${parts} failed or were void and were left out`;
  const few = `${pairs} ${pairs === 1 ? 'pair' : 'pairs'} of fresh starts, ${MIN_PAIRS} needed`;
  return [...(dropped > MAX_GUARDED * all ? [share] : []), ...(pairs < MIN_PAIRS ? [few] : [])];
}

/** The p value after the correction for how many tests, on how many machines each. */
interface Corrected {
  p: number;
  tests: number;
  machines: number;
}

function correct(
  drafts: readonly Draft[],
  method: (ps: readonly number[]) => number[],
  machines = 1,
): [Draft, Corrected][] {
  const ps = method(drafts.map(({ test }) => test?.p ?? 1));
  return drafts.map((draft, i) => [draft, { p: ps[i] as number, tests: drafts.length, machines }]);
}

function conclude(draft: Draft, corrected: Corrected | undefined): Comparison {
  const { test, center, obstacles, full: _, ...named } = draft;
  const known = {
    ...named,
    ratio: test && Math.exp(test.mean),
    values: test && center !== null ? around(center, test.mean) : null,
    interval: test?.interval ? { ...test.interval, level: 1 - ALPHA } : null,
    pairs: test?.pairs ?? 0,
    spread: test?.spread ?? null,
    p: test?.p ?? null,
    adjustedP: corrected?.p ?? null,
  };
  if (!test || !corrected || test.spread === null) {
    return { ...known, detectable: null, verdict: 'inconclusive', margin: null, reasons: obstacles };
  }
  const noise = draft.how === 'turns' && draft.disturbed > 0 ? [amidNoise(draft)] : [];
  const { verdict, margin } = judge(test, corrected.p, draft.metric === 'rps');
  const { pairs, spread } = test;
  return {
    ...known,
    detectable: predictDetectable({ pairs, spread, tests: corrected.tests * corrected.machines }),
    verdict,
    margin,
    // With many tests something looks sure by chance.
    reasons: [
      ...(!isSure(test, corrected.p) && isSure(test, test.p ?? 1) ? [missedBy(corrected)] : []),
      ...noise,
    ],
  };
}

/** Both sides' numbers, so that one is `difference` (a logarithm) above the other. */
function around(center: number, difference: number): Comparison['values'] {
  return { variant: Math.exp(center + difference / 2), reference: Math.exp(center - difference / 2) };
}

/** Turns meet a disturbance one after the other. */
function amidNoise({ disturbed, slices }: Draft): string {
  return `${percent(disturbed / slices)} of the pairs of slices were disturbed; all count, so the interval is wider`;
}

/**
 * Whether only noise prevents a verdict. A reason beside it then explains the noise, such as many disturbed slices.
 */
export function isTooNoisy({ verdict, detectable, reasons }: Comparison): boolean {
  const isOpposed = reasons.some((reason) => reason === OPPOSED.slower || reason === OPPOSED.faster);
  return verdict === 'inconclusive' && (reasons.length === 0 || (detectable !== null && !isOpposed));
}

/** Whether more fresh starts can give a verdict: it is too noisy, or has too few of them and nothing else is wrong. */
export function isCurable(comparison: Comparison): boolean {
  const { against, pairs, reasons } = comparison;
  const hasFew = against !== 'earlier' && pairs > 0 && pairs < MIN_PAIRS && reasons.length === 1;
  return isTooNoisy(comparison) || hasFew;
}

function missedBy({ tests, machines }: Corrected): string {
  const where = machines > 1 ? ` on each of ${machines} machines` : '';
  return `significant alone, but not as one of ${plural(tests, 'test')}${where}`;
}

const OPPOSED = {
  slower: 'more CPU per request, but also more RPS',
  faster: 'less CPU per request, but also less RPS',
};

/** A server whose CPUs are full and that needs more of them per request cannot do more requests: one must be wrong. */
function oppose(comparisons: readonly Comparison[], isFull: (index: number) => boolean): Comparison[] {
  const leads = leadsOf(comparisons);
  const rpsOf = new Map(
    comparisons.flatMap((one) => (one.metric === 'rps' ? [[keyOfPair(one), one] as const] : [])),
  );
  return comparisons.map((comparison, i) => {
    const { verdict, metric } = comparison;
    const slower = verdict === 'slower';
    if (metric !== 'cpu' || !isFull(i) || !leads.has(comparison) || !(slower || verdict === 'faster'))
      return comparison;
    const rps = rpsOf.get(keyOfPair(comparison));
    // Without a corrected p value RPS was not fit to be tested.
    if (!rps?.interval || rps.adjustedP === null) return comparison;
    if (slower ? rps.interval.low <= 1 : rps.interval.high >= 1) return comparison;
    return { ...comparison, verdict: 'inconclusive', reasons: [OPPOSED[verdict]] };
  });
}
