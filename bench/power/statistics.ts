/** Statistics for the summary of a series. Pure. */
import { mean } from 'simple-statistics';

export interface Range {
  low: number;
  high: number;
}

/**
 * The exact interval of a share (Clopper and Pearson 1934). In it are shares under which `found` or more of `n`, and
 * `found` or fewer, both have a probability of at least (1 − level) ÷ 2.
 */
export function clopperPearson(found: number, n: number, level = 0.95): Range {
  if (n === 0) return { low: 0, high: 1 };
  const tail = (1 - level) / 2;
  return {
    low: found === 0 ? 0 : bisect((p) => 1 - atMost(found - 1, n, p) < tail),
    high: found === n ? 1 : bisect((p) => atMost(found, n, p) > tail),
  };
}

/** P(X ≤ k) for X binomial. */
function atMost(k: number, n: number, p: number): number {
  // Terms as multiples of the one before; in logarithms, so that none vanishes.
  let sum = 0;
  let ln = n * Math.log1p(-p);
  for (let i = 0; i <= k; i++) {
    sum += Math.exp(ln);
    ln += Math.log((n - i) / (i + 1)) + Math.log(p) - Math.log1p(-p);
  }
  return Math.min(1, sum);
}

/** The point in 0…1 from which a condition is no longer true. */
function bisect(holds: (p: number) => boolean): number {
  let [low, high] = [0, 1];
  for (let i = 0; i < 60; i++) {
    const middle = (low + high) / 2;
    if (holds(middle)) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}

/** SD within groups, over all of them: the root of the mean variance, weighted by degrees of freedom. Null: no group of two. */
export function pooledSd(groups: readonly (readonly number[])[]): number | null {
  let squares = 0;
  let freedom = 0;
  for (const group of groups) {
    if (group.length < 2) continue;
    const center = mean([...group]);
    squares += group.reduce((sum, x) => sum + (x - center) ** 2, 0);
    freedom += group.length - 1;
  }
  return freedom > 0 ? Math.sqrt(squares / freedom) : null;
}
