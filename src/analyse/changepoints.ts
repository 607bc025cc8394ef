import { mean } from 'simple-statistics';
import { makeRandom, shuffle } from '../plan/random.ts';

/**
 * Where a series changes its level, found by E-divisive (Matteson and James, _A nonparametric approach for multiple change
 * point analysis of multivariate data_, JASA 2014), as MongoDB and Hunter use it for benchmarks. It asks for no
 * distribution and no number of changes; a permutation test says which are sure.
 *
 * Where values are of several kinds, such as those of unlike machines, each has a level of its own, which is taken away,
 * and values change places with those of their kind only (restricted permutations; Good 2005): so the test is exact
 * whatever the kinds do to the values. Where one kind follows another for good nothing is found, as nothing can be known.
 */

/** Values on either side of a change, at least: one run that is off is no change. */
export const MIN_SEGMENT = 3;
/** Chance that a series without any change has one found in it. */
export const CHANGE_ALPHA = 0.01;
const PERMUTATIONS = 499;

/**
 * Indices at which a new level begins, in order; empty where nothing is sure.
 *
 * @param values in the order of time; logarithms, where ratios matter
 * @param kinds of each value: only those of one kind are held against each other; left out: all are of one
 * @param seed of the permutations: the same values and seed give the same changes
 */
export function findChangePoints(
  values: readonly number[],
  { kinds = [], seed = 1 }: { kinds?: readonly string[]; seed?: number } = {},
): number[] {
  const random = makeRandom(seed);
  const points: number[] = [];
  for (;;) {
    const bounds = [0, ...points, values.length];
    const segments = bounds
      .slice(1)
      .map((end, i) => makeSegment(values.slice(bounds[i], end), kinds.slice(bounds[i], end)));
    const best = findSplit(segments);
    if (best === null) return points;
    let above = 0;
    for (let n = 0; n < PERMUTATIONS; n++) {
      // Values change places within their segment only: the changes that are known already stay.
      const other = findSplit(segments.map((segment) => shuffleSegment(segment, random)));
      if (other !== null && other.distance >= best.distance) above++;
      // More of them cannot make it sure: where nothing has changed, a few are enough to know.
      if ((above + 1) / (PERMUTATIONS + 1) > CHANGE_ALPHA) return points;
    }
    points.push((bounds[best.segment] as number) + best.at);
    points.sort((a, b) => a - b);
  }
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
 * The energy distance of what lies before and behind a split, with exponent 1, weighed by their sizes: mn ÷ (m + n) × (2 ×
 * mean distance between the sides − mean distance within each). What lies behind may end before the segment does, or a
 * level that comes and goes would be blurred by what it returns to.
 */
function splitSegment(values: readonly number[]): Omit<Split, 'segment'> | null {
  const n = values.length;
  if (n < 2 * MIN_SEGMENT) return null;
  const sums = sumDistances(values);
  let best: Omit<Split, 'segment'> = { at: 0, distance: Number.NEGATIVE_INFINITY };
  for (let at = MIN_SEGMENT; at <= n - MIN_SEGMENT; at++) {
    for (let end = at + MIN_SEGMENT; end <= n; end++) {
      const other = end - at;
      const before = sums(at, at);
      const across = sums(at, end) - before;
      const behind = sums(end, end) - 2 * sums(at, end) + before;
      // Each pair is in `before` and `behind` twice.
      const within = before / (at * (at - 1)) + behind / (other * (other - 1));
      const distance = ((at * other) / end) * ((2 * across) / (at * other) - within);
      if (distance > best.distance) best = { at, distance };
    }
  }
  return best;
}

/** The sum of the distances from each of the first i values to each of the first j. */
function sumDistances(values: readonly number[]): (i: number, j: number) => number {
  const width = values.length + 1;
  const sums = new Float64Array(width * width);
  for (let i = 1; i < width; i++) {
    let row = 0;
    for (let j = 1; j < width; j++) {
      row += Math.abs((values[i - 1] as number) - (values[j - 1] as number));
      sums[i * width + j] = (sums[(i - 1) * width + j] as number) + row;
    }
  }
  return (i, j) => sums[i * width + j] as number;
}
