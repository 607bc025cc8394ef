import type { Estimate } from './estimate.ts';
import type { Metric, Row } from './summary.ts';

/**
 * Whether `a` is surely better than `b`, by the simplest rule that does not cry wolf: their 95 % intervals do not
 * overlap. A number without an interval is never surely better. Paired comparisons within blocks will take this
 * function's place where they exist.
 */
export function surelyBetter(metric: Metric, a: Row, b: Row): boolean {
  return metric === 'rps' ? surelyBelow(b.rps, a.rps) : surelyBelow(a[metric], b[metric]);
}

function surelyBelow(a: Estimate | null, b: Estimate | null): boolean {
  if (a?.half == null || b?.half == null) return false;
  return a.value + a.half < b.value - b.half;
}

/**
 * The row that surely needs less CPU per request than every other; null when none does. Never from one start each:
 * starts of the same image differ by about 1 %, far more than the slices of one.
 */
export function findCheapest(rows: readonly Row[]): Row | null {
  const cheapest = rows
    .filter((row) => row.cpuMsPerRequest?.over === 'instances')
    .find((row) =>
      rows.every((other) => other === row || surelyBelow(row.cpuMsPerRequest, other.cpuMsPerRequest)),
    );
  return rows.length > 1 ? (cheapest ?? null) : null;
}

/**
 * Ranks rows that may be ranked: place = 1 + the number of rows surely better. Rows that share a place stand in
 * order of their value; where the rate was given and latency cannot tell them apart, the cheaper in CPU goes first.
 */
export function rank(rows: readonly Row[], metric: Metric): Row[] {
  const ranks = rows.map((row) => 1 + rows.filter((other) => surelyBetter(metric, other, row)).length);
  const ranked = rows.map((row, i): Row => {
    const place = ranks[i] as number;
    const shared = ranks.filter((other) => other === place).length > 1;
    return { ...row, state: { kind: 'ranked', rank: place, shared } };
  });
  const place = (row: Row) => (row.state.kind === 'ranked' ? row.state.rank : Infinity);
  const value = (row: Row) => {
    const found = row[metric]?.value;
    return found === undefined ? Infinity : metric === 'rps' ? -found : found;
  };
  const cpu = (row: Row) => (metric === 'rps' ? 0 : (row.cpuMsPerRequest?.value ?? Infinity));
  return ranked.sort((a, b) => place(a) - place(b) || compare(cpu(a), cpu(b)) || compare(value(a), value(b)));
}

/** Like a − b, but ∞ equals ∞. */
function compare(a: number, b: number): number {
  return a === b ? 0 : a < b ? -1 : 1;
}
