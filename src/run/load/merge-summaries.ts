import { sum } from '../../analyse/rows/pool.ts';
import { type LogBuckets, mergeHistograms, readTogether } from '../../stats/histogram.ts';
import { gridOf, histogramOf } from '../measure/latency.ts';
import { type K6Metric, type K6Summary, NAMED } from './k6.ts';

type Values = Record<string, number>;

/** Results of one of several generators. */
interface GeneratorPart {
  summary: K6Summary;
  /** How far its clock is ahead of the engine's, ms. */
  aheadMs: number;
}

/** Metrics whose values are moments, unix ms. */
const MOMENTS = /^bench_(slice_start|last_end)\{/;

/**
 * One summary of what several generators measured together: counts add up, latencies are merged as histograms, as those of
 * slices are. Moments are by the engine's clock. Pure.
 */
export function mergeSummaries(parts: readonly GeneratorPart[]): K6Summary {
  const [first] = parts;
  if (!first) throw new RangeError('no summaries to merge');
  const ends = parts.map(({ summary, aheadMs }) => summary.endedMs - aheadMs);
  const begins = parts.map(({ summary }, i) => (ends[i] as number) - summary.durationMs);
  const endedMs = Math.max(...ends);
  const metrics: Record<string, Values> = {};
  const histograms: Record<string, LogBuckets> = {};
  for (const name of new Set(parts.flatMap(({ summary }) => Object.keys(summary.metrics)))) {
    const found = parts.flatMap(({ summary, aheadMs }) => {
      const values = summary.metrics[name];
      return values ? [MOMENTS.test(name) ? moveBack(values, aheadMs) : values] : [];
    });
    const { values, histogram } = mergeValues(found);
    metrics[name] = values;
    if (histogram) histograms[name] = histogram;
  }
  const scripts = parts.flatMap(({ summary }) => summary.script ?? []);
  return {
    durationMs: endedMs - Math.min(...begins),
    endedMs,
    endpoints: first.summary.endpoints,
    metrics,
    histograms,
    ...(scripts.length > 0 && {
      script: {
        checks: mergeChecks(scripts.flatMap(({ checks }) => checks)),
        metrics: mergeMetrics(scripts.flatMap(({ metrics }) => metrics)),
      },
    }),
  };
}

/** Events that never happened have 0 in k6's summary, which is no time. */
function moveBack(values: Values, aheadMs: number): Values {
  return Object.fromEntries(Object.entries(values).map(([key, at]) => [key, at === 0 ? 0 : at - aheadMs]));
}

/** k6 does not export the type of a metric, but each has values of its own. */
function mergeValues(parts: readonly Values[]): { values: Values; histogram?: LogBuckets } {
  const some = parts[0] ?? {};
  if ('avg' in some) return mergeTrends(parts);
  if ('passes' in some) {
    const [passes, fails] = [sum(parts, ({ passes = 0 }) => passes), sum(parts, ({ fails = 0 }) => fails)];
    return { values: { rate: passes + fails > 0 ? passes / (passes + fails) : 0, passes, fails } };
  }
  if ('value' in some) return { values: mergeGauges(parts) };
  return {
    values: { count: sum(parts, ({ count = 0 }) => count), rate: sum(parts, ({ rate = 0 }) => rate) },
  };
}

function mergeTrends(trends: readonly Values[]): { values: Values; histogram: LogBuckets } {
  const parts = trends.filter(({ count = 0 }) => count > 0);
  const count = sum(parts, ({ count = 0 }) => count);
  if (count === 0) return { values: trends[0] ?? {}, histogram: [] };
  // In one generator alone, the percentiles that k6 knows are exact.
  if (parts.length === 1) return { values: parts[0] as Values, histogram: histogramOf(parts[0] as Values) };
  const all = parts.map((values) => ({ histogram: histogramOf(values), known: gridOf(values) }));
  const read = readTogether(all);
  const average = sum(parts, ({ count = 0, avg = 0 }) => count * avg) / count;
  const min = Math.min(...parts.map(({ min = 0 }) => min));
  const max = Math.max(...parts.map(({ max = 0 }) => max));
  // Within the first and the last bucket a histogram does not know where its samples lie, but these two are known.
  const within = (ms: number) => Math.min(max, Math.max(min, ms));
  const values = NAMED.map((p) => [`p(${p})`, within(read(p) as number)] as const);
  const histogram = mergeHistograms(all.map((part) => part.histogram));
  return { values: { count, min, avg: average, max, ...Object.fromEntries(values) }, histogram };
}

/** A gauge that nothing was written to has only zeros. */
function mergeGauges(all: readonly Values[]): Values {
  const parts = all.filter(({ min = 0, max = 0 }) => min !== 0 || max !== 0);
  if (parts.length === 0) return all[0] ?? {};
  const max = Math.max(...parts.map(({ max = 0 }) => max));
  return { value: max, min: Math.min(...parts.map(({ min = 0 }) => min)), max };
}

type Check = NonNullable<K6Summary['script']>['checks'][number];

function mergeChecks(checks: readonly Check[]): Check[] {
  const groups = Map.groupBy(checks, ({ name, group }) => JSON.stringify([name, group]));
  return [...groups.values()].map((same) => ({
    ...(same[0] as Check),
    passes: sum(same, ({ passes }) => passes),
    fails: sum(same, ({ fails }) => fails),
  }));
}

function mergeMetrics(metrics: readonly K6Metric[]): K6Metric[] {
  return [...Map.groupBy(metrics, ({ name }) => name).values()].map((same) => ({
    ...(same[0] as K6Metric),
    ...mergeValues(same.map(({ values }) => values)),
  }));
}
