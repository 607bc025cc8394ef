import { mean, median, sampleStandardDeviation } from 'simple-statistics';
import type { Measurement } from '../../results/results.ts';
import { ALPHA } from '../../stats/limits.ts';
import { satterthwaite, tCritical } from '../../stats/student.ts';
import type { MeasuredSlope, Soak } from '../summary.ts';
import { sum } from './pool.ts';

/** From this length of steady load on a slice is looked at for what changes in it. */
const SOAK_MS = 20_000;
/** The first part of it fills caches, pools and the JIT. */
const SETTLE = 0.25;
/** The rest is cut into so many stretches of equally many requests. */
const STRETCHES = 12;
/** Into fewer where they would not have so many samples each; a busy machine has some come late. */
const MIN_SAMPLES = 2;
/** But not into fewer than this. */
const MIN_STRETCHES = 6;
/** Variance of the mean of increments of stretch means of a random walk, over what it would be were they independent. */
const WALK = 1.5;

interface Point {
  x: number;
  y: number;
}

/** Data of a slice for the analysis of a soak. */
export interface SteadySlice extends Pick<Measurement, 'durationMs' | 'turnMs' | 'requests'> {
  steps: readonly Omit<Measurement['steps'][number], 'dropped' | 'latency'>[];
  series: readonly Pick<Measurement['series'][number], 'atMs' | 'memoryBytes' | 'cpuUs'>[];
}

/** Effects of lasting steady load on a variant; null if there was none. */
export function poolSoak(slices: readonly SteadySlice[], model: 'open' | 'closed'): Soak | null {
  const steady = slices.filter(isSteady);
  const memory = poolTrends(steady.map((slice) => findTrend(memoryOf(slice))));
  const rates = model === 'closed' ? steady.map((slice) => regress(rateOf(slice))) : [];
  if (memory === null) return null;
  const perThousand = scale(memory, 1000);
  return {
    bytesPerThousand: perThousand,
    leaks: perThousand.value - perThousand.half > 0,
    decay: poolTrends(rates),
    seconds: sum(steady, ({ durationMs }) => durationMs) / 1000,
  };
}

/** Long enough, and as hard at its end as at its beginning. */
function isSteady({ durationMs, steps, turnMs }: SteadySlice): boolean {
  const hard = new Set(steps.map(({ offeredRps, vus }) => offeredRps ?? vus));
  return durationMs >= SOAK_MS && turnMs === null && hard.size === 1;
}

/** Memory over requests. When each was made is known to the step, and within it by what the server did. */
function memoryOf({ steps, series, durationMs }: SteadySlice): Point[] {
  const clock = clockOf(series);
  const spans = steps.map(({ offsetMs, durationMs, requests }) => {
    return { from: clock(offsetMs), to: clock(offsetMs + durationMs), requests };
  });
  const requestsUntil = (now: number) =>
    sum(spans, ({ from, to, requests }) => {
      return to > from ? requests * Math.min(1, Math.max(0, (now - from) / (to - from))) : 0;
    });
  return series.flatMap(({ atMs, memoryBytes }) =>
    atMs >= 0 && atMs <= durationMs ? [{ x: requestsUntil(clock(atMs)), y: memoryBytes }] : [],
  );
}

/**
 * The CPU that the server has used until a time (ms), as a measure of requests: each takes about the same CPU whatever
 * else the machine does. If CPU is not known, the time itself.
 */
function clockOf(series: SteadySlice['series']): (ms: number) => number {
  let total = 0;
  const used = series.map(({ atMs, cpuUs }) => {
    total += cpuUs;
    return { atMs, us: total };
  });
  if (total === 0) return (ms) => ms;
  return (ms) => {
    const next = used.findIndex(({ atMs }) => atMs >= ms);
    if (next < 0) return total;
    const { atMs, us } = used[next] as (typeof used)[number];
    const before = used[next - 1] ?? { atMs: 0, us: 0 };
    return atMs > before.atMs
      ? before.us + ((us - before.us) * (ms - before.atMs)) / (atMs - before.atMs)
      : us;
  };
}

/** Right answers per second over time as a share of the whole, both from their mean: a slope of −0.1 is a tenth lost. */
function rateOf({ steps, durationMs }: SteadySlice): Point[] {
  const rates = steps.map((step) => (step.requests - step.failures) / step.durationMs);
  const whole = rates.length > 0 ? mean(rates) : 0;
  if (whole === 0) return [];
  return steps.map((step, i) => ({
    x: (step.offsetMs + step.durationMs / 2) / durationMs,
    y: (rates[i] as number) / whole,
  }));
}

/** A slope and how sure it is. */
interface Slope {
  value: number;
  /** Standard error. */
  error: number;
  df: number;
}

/**
 * The slope of a series whose noise may be anything from independent to a random walk, as memory's is: what an
 * allocator took it may never give back. A regression takes such a walk for a trend, whatever is done to its errors.
 *
 * So the slope is the median over all pairs of medians of a few long stretches (Theil–Sen; Sen 1968), which peaks do
 * not move. The standard error is that of the mean of their differences. It is right for a random walk and too large
 * for independent noise. The factor √1.5 is there as averages of a walk correlate by ¼ where they adjoin (Working
 * 1960).
 */
export function findTrend(points: readonly Point[]): Slope | null {
  const first = points[0]?.x ?? 0;
  const last = points.at(-1)?.x ?? 0;
  const from = first + SETTLE * (last - first);
  const used = points.filter(({ x }) => x >= from);
  const count = Math.min(STRETCHES, Math.floor(used.length / MIN_SAMPLES));
  if (count < MIN_STRETCHES || last <= first) return null;
  const stretches = cut(used, from, last, count);
  // All requests in a moment: no series.
  if (stretches.length < 3) return null;
  const slopes = stretches.flatMap((a, i) =>
    stretches.slice(i + 1).flatMap((b) => (b.x > a.x ? [(b.y - a.y) / (b.x - a.x)] : [])),
  );
  const steps = stretches.slice(1).map((b, i) => {
    const a = stretches[i] as Point;
    return (b.y - a.y) / (b.x - a.x);
  });
  const error = Math.sqrt((WALK * sampleStandardDeviation(steps) ** 2) / steps.length);
  return { value: median(slopes), error, df: steps.length - 1 };
}

function cut(points: readonly Point[], from: number, to: number, count: number): Point[] {
  return Array.from({ length: count }, (_, i): Point[] => {
    const at = (k: number) => from + ((to - from) * k) / count;
    const own = points.filter(({ x }) => x >= at(i) && (x < at(i + 1) || i === count - 1));
    return own.length > 0 ? [{ x: mean(own.map(({ x }) => x)), y: median(own.map(({ y }) => y)) }] : [];
  }).flat();
}

/**
 * The slope of a series whose noise fades, by least squares. Neighbours may resemble each other, so the degrees of
 * freedom are fewer: n(1 − r) ÷ (1 + r) (Santer and others 2000).
 */
function regress(points: readonly Point[]): Slope | null {
  const n = points.length;
  if (n < 6) return null;
  const [x0, y0] = [mean(points.map(({ x }) => x)), mean(points.map(({ y }) => y))];
  const sxx = sum(points, ({ x }) => (x - x0) ** 2);
  if (sxx === 0) return null;
  const value = sum(points, ({ x, y }) => (x - x0) * (y - y0)) / sxx;
  const rests = points.map(({ x, y }) => y - y0 - value * (x - x0));
  const squares = sum(rests, (rest) => rest ** 2);
  const together = rests.slice(1).reduce((total, rest, i) => total + rest * (rests[i] as number), 0);
  const r = squares > 0 ? Math.max(0, together / squares) : 0;
  const df = Math.max(1, (n * (1 - r)) / (1 + r) - 2);
  return { value, error: Math.sqrt(squares / df / sxx), df };
}

/** Mean of slopes from several slices, with its 99 % interval. One noisy slice decides how well the noise is known. */
function poolTrends(found: readonly (Slope | null)[]): MeasuredSlope | null {
  const slopes = found.filter((slope) => slope !== null);
  if (slopes.length === 0) return null;
  const value = mean(slopes.map((slope) => slope.value));
  const error = Math.sqrt(sum(slopes, ({ error }) => error ** 2)) / slopes.length;
  if (error === 0) return { value, half: 0 };
  const df = satterthwaite(slopes.map(({ error, df }) => ({ variance: error ** 2, df })));
  return { value, half: tCritical(ALPHA, df) * error };
}

function scale({ value, half }: MeasuredSlope, factor: number): MeasuredSlope {
  return { value: value * factor, half: half * factor };
}
