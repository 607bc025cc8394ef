import { mean, sampleStandardDeviation } from 'simple-statistics';
import { ALPHA, MARGIN, MIN_EFFECT, MIN_PAIRS, POWER } from './limits.ts';
import { effectFor, tCritical, tPValue } from './student.ts';

/** The rule that turns pairs into verdicts. Works on bare numbers, so that simulations can try just this rule. */

/** The result of pairs of fresh starts: one ln(variant ÷ reference) each. */
export interface PairedTest {
  pairs: number;
  /** Mean of the ln(ratio). */
  mean: number;
  /** Their SD; null for a single pair. */
  spread: number | null;
  /** The interval of the ratio, by Student's t at 1 − ALPHA; null for a single pair. */
  interval: { low: number; high: number } | null;
  /** Two-sided; null for a single pair. */
  p: number | null;
}

/** The paired t test; null without any pair. */
export function testPairs(values: readonly number[]): PairedTest | null {
  const pairs = values.length;
  if (pairs === 0) return null;
  const center = mean(values as number[]);
  if (pairs === 1) return { pairs, mean: center, spread: null, interval: null, p: null };
  const spread = sampleStandardDeviation(values as number[]);
  const error = spread / Math.sqrt(pairs);
  const half = error * tCritical(ALPHA, pairs - 1);
  const p = error > 0 ? tPValue(center / error, pairs - 1) : center === 0 ? 1 : 0;
  return {
    pairs,
    mean: center,
    spread,
    interval: { low: Math.exp(center - half), high: Math.exp(center + half) },
    p,
  };
}

/**
 * p values that may be compared with ALPHA one by one, although there are many: the chance that any is wrong stays
 * below it (Holm 1979).
 */
export function holm(ps: readonly number[]): number[] {
  return adjust(ps, (order) => {
    let highest = 0;
    return order.map((p, i) => {
      highest = Math.max(highest, Math.min(1, p * (ps.length - i)));
      return highest;
    });
  });
}

/** Likewise, but of those called different a share below ALPHA is wrong (Benjamini and Hochberg 1995). */
export function benjaminiHochberg(ps: readonly number[]): number[] {
  return adjust(ps, (order) => {
    let lowest = 1;
    return order
      .map((p, i) => [p, i + 1] as const)
      .reverse()
      .map(([p, rank]) => {
        lowest = Math.min(lowest, (p * ps.length) / rank);
        return lowest;
      })
      .reverse();
  });
}

/** Applies a step-wise correction, which sees the p values in ascending order. */
function adjust(ps: readonly number[], steps: (ascending: number[]) => number[]): number[] {
  const order = ps.map((p, index) => ({ p, index })).sort((a, b) => a.p - b.p);
  const adjusted = steps(order.map(({ p }) => p));
  const result = new Array<number>(ps.length);
  order.forEach(({ index }, i) => {
    result[index] = adjusted[i] as number;
  });
  return result;
}

export interface Judgement {
  verdict: 'faster' | 'slower' | 'no-difference' | 'inconclusive';
  /** With `no-difference`: none above this share. */
  margin: number | null;
}

/**
 * Faster or slower: the corrected p value is below ALPHA and the ratio is at least MIN_EFFECT away from 1. No
 * difference: the whole interval lies within ± MARGIN. Otherwise inconclusive.
 *
 * @param moreIsFaster true for RPS, false for times, CPU and memory
 */
export function judge(test: PairedTest, adjustedP: number, moreIsFaster: boolean): Judgement {
  const ratio = Math.exp(test.mean);
  if (isSure(test, adjustedP)) {
    return { verdict: ratio > 1 === moreIsFaster ? 'faster' : 'slower', margin: null };
  }
  const { interval } = test;
  const off = interval === null ? Infinity : Math.max(interval.high - 1, 1 - interval.low);
  // Rounded up to 0.1 %, so that it holds as printed; the subtrahend keeps 0.012 what it is in floating point.
  const margin = Math.max(1, Math.ceil(off * 1000 - 1e-9)) / 1000;
  if (test.pairs >= MIN_PAIRS && margin <= MARGIN) return { verdict: 'no-difference', margin };
  return { verdict: 'inconclusive', margin: null };
}

/** Whether the two surely differ, by as much as matters. */
export function isSure(test: PairedTest, adjustedP: number): boolean {
  return test.pairs >= MIN_PAIRS && adjustedP < ALPHA && Math.abs(Math.exp(test.mean) - 1) >= MIN_EFFECT;
}

/** The expected properties of a future comparison. */
interface Prospect {
  /** Pairs of fresh starts. */
  pairs: number;
  /** SD of ln(ratio) between them. */
  spread: number;
  /** Tests that are corrected together; 1 for a single comparison. */
  tests?: number;
  /** Pairs that the spread was estimated from, when it is from another run; left out: it is known. */
  spreadPairs?: number;
}

/**
 * The smallest true change, as a share (0.02 is 2 %), for which `judge` gives faster or slower with a probability of
 * POWER or more. Only this one of several tests is assumed to have something to find: the worst case for both
 * corrections. With the spread of the very pairs that were tested this is what they could have shown: simulated, 95 to
 * 98 % are found. Null where no verdict can come of it: fewer than MIN_PAIRS pairs.
 */
export function predictDetectable({ pairs, spread, tests = 1, spreadPairs }: Prospect): number | null {
  if (pairs < MIN_PAIRS) return null;
  // A fall by MIN_EFFECT is the longer way in logarithms, a rise the larger share.
  const floor = -Math.log(1 - MIN_EFFECT);
  return Math.expm1(effectFor(POWER, { pairs, spread, alpha: ALPHA / tests, floor }, spreadPairs));
}
