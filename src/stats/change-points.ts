import { mean } from 'simple-statistics';
import { makeRandom, shuffle } from './random.ts';

/**
 * Finds where a series changes its level with E-divisive, as MongoDB and Hunter use it for benchmarks. Source:
 * Matteson and James, _A nonparametric approach for multiple change point analysis of multivariate data_, JASA 2014. It
 * assumes no distribution and no number of changes. A permutation test shows which are sure.
 *
 * Values may be of several kinds, such as those of unlike machines. The level of each kind is subtracted, and values
 * change places only within their kind (restricted permutations; Good 2005). So the test is exact whatever the kinds do
 * to the values. If one kind follows another for good, no change is found, as its cause cannot be known.
 */

/** Values on either side of a change, at least: one run that is off is no change. */
export const MIN_SEGMENT = 3;
/** Share of all changes that are found which may be false; of a single series the chance that one is found in noise. */
export const CHANGE_ALPHA = 0.01;
/** Permutations of a series at first, and at most: one change among many series needs a smaller p value to be sure. */
const PERMUTATIONS = 499;
const MAX_PERMUTATIONS = 65_535;
/** After these it is seen whether a change is so clear that counting more of them is in vain. */
const FIRST_PERMUTATIONS = 199;
/** A p value predicted from the tail of their distances is multiplied by this factor. */
const CAUTION = 100;
/** With so many permutations that are as far apart as the series, it has no change (Besag and Clifford 1991). */
const ENOUGH_ABOVE = 5;

/** Numbers in the order of time; logarithms, where ratios matter. */
export interface Series {
  values: readonly number[];
  /** The kind of each value: only values of one kind are compared with each other. Left out: all are of one. */
  kinds?: readonly string[];
}

/**
 * For each series the indices at which a new level begins, in order; empty where nothing is sure. Each further change is
 * searched in all series that had one before. The p values are corrected for the number of all series
 * (Benjamini–Hochberg). Otherwise, every other history of 70 series of noise would show a change.
 *
 * @param seed of the permutations: the same values and seed give the same changes
 * @param randomOf the random numbers of a seed, of which a permutation of n values takes n − 1
 */
export function findAllChangePoints(
  all: readonly Series[],
  seed = 1,
  randomOf: typeof makeRandom = makeRandom,
): number[][] {
  const searches = all.map((series) => new Search(series, randomOf(seed)));
  let open: readonly Search[] = searches;
  while (open.length > 0) {
    for (const search of open) search.begin();
    open = findSure(open, all.length);
    for (const search of open) search.accept();
  }
  return searches.map(({ points }) => points);
}

/** Those whose best split is sure among so many tests. Permutations go to those only that they can still decide. */
function findSure(searches: readonly Search[], tests: number): Search[] {
  const most = Math.min(MAX_PERMUTATIONS, Math.max(PERMUTATIONS, Math.ceil((2 * tests) / CHANGE_ALPHA)));
  for (const search of searches) search.permute(FIRST_PERMUTATIONS);
  for (let count = PERMUTATIONS; ; count = Math.min(most, 4 * count + 3)) {
    const sure = new Set(sureOf(searches, tests));
    const undecided = searches.filter((search) => !sure.has(search) && search.isOpen);
    for (const search of undecided) search.permute(count);
    if (undecided.length === 0 || count === most) return sureOf(searches, tests);
  }
}

/** By Benjamini and Hochberg; series without a split that could be tested count as tests all the same. */
function sureOf(searches: readonly Search[], tests: number): Search[] {
  const ascending = [...searches].sort((a, b) => a.p - b.p);
  const last = ascending.findLastIndex(({ p }, i) => p <= (CHANGE_ALPHA * (i + 1)) / tests);
  return ascending.slice(0, last + 1);
}

/** The search for the next change of one series. */
class Search {
  points: number[] = [];
  private readonly series: Series;
  private readonly random: () => number;
  private segments: readonly Segment[] = [];
  private best: Split | null = null;
  private above = 0;
  /** The distance of the best split of each permutation. */
  private distances: number[] = [];

  constructor(series: Series, random: () => number) {
    this.series = series;
    this.random = random;
  }

  /** Finds the best split of the stretches between the changes so far. */
  begin(): void {
    const { values, kinds = [] } = this.series;
    const bounds = this.bounds();
    this.segments = bounds
      .slice(1)
      .map((end, i) => makeSegment(values.slice(bounds[i], end), kinds.slice(bounds[i], end)));
    this.best = findSplit(this.segments);
    this.above = 0;
    this.distances = [];
  }

  get isOpen(): boolean {
    return this.best !== null && this.above < ENOUGH_ABOVE;
  }

  get p(): number {
    const { above, best, distances } = this;
    if (best === null || distances.length === 0) return 1;
    const isCounted = distances.length >= PERMUTATIONS || !this.isOpen;
    const counted = isCounted ? (above + 1) / (distances.length + 1) : 1;
    return above === 0 ? Math.min(counted, CAUTION * tailBeyond(best.distance, distances)) : counted;
  }

  /** Up to so many permutations in all; fewer where it is clear that there is no change. */
  permute(count: number): void {
    const { best } = this;
    while (best !== null && this.isOpen && this.distances.length < count) {
      // Values change places within their segment only: the changes that are known already stay.
      const other = findSplit(this.segments.map((segment) => shuffleSegment(segment, this.random)));
      const distance = other?.distance ?? Number.NEGATIVE_INFINITY;
      if (distance >= best.distance) this.above++;
      this.distances.push(distance);
    }
  }

  accept(): void {
    if (this.best === null) return;
    this.points.push((this.bounds()[this.best.segment] as number) + this.best.at);
    this.points.sort((a, b) => a - b);
  }

  private bounds(): number[] {
    return [0, ...this.points, this.series.values.length];
  }
}

/** The chance of more than a value by the tail of a sample, which falls exponentially: that of its largest fifth. */
function tailBeyond(value: number, sample: readonly number[]): number {
  const descending = [...sample].sort((a, b) => b - a);
  const size = Math.floor(sample.length / 5);
  const from = descending[size] as number;
  const excess = mean(descending.slice(0, size).map((distance) => distance - from));
  return excess > 0 ? (size / sample.length) * Math.exp((from - value) / excess) : 1;
}

/** A stretch between two changes. */
interface Segment {
  /** Less the mean of their kind. */
  values: readonly number[];
  /** Indices of the values of each kind. */
  places: readonly (readonly number[])[];
}

function makeSegment(values: readonly number[], kinds: readonly string[]): Segment {
  const indices = [...values.keys()];
  const places = [...new Set(indices.map((i) => kinds[i]))].map((kind) =>
    indices.filter((i) => kinds[i] === kind),
  );
  const centred = [...values];
  for (const own of places) {
    const level = mean(own.map((i) => values[i] as number));
    for (const i of own) centred[i] = (values[i] as number) - level;
  }
  return { values: centred, places };
}

/** Values change places with those of their kind only. */
function shuffleSegment({ values, places }: Segment, random: () => number): Segment {
  const shuffled = [...values];
  for (const own of places) {
    const from = shuffle(own, random);
    own.forEach((to, i) => {
      shuffled[to] = values[from[i] as number] as number;
    });
  }
  return { values: shuffled, places };
}

interface Split {
  segment: number;
  /** Index within the segment. */
  at: number;
  distance: number;
}

/** The split of one segment that puts the two sides farthest apart; null where all are too short. */
function findSplit(segments: readonly Segment[]): Split | null {
  let best: Split | null = null;
  segments.forEach(({ values }, segment) => {
    const found = splitSegment(values);
    if (found && (best === null || found.distance > best.distance)) best = { segment, ...found };
  });
  return best;
}

/**
 * The energy distance of what lies before and behind a split, with exponent 1, weighted with their sizes. It is mn ÷ (m
 * + n) × (2 × mean distance between the sides − mean distance within each). The part behind may end before the segment
 * does. Otherwise a level that comes and goes would be blurred by the level that it returns to.
 */
function splitSegment(values: readonly number[]): Omit<Split, 'segment'> | null {
  const n = values.length;
  if (n < 2 * MIN_SEGMENT) return null;
  const width = n + 1;
  const sums = sumDistances(values);
  let bestAt = 0;
  let bestDistance = Number.NEGATIVE_INFINITY;
  for (let at = MIN_SEGMENT; at <= n - MIN_SEGMENT; at++) {
    const row = at * width;
    const before = sums[row + at] as number;
    const meanBefore = before / (at * (at - 1));
    for (let end = at + MIN_SEGMENT; end <= n; end++) {
      const other = end - at;
      const toEnd = sums[row + end] as number;
      const behind = (sums[end * width + end] as number) - 2 * toEnd + before;
      // Each pair is in `before` and `behind` twice.
      const within = meanBefore + behind / (other * (other - 1));
      const distance = ((at * other) / end) * ((2 * (toEnd - before)) / (at * other) - within);
      if (distance > bestDistance) {
        bestAt = at;
        bestDistance = distance;
      }
    }
  }
  return { at: bestAt, distance: bestDistance };
}

/** Memory for the longest segment so far. Permutations reuse it, as each would need megabytes. */
let table = new Float64Array(0);

/**
 * At i × (n + 1) + j: the sum of the distances from each of the first i values to each of the first j. Valid until the
 * next call.
 */
function sumDistances(values: readonly number[]): Float64Array {
  const width = values.length + 1;
  if (table.length < width * width) table = new Float64Array(width * width);
  const sums = table;
  sums.fill(0, 0, width);
  for (let i = 1; i < width; i++) {
    const value = values[i - 1] as number;
    let row = 0;
    sums[i * width] = 0;
    for (let j = 1; j < width; j++) {
      row += Math.abs(value - (values[j - 1] as number));
      sums[i * width + j] = (sums[(i - 1) * width + j] as number) + row;
    }
  }
  return sums;
}
