import type { CompareMetric } from '../../results/results.ts';
import type { Estimate } from '../../stats/estimate.ts';
import { MIN_PAIRS, START_SPREAD } from '../../stats/limits.ts';
import { holm, isSure, type PairedTest, testPairs } from '../../stats/verdict.ts';
import type { Entry } from '../rows/variant-rows.ts';
import type { Row, ScenarioSummary } from '../summary.ts';
import { findOwnSides, logRatios, makePool, type OwnSides, pairSlices } from './pairs.ts';

/** Whether the first is surely better than the second, by variants' ids. */
type Better = (a: string, b: string) => boolean;

type Ranked = ScenarioSummary['metric'];

type Ranking = Pick<ScenarioSummary, 'basis' | 'best' | 'cheapest'> & { rows: Row[] };

/**
 * Ranks variants that may be ranked: place = 1 + the number of those surely better. Rows that share a place stand in
 * order of their value; where the rate was given and latency does not separate them, the cheaper in CPU goes first.
 */
export function rank(entries: readonly Entry[], metric: Ranked): Ranking {
  // A ramp gives one knee a start, and takes long: there are too few for tests.
  const [paired, cost] = metric === 'holds' ? [null, null] : testAll(entries, [metric, 'cpu']);
  const better = paired ?? byIntervals(entries, metric);
  const rows = sortRows(entries, metric, better);
  const cheaper = (paired && cost) ?? byIntervals(entries, 'cpu');
  return {
    rows,
    basis: paired ? 'paired' : 'intervals',
    best: aheadOfAll(entries, better),
    cheapest: aheadOfAll(entries, cheaper),
  };
}

interface Tested {
  a: string;
  b: string;
  test: PairedTest;
}

/**
 * Paired tests of all variants against each other, corrected together, so that the chance of any wrong word in a whole
 * ranking is below ALPHA. Null for a metric of which there is nothing to test or any two have too few fresh starts in common.
 */
function testAll(entries: readonly Entry[], metrics: readonly [CompareMetric, 'cpu']): (Better | null)[] {
  const found: (Tested[] | null)[] = metrics.map(() => []);
  const pool = makePool();
  const own = entries.map(({ slices }) => findOwnSides(slices, metrics, pool));
  for (const [i, a] of entries.entries()) {
    for (let j = i + 1; j < entries.length; j++) {
      // Without tests of the first metric, those of the others are not used.
      if (found[0] === null) break;
      const b = entries[j] as Entry;
      const apart = subtract(own[i] ?? null, own[j] ?? null);
      // To pair the slices of all takes long, and is needed only where some of them are left out.
      const pairs = apart.includes(null) ? pairSlices(a.slices, b.slices) : [];
      metrics.forEach((metric, m) => {
        const test = testPairs(apart[m] ?? logRatios(pairs, metric, pool));
        if (test === null || test.pairs < MIN_PAIRS) found[m] = null;
        else found[m]?.push({ a: a.variant.id, b: b.variant.id, test });
      });
    }
  }
  return found.map((tests, m) => tests && orderBy(entries, tests, metrics[m] === 'rps'));
}

/** ln(a ÷ b) of each fresh start, by metric; null where the slices have to be paired for it. */
function subtract(a: OwnSides | null, b: OwnSides | null): (number[] | null)[] {
  if (a === null || b === null || a.key !== b.key) return [null];
  return a.logs.map((logs, m) => {
    const others = b.logs[m];
    return logs && others ? logs.map((log, start) => log - (others[start] as number)) : null;
  });
}

/** Order that the tests are sure of; null if there are no tests. */
function orderBy(entries: readonly Entry[], tests: readonly Tested[], isRps: boolean): Better | null {
  if (tests.length === 0) return null;
  const ps = holm(tests.map(({ test }) => test.p ?? 1));
  const behind = new Map(entries.map(({ variant }) => [variant.id, new Set<string>()]));
  tests.forEach(({ a, b, test }, i) => {
    if (!isSure(test, ps[i] as number)) return;
    const [ahead, other] = test.mean > 0 === isRps ? [a, b] : [b, a];
    behind.get(ahead)?.add(other);
  });
  closeTransitively(behind);
  return (a, b) => behind.get(a)?.has(b) ?? false;
}

/** Whether more of it is better. */
export const isMore = (metric: Ranked | 'cpu') => metric === 'rps' || metric === 'holds';

/** Whether its differences between starts are so large (4 to 16 % of p99, docs/evidence.md) that one start proves nothing. */
export const isTail = (metric: Ranked | 'cpu' | 'capacity') => metric === 'p95' || metric === 'p99';

/**
 * If a is better than b and b than c, a is better than c, tested or not: all that was found holds at once. So two that
 * share a place do not surely differ, and who alone is first is ahead of all. The same is true of who is better.
 *
 * @param behind the variants that are surely worse than each variant
 */
export function closeTransitively<T>(behind: ReadonlyMap<T, Set<T>>): void {
  for (const [middle, others] of behind) {
    for (const worse of behind.values()) {
      if (worse !== others && worse.has(middle)) for (const other of others) worse.add(other);
    }
  }
}

/** With too few starts for tests: their 95 % intervals do not overlap. A number without an interval is never surely better. */
function byIntervals(entries: readonly Entry[], metric: Ranked | 'cpu'): Better {
  const estimates = new Map(entries.map(({ variant, row }) => [variant.id, estimateOf(row, metric)]));
  const kinds = new Map(entries.map(({ variant, row }) => [variant.id, row.holds?.kind]));
  return (a, b) => {
    // Lower and upper bounds: the one may hold any more, the other any less.
    if (metric === 'holds' && (kinds.get(b) === 'beyond' || kinds.get(a) === 'below')) return false;
    const [first, second] = [estimates.get(a) ?? null, estimates.get(b) ?? null];
    return isMore(metric) ? isBelow(second, first) : isBelow(first, second);
  };
}

/** Its interval contains the usual difference between starts: that of a single start is widened by it. Null: not known. */
function estimateOf(row: Row, metric: Ranked | 'cpu'): Estimate | null {
  const found = metric === 'cpu' ? row.cpuMsPerRequest : row[metric];
  if (found === null) return null;
  // A rate that was sustained to the end of the ramp is sure.
  const half = metric === 'holds' ? (found.half ?? 0) : found.half;
  if (found.over === 'instances' || half === null) return { ...found, half };
  // Slices of one start differ far less in CPU than starts do.
  return metric === 'cpu' || isTail(metric) ? null : { ...found, half: half + START_SPREAD * found.value };
}

function isBelow(a: Estimate | null, b: Estimate | null): boolean {
  if (a?.half == null || b?.half == null) return false;
  return a.value + a.half < b.value - b.half;
}

/** Id of the variant that is surely better than every other; null if there is none or no other. */
function aheadOfAll(entries: readonly Entry[], better: Better): string | null {
  const ids = entries.map(({ variant }) => variant.id);
  if (ids.length < 2) return null;
  return ids.find((id) => ids.every((other) => other === id || better(id, other))) ?? null;
}

function sortRows(entries: readonly Entry[], metric: Ranked, better: Better): Row[] {
  const ids = entries.map(({ variant }) => variant.id);
  const places = ids.map((id) => 1 + ids.filter((other) => better(other, id)).length);
  const value = (row: Row) => {
    const found = row[metric]?.value;
    return found === undefined ? Infinity : isMore(metric) ? -found : found;
  };
  const cpu = (row: Row) => (isMore(metric) ? 0 : (row.cpuMsPerRequest?.value ?? Infinity));
  return entries
    .map(({ row }, i) => ({ row, place: places[i] as number }))
    .sort((a, b) => a.place - b.place || order(cpu(a.row), cpu(b.row)) || order(value(a.row), value(b.row)))
    .map(({ row, place }): Row => {
      const shared = places.filter((other) => other === place).length > 1;
      return { ...row, state: { kind: 'ranked', rank: place, shared } };
    });
}

/** Like a − b, but ∞ equals ∞. */
function order(a: number, b: number): number {
  return a === b ? 0 : a < b ? -1 : 1;
}
