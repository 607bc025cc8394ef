/** Sparse log buckets, as `results.json` has them: pairs of a bucket and a count. */
export type LogBuckets = [bucket: number, count: number][];

/** Width of a bucket: each bound is 1 % above the one before. */
const GROWTH = 1.01;
/** Upper bound of bucket 0 in ms; everything at or below it (also 0) is counted there. */
const FLOOR_MS = 0.001;
const LOG_GROWTH = Math.log(GROWTH);

/** One exact percentile of a slice: `p` in percent (0 = minimum, 100 = maximum), as in k6's `p(99.9)`. */
export interface GridPoint {
  p: number;
  ms: number;
}

/** The bucket that holds a latency. */
export function bucketOf(ms: number): number {
  if (ms <= FLOOR_MS) return 0;
  // The subtrahend keeps exact bounds (0.001·1.01^i) in bucket i in spite of floating point.
  return Math.ceil(Math.log(ms / FLOOR_MS) / LOG_GROWTH - 1e-9);
}

/**
 * Turns the exact percentiles of one slice back into counts.
 *
 * k6 defines percentile p of n sorted samples as the sample at index p·(n−1), interpolated. So each grid point is the
 * exact value at a known index. Samples between two points are guessed, on the straight line. The grid should hold the
 * minimum and the maximum; outside it its first and last values go on.
 *
 * @param n number of samples; the total of the result is exactly n
 * @throws RangeError when there are samples but no grid, or a value is not a finite number
 */
export function fromPercentiles(grid: readonly GridPoint[], n: number): LogBuckets {
  if (!Number.isInteger(n) || n < 0) throw new RangeError(`not a number of samples: ${n}`);
  if (n === 0) return [];
  if (grid.length === 0) throw new RangeError(`${n} samples, but no percentiles of them`);
  for (const { p, ms } of grid) {
    if (!(p >= 0 && p <= 100) || !Number.isFinite(ms))
      throw new RangeError(`not a percentile: p${p} = ${ms} ms`);
  }

  const points = [...grid]
    .sort((a, b) => a.p - b.p || a.ms - b.ms)
    .map(({ p, ms }) => ({ index: (p / 100) * (n - 1), ms, bucket: bucketOf(ms) }));
  const counts = new Map<number, number>();
  const add = (bucket: number, count: number) => counts.set(bucket, (counts.get(bucket) ?? 0) + count);

  let next = 0;
  let from = points[0] as (typeof points)[number];
  for (const to of points) {
    // A hair of slack: p·(n−1) may fall just short of the whole number that it means.
    const last = Math.min(Math.floor(to.index + 1e-6), n - 1);
    if (from.bucket === to.bucket) {
      if (last >= next) add(to.bucket, last - next + 1);
    } else {
      for (let index = next; index <= last; index++) {
        const share = Math.min((index - from.index) / (to.index - from.index), 1);
        add(bucketOf(from.ms + (to.ms - from.ms) * share), 1);
      }
    }
    next = Math.max(next, last + 1);
    from = to;
  }
  if (next < n) add(from.bucket, n - next);
  return [...counts].sort(([a], [b]) => a - b);
}

/** Up to 30 hours; beyond lies nothing that was measured. */
const BUCKETS = 2560;
/** To count in, and all zero between two uses. */
const counts = new Float64Array(BUCKETS);

/** Adds histograms up. Nothing is lost: the counts of each bucket are summed. */
export function mergeHistograms(histograms: Iterable<LogBuckets>): LogBuckets {
  const others = new Map<number, number>();
  let [first, last] = [BUCKETS, -1];
  for (const histogram of histograms) {
    for (const pair of histogram) {
      const [bucket, count] = pair;
      if (bucket < 0 || bucket >= BUCKETS) others.set(bucket, (others.get(bucket) ?? 0) + count);
      else {
        counts[bucket] = (counts[bucket] as number) + count;
        if (bucket < first) first = bucket;
        if (bucket > last) last = bucket;
      }
    }
  }
  const merged: LogBuckets = [];
  for (let bucket = first; bucket <= last; bucket++) {
    const count = counts[bucket] as number;
    if (count > 0) merged.push([bucket, count]);
    counts[bucket] = 0;
  }
  return others.size > 0 ? [...merged, ...others].sort(([a], [b]) => a - b) : merged;
}

/** Number of samples in a histogram. */
export function total(histogram: LogBuckets): number {
  return histogram.reduce((sum, [, count]) => sum + count, 0);
}

/**
 * Percentile in ms by k6's definition (index p·(n−1), interpolated), off by at most 1 %: the samples of a bucket are
 * taken as spread evenly over it.
 *
 * @param p in percent, 0…100
 * @returns null for an empty histogram
 */
export function percentile(histogram: LogBuckets, p: number): number | null {
  return percentiles(histogram, [p])[0] ?? null;
}

/** Several at once, in any order; none of an empty histogram. */
export function percentiles(histogram: LogBuckets, ps: readonly number[]): number[] {
  const read = readerOf(histogram);
  return ps.flatMap((p) => read(p) ?? []);
}

/** Reads one percentile after the other; null of an empty histogram. */
export function readerOf(histogram: LogBuckets): (p: number) => number | null {
  const ends: number[] = [];
  let n = 0;
  for (const [, count] of histogram) {
    n += count;
    ends.push(n);
  }
  if (n === 0) return () => null;
  return (p) => {
    const index = (p / 100) * (n - 1);
    const low = Math.floor(index);
    const below = valueAt(histogram, ends, low);
    return index === low ? below : below + (valueAt(histogram, ends, low + 1) - below) * (index - low);
  };
}

/**
 * The sample at an index, as near as the histogram knows it.
 *
 * @param ends of each bucket how many samples lie in it and below
 */
function valueAt(histogram: LogBuckets, ends: readonly number[], index: number): number {
  let [from, to] = [0, ends.length - 1];
  while (from < to) {
    const middle = (from + to) >> 1;
    if (index < (ends[middle] as number)) to = middle;
    else from = middle + 1;
  }
  const [bucket, count] = histogram[from] as LogBuckets[number];
  const share = (index - ((ends[from] as number) - count) + 0.5) / count;
  return FLOOR_MS * GROWTH ** (bucket - 1 + share);
}
