import type { Results } from '../../results/results.ts';
import { ALPHA, MIN_EFFECT, MIN_PAIRS, START_SPREAD } from '../../stats/limits.ts';
import { satterthwaite, tCritical, tPValue } from '../../stats/student.ts';
import { holm, testPairs } from '../../stats/verdict.ts';
import type { Entry, Measured } from '../rows/variant-rows.ts';
import type { ScenarioSummary, Tuned } from '../summary.ts';
import { logRatios, pairSlices } from './pairs.ts';
import { isMore, isTail } from './rank.ts';

/** Degrees of freedom of what is not estimated but calculated with. */
const MANY = 1000;

/** ln of a number, with the variance of that. */
interface Known {
  ln: number;
  variance: number;
  df: number;
}

/** How surely a value is better than the one that was chosen. */
interface Test {
  /** ln(this ÷ the chosen), above 0 where this is better. */
  gain: number;
  /** Two-sided. */
  p: number;
}

/**
 * Results of `tune` in a scenario: for each runtime the best value that is surely better than the one chosen. Many
 * values are each compared with the chosen one, and the best of many numbers is partly chance. So p values are
 * corrected for all tests of the scenario together.
 */
export function judgeTuned(
  { plan: { tune } }: Pick<Results, 'plan'>,
  { entries }: Measured,
  metric: ScenarioSummary['metric'],
): Tuned[] {
  if (!tune) return [];
  const measure = entries.some(({ row }) => row.capacity !== null) ? 'capacity' : metric;
  const groups = new Map<string, Entry[]>();
  for (const entry of entries) {
    const { app, php, runtime, options, ref } = entry.variant;
    if (ref !== null || !Object.hasOwn(options, tune)) continue;
    const key = JSON.stringify([app, php, runtime, { ...options, [tune]: null }]);
    groups.set(key, [...(groups.get(key) ?? []), entry]);
  }
  const tuned = [...groups.values()].flatMap((group) => {
    const tried = group.filter(({ row }) => row.state.kind === 'ranked' && row[measure]);
    // As it was chosen comes first in the plan.
    const [own, ...others] = tried;
    if (!own || own !== group[0] || others.length === 0) return [];
    return [{ own, tried, tests: others.map((entry) => ({ entry, test: testTwo(entry, own, measure) })) }];
  });
  const ps = holm(tuned.flatMap(({ tests }) => tests.map(({ test }) => test?.p ?? 1)));
  return tuned.map(({ own, tried, tests }): Tuned => {
    const better = tests
      .map((one) => ({ ...one, p: ps.shift() as number }))
      .filter(({ test, p }) => test !== null && p < ALPHA && Math.expm1(test.gain) >= MIN_EFFECT)
      .sort((a, b) => (b.test as Test).gain - (a.test as Test).gain);
    const [best] = better;
    return {
      ...{ option: tune, measure, own: own.variant.id, best: best?.entry.variant.id ?? null },
      gain: best?.test ? Math.exp(best.test.gain) : null,
      tried: tried.map(({ variant }) => variant.id),
      starts: Math.min(...tried.map((entry) => startsOf(entry, measure))),
    };
  });
}

type Measure = Tuned['measure'];

const startsOf = ({ row }: Entry, measure: Measure) => {
  const found = row[measure];
  return found?.over === 'instances' ? found.n : 1;
};

/** Compares pairs of starts if there are enough, and otherwise the two estimates. Null: not known. */
function testTwo(entry: Entry, own: Entry, measure: Measure): Test | null {
  const sign = measure === 'capacity' || isMore(measure) ? 1 : -1;
  if (measure !== 'capacity' && measure !== 'holds') {
    const paired = testPairs(logRatios(pairSlices(entry.slices, own.slices), measure));
    if (paired && paired.pairs >= MIN_PAIRS) return { gain: sign * paired.mean, p: paired.p ?? 1 };
  } else if (entry.row[measure]?.kind === 'below' || own.row[measure]?.kind === 'beyond') {
    // Bounds: the one may hold any less, the other any more.
    return null;
  }
  const [a, b] = [know(entry, measure), know(own, measure)];
  return a && b && testApart(a, b, sign);
}

/** Welch's test of two means whose variances add up, with Satterthwaite's degrees of freedom. */
function testApart(a: Known, b: Known, sign: 1 | -1): Test {
  const gain = sign * (a.ln - b.ln);
  return { gain, p: tPValue(gain / Math.sqrt(a.variance + b.variance), satterthwaite([a, b])) };
}

/** Null if nothing shows how far it may be off. */
function know(entry: Entry, measure: Measure): Known | null {
  const found = entry.row[measure];
  if (!found || found.value <= 0) return null;
  const { value, half, n } = found;
  const isOne = startsOf(entry, measure) === 1;
  const ln = Math.log(value);
  if (measure === 'capacity' || measure === 'holds') {
    if (!isOne && half) return { ln, variance: (half / tCritical(0.05, n - 1) / value) ** 2, df: n - 1 };
    return { ln, variance: varianceOfLimit(entry, measure, value, half ?? 0), df: MANY };
  }
  if (half === null || (isOne && isTail(measure))) return null;
  const variance = (half / tCritical(0.05, n - 1) / value) ** 2;
  return { ln, variance: isOne ? variance + START_SPREAD ** 2 : variance, df: n - 1 };
}

/**
 * The uncertainty of a rate that one ramp or search has found. It lies anywhere between two rates, starts differ, and
 * where a queue begins to grow is chance. If times are exponential, that is as uncertain as a count of the requests
 * that judged one rate (simulated: capacity-found.test.ts, tuning.test.ts). Few real servers vary more.
 */
function varianceOfLimit(
  { row, slices }: Entry,
  measure: 'capacity' | 'holds',
  value: number,
  half: number,
): number {
  const probed = Math.max(
    0,
    ...(row.capacity?.probes ?? []).map(({ held, requests }) => (held ? requests : 0)),
  );
  const levels = slices.flatMap(({ steps }) =>
    steps.flatMap(({ offeredRps, durationMs }) => (offeredRps === null ? [] : [durationMs])),
  );
  const requests = measure === 'capacity' ? probed : (value * Math.min(...levels)) / 1000;
  return (half / value) ** 2 / 3 + START_SPREAD ** 2 + 1 / Math.max(1, requests);
}
