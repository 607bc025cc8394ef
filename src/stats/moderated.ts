import { mean, sampleVariance } from 'simple-statistics';
import { ALPHA } from './limits.ts';
import { tCritical, tPValue } from './student.ts';

/**
 * Tests many differences at once, each from a few pairs of fresh starts, where the noise of counting is known. The
 * spread of three or four pairs means little by itself, so it is moderated by a model that all share (after Smyth
 * 2004). Works on bare numbers, so that simulations can try just this rule.
 */

/** One of many things that are compared: a number for each pair of fresh starts. */
export interface Differences {
  variant: readonly number[];
  reference: readonly number[];
  /** Variance of the difference that counting alone gives it, for each pair. */
  noise: readonly number[];
}

interface ModeratedTest {
  mean: number;
  /** At 1 − ALPHA for all of them together. */
  interval: { low: number; high: number };
  /** Two-sided, times the number of tests (Bonferroni), at most 1. */
  p: number;
}

/** So many observations the model counts for, beside those of the pairs: chosen by simulation, see docs/method.md. */
const PRIOR = 8;

/** All need the same number of pairs, two or more. */
export function testDifferences(list: readonly Differences[]): ModeratedTest[] {
  const moments = list.map(({ variant, reference, noise }) => {
    const differences = variant.map((value, i) => value - (reference[i] as number));
    return {
      pairs: differences.length,
      mean: mean(differences),
      variance: sampleVariance(differences),
      counting: mean([...noise]),
      size: mean(variant.map((value) => value ** 2)) + mean(reference.map((value) => value ** 2)),
    };
  });
  const scale = findScale(moments);
  return moments.map(({ pairs, mean, variance, counting, size }) => {
    const expected = counting + scale * size;
    const df = PRIOR + pairs - 1;
    const excess = expected > 0 ? (PRIOR + (pairs - 1) * (variance / expected)) / df : 1;
    // Counting is never steadier than it can be.
    const error = Math.sqrt((Math.max(1, excess) * expected) / pairs);
    const half = error * tCritical(ALPHA / list.length, df);
    const p = error > 0 ? tPValue(mean / error, df) : 1;
    return { mean, interval: { low: mean - half, high: mean + half }, p: Math.min(1, p * list.length) };
  });
}

interface Moments {
  variance: number;
  counting: number;
  size: number;
}

/**
 * Square of the share by which starts differ beyond counting: with it the spreads that were seen are on average those that
 * are expected (Paule and Mandel 1982). 0 where counting explains them.
 */
function findScale(moments: readonly Moments[]): number {
  const usable = moments.filter(({ counting }) => counting > 0);
  const excess = (scale: number) =>
    usable.reduce((sum, { variance, counting, size }) => sum + variance / (counting + scale * size), 0) -
    usable.length;
  if (usable.length === 0 || excess(0) <= 0) return 0;
  let [low, high] = [0, 1];
  for (let i = 0; i < 50; i++) {
    const middle = (low + high) / 2;
    if (excess(middle) > 0) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}
