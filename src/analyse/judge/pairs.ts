import { mean, median } from 'simple-statistics';
import type { CompareMetric, Duet, Measurement } from '../../results/results.ts';
import { FOREIGN_CPU, MAX_GUARDED, MIN_PAIRS, STALL, STEAL } from '../../stats/limits.ts';
import { readPool } from '../rows/pool.ts';

/** Two slices of one block: loaded one soon after the other, so what drifts has met both. */
interface SlicePair {
  variant: Measurement;
  reference: Measurement;
}

/** One fresh start of both: the unit of replication, since starts of the same image differ. */
export interface InstancePair {
  instance: number;
  kept: readonly SlicePair[];
  /** Pairs of slices of which one was void, failed or disturbed. */
  dropped: number;
  /** Kept pairs that were disturbed: without them too little would be left. */
  disturbed: number;
  /** Results under load at once, with a window where each of them is first; empty if they never were. */
  duets: readonly Duet[];
  /** Windows that were void or failed, and those whose other one was. */
  duetsDropped: number;
  /** Kept windows that were disturbed: the disturbance met both sides alike. */
  duetsDisturbed: number;
}

/** Something other than the server affected this slice. Unknown guards count as quiet. */
export function isDisturbed({ guards }: Pick<Measurement, 'guards'>): boolean {
  return (
    (guards.foreignCpuRatio ?? 0) > FOREIGN_CPU ||
    (guards.stealRatio ?? 0) > STEAL ||
    (guards.stallMs ?? 0) > STALL
  );
}

/**
 * Slices of two variants in one scenario, put together by fresh start and block. A pair is dropped as a whole, and
 * never for what was measured in it: choosing by results would make results. If too little would be left, nothing is
 * dropped for a disturbance: its scatter is then in the interval.
 *
 * @param duets of these two in this scenario
 */
export function pairSlices(
  variant: readonly Measurement[],
  reference: readonly Measurement[],
  duets: readonly Duet[] = [],
): InstancePair[] {
  const starts = [...pairByStart(variant, reference)].sort(([a], [b]) => a - b);
  const good = starts.map(([, pairs]) =>
    pairs.filter(({ variant, reference }) => variant.outcome === 'ok' && reference.outcome === 'ok'),
  );
  const quiet = good.map((pairs) =>
    pairs.filter(({ variant, reference }) => !isDisturbed(variant) && !isDisturbed(reference)),
  );
  const all = isTooLittle(
    quiet,
    good,
    starts.map(([, pairs]) => pairs),
  );
  return starts.map(([instance, pairs], i) => {
    const [own, undisturbed] = [good[i] as SlicePair[], quiet[i] as SlicePair[]];
    const kept = all ? own : undisturbed;
    const windows = duets.filter((duet) => duet.instance === instance);
    const whole = keepWhole(windows);
    return {
      ...{ instance, kept, dropped: pairs.length - kept.length, disturbed: kept.length - undisturbed.length },
      ...{ duets: whole, duetsDropped: windows.length - whole.length },
      duetsDisturbed: whole.filter(isDisturbed).length,
    };
  });
}

function pairByStart(
  variant: readonly Measurement[],
  reference: readonly Measurement[],
): Map<number, SlicePair[]> {
  const key = (slice: Measurement) => `${slice.instance} ${slice.block}`;
  const partners = new Map(reference.map((slice) => [key(slice), slice]));
  const starts = new Map<number, SlicePair[]>();
  for (const slice of variant) {
    const partner = partners.get(key(slice));
    if (!partner) continue;
    const pair = { variant: slice, reference: partner };
    const start = starts.get(slice.instance);
    if (start) start.push(pair);
    else starts.set(slice.instance, [pair]);
  }
  return starts;
}

/** Whether so much would be dropped that no verdict could rest on what is left. */
function isTooLittle(...[quiet, good, all]: [SlicePair[][], SlicePair[][], SlicePair[][]]): boolean {
  const [left, whole] = [quiet.flat().length, all.flat().length];
  const startsIn = (pairs: SlicePair[][]) => pairs.filter(({ length }) => length > 0).length;
  const lostStarts = startsIn(quiet) < Math.min(MIN_PAIRS, startsIn(good));
  return whole - left > MAX_GUARDED * whole || lostStarts;
}

/**
 * The windows of one start, paired in blocks in which each of the two began first once. The first may keep its place in
 * the queue for a CPU, so a window alone would favour a side. Guards do not count here: what disturbs, disturbs both.
 */
function keepWhole(duets: readonly Duet[]): Duet[] {
  const good = duets.filter((duet) => duet.outcome === 'ok');
  return good.filter(({ block, first }) =>
    good.some((other) => other.block === block && other.first !== first),
  );
}

/** A percentile of the requests of several slices together, ms; null where there are none. */
export type Pool = (slices: readonly Measurement[]) => (p: number) => number | null;

/** The same, and once for all that asks for the same slices: one variant is compared with many, each by several percentiles. */
export function makePool(): Pool {
  const known = new Map<Measurement, { slices: readonly Measurement[]; pooled: ReturnType<Pool> }[]>();
  return (slices) => {
    const [first] = slices;
    if (!first) return () => null;
    const beginning = known.get(first) ?? [];
    const found = beginning.find((other) => isSame(other.slices, slices));
    if (found) return found.pooled;
    const pooled = readPool(slices);
    known.set(first, [...beginning, { slices, pooled }]);
    return pooled;
  };
}

function isSame(a: readonly Measurement[], b: readonly Measurement[]): boolean {
  return a.length === b.length && a.every((slice, i) => slice === b[i]);
}

/**
 * ln(variant ÷ reference) of each fresh start in which both sides are known; 0.01 is 1 % more. RPS and CPU: mean over
 * the blocks. Percentiles: of all samples of the start together, since one slice has too few for p99. Memory: of
 * the medians.
 */
export function logRatios(
  instances: readonly InstancePair[],
  metric: CompareMetric,
  pool: Pool = readPool,
): number[] {
  return ratiosOf(logSides(instances, metric, pool));
}

export const ratiosOf = (sides: readonly LogSides[]) => sides.map(([a, b]) => a - b);

/** ln of the numbers of variant and reference. */
export type LogSides = readonly [number, number];

/** The sides of each fresh start in which both are known. */
export function logSides(instances: readonly InstancePair[], metric: CompareMetric, pool: Pool): LogSides[] {
  return instances.flatMap((instance) => {
    const sides = sidesOf(instance, metric, pool);
    return sides?.every(Number.isFinite) ? [sides] : [];
  });
}

function sidesOf({ kept }: InstancePair, metric: CompareMetric, pool: Pool): LogSides | null {
  switch (metric) {
    case 'rps':
    case 'cpu':
    case 'services': {
      const blocks = blockSides(kept, metric);
      if (blocks.length === 0) return null;
      return [mean(blocks.map(([a]) => a)), mean(blocks.map(([, b]) => b))];
    }
    case 'memory':
      return ofSides(kept, (slices) => {
        const known = slices.flatMap(({ memory }) => (memory ? [memory.medianBytes] : []));
        return known.length > 0 ? median(known) : null;
      });
    default: {
      const p = Number(metric.slice(1));
      return ofSides(kept, (slices) => pool(slices)(p));
    }
  }
}

/** ln(variant ÷ reference) of each block in which both sides are known. */
export function blockRatios(kept: readonly SlicePair[], metric: 'rps' | 'cpu' | 'services'): number[] {
  return blockSides(kept, metric).map(([a, b]) => a - b);
}

function blockSides(kept: readonly SlicePair[], metric: 'rps' | 'cpu' | 'services'): LogSides[] {
  const of = (slice: Measurement) => (metric === 'rps' ? slice.achievedRps : slice[metric]?.perRequestUs);
  return kept.flatMap((pair) => {
    const [a, b] = [of(pair.variant), of(pair.reference)];
    return a && b ? [[Math.log(a), Math.log(b)]] : [];
  });
}

function ofSides(
  kept: readonly SlicePair[],
  of: (slices: readonly Measurement[]) => number | null,
): LogSides | null {
  const [a, b] = [of(kept.map((pair) => pair.variant)), of(kept.map((pair) => pair.reference))];
  return a && b ? [Math.log(a), Math.log(b)] : null;
}

/** Part of one variant in every pair of which nothing is dropped. */
export interface OwnSides {
  /** Its fresh starts and blocks: two variants that have the same ones lose none to each other. */
  key: string;
  /** By metric, ln of its number in each start; null where one is not known. */
  logs: readonly (readonly number[] | null)[];
}

/** Null where a guard or an outcome would drop anything, so that each pair decides for itself. */
export function findOwnSides(
  slices: readonly Measurement[],
  metrics: readonly CompareMetric[],
  pool: Pool,
): OwnSides | null {
  const blocks = new Set(slices.map(({ instance, block }) => `${instance} ${block}`));
  const starts = pairSlices(slices, slices);
  if (blocks.size < slices.length || starts.some((start) => start.dropped + start.disturbed > 0)) return null;
  return {
    key: [...blocks].join(),
    logs: metrics.map((metric) => {
      const isPart = metric === 'rps' || metric === 'cpu' || metric === 'services';
      if (isPart && starts.some(({ kept }) => blockRatios(kept, metric).length < kept.length)) return null;
      const sides = logSides(starts, metric, pool);
      return sides.length < starts.length ? null : sides.map(([own]) => own);
    }),
  };
}
