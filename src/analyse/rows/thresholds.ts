import { eachQuantile, percentOf } from '../../results/quantiles.ts';
import type { Measurement, ScriptMetric } from '../../results/results.ts';
import { FLOOR_MS, mergeHistograms, percentile } from '../../stats/histogram.ts';
import type { MetricRow, ThresholdRow } from '../summary.ts';
import { sum } from './pool.ts';

const CONDITION = /^\s*(\w+)(?:\(\s*([\d.]+)\s*\))?\s*(>=|<=|===|==|!=|>|<)\s*(-?[\d.]+(?:e[+-]?\d+)?)\s*$/i;

interface Condition {
  /** `p`, `avg`, `rate` … */
  method: string;
  /** The number in `p(95)`; null for other methods. */
  p: number | null;
  operator: string;
  limit: number;
}

/** `p(95)<500`; null: not a condition of k6's. */
export function parseCondition(text: string): Condition | null {
  const [, method = '', p, operator = '', limit] = CONDITION.exec(text) ?? [];
  if (limit === undefined) return null;
  return { method, p: p === undefined ? null : Number(p), operator, limit: Number(limit) };
}

/** Why a condition is not judged from all slices together; null: it is. */
function judgedBySlice({ method }: Condition): string | null {
  if (method === 'count') return 'a count grows with the load';
  if (method === 'value') return 'a gauge has only its last value';
  return null;
}

/** Whether a k6 script's threshold holds for all slices of a variant together, or in each of them. */
export function judgeThreshold(
  threshold: { metric: string; condition: string },
  slices: readonly Measurement[],
): ThresholdRow {
  const condition = parseCondition(threshold.condition);
  const open = (why: string): ThresholdRow => ({ ...threshold, state: 'open', value: null, why });
  if (condition === null) return open('its condition cannot be read');
  const parts = slices.flatMap(({ script, durationMs }) => {
    const metric = script?.metrics.find(({ name }) => name === threshold.metric);
    return metric ? [{ metric, seconds: durationMs / 1000 }] : [];
  });
  if (parts.length === 0 || sum(parts, ({ metric }) => metric.count) === 0) {
    // k6 takes a metric without samples for one that keeps its thresholds, except for counts.
    if (condition.method !== 'count') return open('it had no samples');
  }
  const values = judgedBySlice(condition)
    ? parts.map((part) => measured(condition, [part]))
    : [measured(condition, parts)];
  const known = values.filter((value) => value !== null);
  if (known.length === 0 || known.length < values.length) return open('its values cannot be combined');
  const worst = known.find((value) => !holds(condition, value));
  return {
    ...threshold,
    state: worst === undefined ? 'passed' : 'missed',
    value: worst ?? (known[0] as number),
    why: null,
  };
}

type Part = { metric: ScriptMetric; seconds: number };

function measured({ method, p }: Condition, parts: readonly Part[]): number | null {
  const metrics = parts.map(({ metric }) => metric);
  const type = metrics[0]?.type;
  const pooled = poolMetric(metrics);
  if (pooled === null) return method === 'count' ? 0 : null;
  if (method === 'count') return pooled.count;
  if (method === 'rate') {
    return type === 'counter' ? pooled.count / sum(parts, ({ seconds }) => seconds) : pooled.ratio;
  }
  if (method === 'avg' || method === 'value') return pooled.value;
  if (method === 'min') return pooled.min;
  if (method === 'max') return pooled.max;
  const at = method === 'med' ? 50 : method === 'p' ? p : null;
  return at === null ? null : pooled.at(at);
}

/** A metric over several slices; null: it is in none. */
export function poolMetric(
  parts: readonly ScriptMetric[],
): (MetricRow & { at(p: number): number | null }) | null {
  const [first] = parts;
  if (!first) return null;
  const { name, type, contains } = first;
  const sampled = type === 'trend' ? parts.filter(({ count }) => count > 0) : parts;
  const count = sum(sampled, (part) => part.count);
  const ends = (of: (part: ScriptMetric) => number | null) =>
    sampled.map(of).filter((value) => value !== null);
  const [lows, highs] = [ends(({ min }) => min), ends(({ max }) => max)];
  const min = lows.length > 0 ? Math.min(...lows) : null;
  const max = highs.length > 0 ? Math.max(...highs) : null;
  const whole = sampled.every(({ histogram }) => histogram.length > 0);
  const histogram = whole ? mergeHistograms(sampled.map((part) => part.histogram)) : [];
  const at = (p: number) => {
    const found = percentile(histogram, p);
    if (found === null || min === null || max === null) return null;
    // The lowest bucket has all from 0 on: many a trend is 0 in most of its samples.
    if (min === 0 && found <= FLOOR_MS) return 0;
    // The ends are known exactly.
    return Math.min(Math.max(found, min), max);
  };
  const mean =
    type === 'trend' && count > 0 ? sum(sampled, (part) => (part.value ?? 0) * part.count) / count : null;
  return {
    ...{ name, type, contains, count, min, max, at },
    ratio: type === 'rate' && count > 0 ? sum(parts, ({ passes }) => passes ?? 0) / count : null,
    value: type === 'gauge' ? (parts.at(-1)?.value ?? null) : mean,
    ...eachQuantile((quantile) => at(percentOf(quantile))),
  };
}

/** The least digits of a value, from three on, that show its outcome: 499.8 is below 500, but 500 is not. */
export function digitsOfOutcome({ condition, state }: ThresholdRow, value: number): number {
  const parsed = parseCondition(condition);
  const shows = (digits: number) =>
    parsed === null || holds(parsed, Number(value.toPrecision(digits))) === (state === 'passed');
  let digits = 3;
  while (digits < 15 && !shows(digits)) digits++;
  return digits;
}

function holds({ operator, limit }: Condition, value: number): boolean {
  switch (operator) {
    case '<':
      return value < limit;
    case '<=':
      return value <= limit;
    case '>':
      return value > limit;
    case '>=':
      return value >= limit;
    case '!=':
      return value !== limit;
    default:
      return value === limit;
  }
}
