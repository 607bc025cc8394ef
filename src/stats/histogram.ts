/** Sparse log buckets, as `results.json` has them: pairs of a bucket and a count. */
export type LogBuckets = [bucket: number, count: number][];

/** Width of a bucket: each bound is 1 % above the one before. */
const GROWTH = 1.01;
/** Upper bound of bucket 0 in ms; everything at or below it (also 0) is counted there. */
export const FLOOR_MS = 0.001;
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
  return readerOf(histogram)(p);
}

/** Reads one percentile after the other; null of an empty histogram. */
function readerOf(
  histogram: LogBuckets,
  placeIn: PlaceIn = (bucket, rank, count) => bucket - 1 + rank / count,
): (p: number) => number | null {
  const ends: number[] = [];
  let n = 0;
  for (const [, count] of histogram) {
    n += count;
    ends.push(n);
  }
  if (n === 0) return () => null;
  const valueAt = (index: number) => {
    const i = firstAbove(ends, index);
    const [bucket, count] = histogram[i] as LogBuckets[number];
    return FLOOR_MS * GROWTH ** placeIn(bucket, index - ((ends[i] as number) - count) + 0.5, count);
  };
  return (p) => {
    const index = (p / 100) * (n - 1);
    const low = Math.floor(index);
    const below = valueAt(low);
    return index === low ? below : below + (valueAt(low + 1) - below) * (index - low);
  };
}

/** Which place has so many of the `count` samples of a bucket below it: between `bucket` − 1, its lower bound, and `bucket`. */
type PlaceIn = (bucket: number, rank: number, count: number) => number;

/** The first of rising numbers that is above a value, by its index; the last one if none is. */
function firstAbove(rising: readonly number[], value: number): number {
  let [from, to] = [0, rising.length - 1];
  while (from < to) {
    const middle = (from + to) >> 1;
    if (value < (rising[middle] as number)) to = middle;
    else from = middle + 1;
  }
  return from;
}

/** The samples of one slice: their buckets, and percentiles that are known exactly, in ascending order. */
export interface Distribution {
  histogram: LogBuckets;
  known: readonly GridPoint[];
}

/** Halvings of a bucket: less than a ten-thousandth of its 1 % is left. */
const HALVINGS = 14;

/**
 * Reads percentiles, ms, of several slices together; null if they have no samples. The buckets show in which one a
 * percentile lies. Its place in there is where the slices together have as many samples below it, with straight lines
 * between the percentiles that are known of each. A bucket alone would move narrow latencies by up to 1 %, those of all
 * starts alike. A percentile that is known of a single slice is exact.
 */
export function readTogether(parts: readonly Distribution[]): (p: number) => number | null {
  const some = parts.filter(({ histogram }) => histogram.length > 0);
  const slices = some.map(placeKnown);
  const curves = new Map<number, Curve[]>();
  const curvesIn = (bucket: number) => {
    const found = curves.get(bucket) ?? slices.flatMap((slice) => curveIn(slice, bucket));
    curves.set(bucket, found);
    return found;
  };
  const read = readerOf(mergeHistograms(some.map(({ histogram }) => histogram)), (bucket, rank) => {
    const all = curvesIn(bucket);
    let [low, high] = [bucket - 1, bucket];
    for (let i = 0; i < HALVINGS; i++) {
      const middle = (low + high) / 2;
      let below = 0;
      for (const curve of all) below += rankAt(curve, middle);
      if (below < rank) low = middle;
      else high = middle;
    }
    return high;
  });
  const exact = new Map(some.length === 1 ? some[0]?.known.map(({ p, ms }) => [p, ms]) : []);
  return (p) => exact.get(p) ?? read(p);
}

/** A slice, and what is known of it by bucket: its place there, and how many samples of the slice are below it. */
interface Placed {
  histogram: LogBuckets;
  known: { bucket: number; place: number; rank: number }[];
}

function placeKnown({ histogram, known }: Distribution): Placed {
  const last = total(histogram) - 1;
  const place = (ms: number) => Math.log(Math.max(ms / FLOOR_MS, 1)) / LOG_GROWTH;
  return {
    histogram,
    known: known.map(({ p, ms }) => ({
      bucket: bucketOf(ms),
      place: place(ms),
      rank: (p / 100) * last + 0.5,
    })),
  };
}

/** How many samples of a slice in one bucket lie at or below each of some places: both rise. */
interface Curve {
  places: readonly number[];
  ranks: readonly number[];
}

/** Nothing if the slice has no sample in that bucket. */
function curveIn({ histogram, known }: Placed, bucket: number): Curve[] {
  let below = 0;
  let count = 0;
  for (const [other, samples] of histogram) {
    if (other > bucket) break;
    if (other === bucket) count = samples;
    else below += samples;
  }
  if (count === 0) return [];
  const [places, ranks] = [[bucket - 1], [0]];
  for (const point of known) {
    if (point.bucket !== bucket) continue;
    places.push(Math.min(Math.max(point.place, bucket - 1), bucket));
    ranks.push(Math.min(Math.max(point.rank - below, 0), count));
  }
  return [{ places: [...places, bucket], ranks: [...ranks, count] }];
}

function rankAt({ places, ranks }: Curve, place: number): number {
  const next = firstAbove(places, place);
  const [from, to] = [places[next - 1] as number, places[next] as number];
  const [below, above] = [ranks[next - 1] as number, ranks[next] as number];
  return below + ((above - below) * (place - from)) / (to - from);
}
