import { errorFunction, gammaln } from 'simple-statistics';

/**
 * Student's t, and the power of a paired t test whose effect must also be of a size that matters. Checked against
 * SciPy in student.test.ts. The libraries that have these would add 140 KB and more to the bundle.
 */

/** Two-sided p value of Student's t: P(|T| ≥ |t|). A quotient, not a difference, so tiny ones are right as well. */
export function tPValue(t: number, df: number): number {
  if (t === 0) return 1;
  // For huge |t| the square would overflow; p is 0 then.
  return incompleteBeta(df / (df + t * t), df / 2, 1 / 2);
}

const criticals = new Map<string, number>();

/** The |t| that has this two-sided p value; by bisection of its logarithm, right to 12 digits. */
export function tCritical(p: number, df: number): number {
  const key = `${p} ${df}`;
  const known = criticals.get(key);
  if (known !== undefined) return known;
  const found = Math.exp(bisect((log) => p - tPValue(Math.exp(log), df), Math.log(1e-9), Math.log(1e12), 60));
  criticals.set(key, found);
  return found;
}

/** An estimated variance, with the degrees of freedom that it is known by. */
interface Variance {
  variance: number;
  df: number;
}

/**
 * Degrees of freedom of a sum of estimated, independent variances (Satterthwaite 1946): near those of a part that exceeds
 * all others by far. NaN if all are 0.
 */
export function satterthwaite(parts: readonly Variance[]): number {
  const total = parts.reduce((sum, { variance }) => sum + variance, 0);
  return total ** 2 / parts.reduce((sum, { variance, df }) => sum + variance ** 2 / df, 0);
}

/** Probability that a standard normal is below z; off by at most 1.2e-7. */
export function normalCdf(z: number): number {
  return (1 + errorFunction(z / Math.SQRT2)) / 2;
}

/** A paired comparison to be made: what is true, and what is asked of a verdict. */
export interface Design {
  /** Pairs of fresh starts, at least 2. */
  pairs: number;
  /** SD of ln(ratio) between pairs. */
  spread: number;
  /** Two-sided level of the test. */
  alpha: number;
  /** The mean of ln(ratio) must be at least this, too. */
  floor: number;
}

/**
 * Probability that the mean of n differences is ≥ `floor` and their t ≥ its critical value, when they are normal
 * around `effect`. Mean and SD of normal data are independent, so it is integrated over the SD, given which the mean
 * decides. Without a floor this is the tail of the noncentral t.
 */
export function power(effect: number, { pairs, spread, alpha, floor }: Design): number {
  if (spread === 0) return effect >= floor && effect > 0 ? 1 : 0;
  const root = Math.sqrt(pairs);
  const critical = (tCritical(alpha, pairs - 1) * spread) / root;
  const { points, weights, sums, end } = densityOf(pairs - 1, 400);
  // At large z the probability is 1 to the last digit, far below 0 it is 0. Most points lie there.
  const sure = effect - (CERTAIN * spread) / root;
  let i = sure > floor ? clamp((sure / critical / end) * 400 - 1, 0, 400) : 0;
  let sum = sums[i] as number;
  for (; i < 400; i++) {
    const z = ((effect - Math.max(floor, critical * (points[i] as number))) * root) / spread;
    if (z < -CERTAIN) break;
    sum += (weights[i] as number) * normalCdf(z);
  }
  return (sum * end) / 400;
}

const CERTAIN = 9;

const clamp = (value: number, low: number, high: number) => Math.floor(Math.min(Math.max(value, low), high));

/**
 * Power when the spread is itself only estimated, from `spreadPairs` pairs of an earlier run: the mean over what the
 * true spread may be. Less than `power` promises by up to 15 points after 4 pairs, 3 after 20.
 */
export function powerFromPilot(effect: number, design: Design, spreadPairs: number): number {
  return overSd(spreadPairs - 1, 100, (u) => power(effect, { ...design, spread: design.spread / u }));
}

/** The effect, as ln(ratio), that is found with this probability. */
export function effectFor(wanted: number, design: Design, spreadPairs = Infinity): number {
  if (design.spread === 0) return design.floor;
  const find = (effect: number) =>
    spreadPairs === Infinity ? power(effect, design) : powerFromPilot(effect, design, spreadPairs);
  let most =
    design.floor + (design.spread / Math.sqrt(design.pairs)) * tCritical(design.alpha, design.pairs - 1);
  let above = find(most) - wanted;
  for (let tries = 0; tries < 40 && above < 0; tries++) {
    most *= 2;
    above = find(most) - wanted;
  }
  return crossing((effect) => find(effect) - wanted, most, above);
}

/**
 * The zero of a rising function between 0 and `to`, by false position with the Illinois rule. `above` is its value at
 * `to`. This takes a third of the steps of bisection, and each step is an integral.
 */
function crossing(f: (x: number) => number, to: number, above: number): number {
  let [low, high, atLow, atHigh] = [0, to, f(0), above];
  let side = 0;
  let x = high;
  for (let step = 0; step < 60; step++) {
    const before = x;
    x = (low * atHigh - high * atLow) / (atHigh - atLow);
    if (Math.abs(x - before) <= to * 1e-8) break;
    const y = f(x);
    if (y < 0) {
      [low, atLow] = [x, y];
      // An end that stays twice counts half, or the other would creep.
      if (side < 0) atHigh /= 2;
      side = -1;
    } else {
      [high, atHigh] = [x, y];
      if (side > 0) atLow /= 2;
      side = 1;
    }
  }
  return x;
}

/** Mean of f(s ÷ σ) over the SD s of df + 1 normal values: √(χ² ÷ df). */
function overSd(df: number, steps: number, f: (u: number) => number): number {
  const { points, weights, end } = densityOf(df, steps);
  let sum = 0;
  for (let i = 0; i < steps; i++) sum += (weights[i] as number) * f(points[i] as number);
  return (sum * end) / steps;
}

interface Density {
  points: Float64Array;
  weights: Float64Array;
  /** The sum of the weights before each index. */
  sums: Float64Array;
  end: number;
}

const densities = new Map<string, Density>();

/** The density of √(χ² ÷ df). It is needed thousands of times with a few degrees of freedom. */
function densityOf(df: number, steps: number): Density {
  const key = `${df} ${steps}`;
  const known = densities.get(key);
  if (known) return known;
  const logNorm = Math.LN2 + (df / 2) * Math.log(df / 2) - gammaln(df / 2);
  // Beyond this the probability is below 1e-12.
  const end = 1 + 7.5 / Math.sqrt(df);
  const points = Float64Array.from({ length: steps }, (_, i) => ((i + 0.5) / steps) * end);
  const weights = points.map((u) => Math.exp(logNorm + (df - 1) * Math.log(u) - (df * u * u) / 2));
  const sums = new Float64Array(steps + 1);
  for (let i = 0; i < steps; i++) sums[i + 1] = (sums[i] as number) + (weights[i] as number);
  const made = { points, weights, sums, end };
  densities.set(key, made);
  return made;
}

/** The zero of a rising function. */
function bisect(f: (x: number) => number, from: number, to: number, steps: number): number {
  let [low, high] = [from, to];
  for (let i = 0; i < steps; i++) {
    const middle = (low + high) / 2;
    if (f(middle) < 0) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}

/** Regularised incomplete beta function I_x(a, b), by Lentz's continued fraction (DLMF 8.17.22; Numerical Recipes 6.4). */
function incompleteBeta(x: number, a: number, b: number): number {
  if (x <= 0) return 0;
  if (x >= 1) return 1;
  const front = Math.exp(gammaln(a + b) - gammaln(a) - gammaln(b) + a * Math.log(x) + b * Math.log1p(-x));
  return x < (a + 1) / (a + b + 2)
    ? (front * continuedFraction(x, a, b)) / a
    : 1 - (front * continuedFraction(1 - x, b, a)) / b;
}

function continuedFraction(x: number, a: number, b: number): number {
  const nonZero = (value: number) => (Math.abs(value) < 1e-300 ? 1e-300 : value);
  let c = 1;
  let d = 1 / nonZero(1 - ((a + b) * x) / (a + 1));
  let fraction = d;
  for (let m = 1; m <= 500; m++) {
    const even = (m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m));
    const odd = (-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1));
    for (const term of [even, odd]) {
      d = 1 / nonZero(1 + term * d);
      c = nonZero(1 + term / c);
      fraction *= c * d;
    }
    if (Math.abs(c * d - 1) < 1e-15) break;
  }
  return fraction;
}
