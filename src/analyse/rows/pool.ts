import { eachQuantile, percentOf, type Quantile } from '../../results/quantiles.ts';
import type { Endpoint, Histogram, Latency, Measurement } from '../../results/results.ts';
import { estimate } from '../../stats/estimate.ts';
import { type GridPoint, readTogether, total } from '../../stats/histogram.ts';
import type { EndpointRow, ErrorRow, PercentileEstimate, PooledLatency, Row } from '../summary.ts';

/** The percentiles that tables show, in percent. */
export const PERCENTILES = [50, 66, 75, 80, 85, 90, 95, 98, 99, 99.9, 99.99] as const;

/** Slices of each instance, instances in order. */
export function byInstance(slices: readonly Measurement[]): Measurement[][] {
  return [...Map.groupBy(slices, ({ instance }) => instance)].sort(([a], [b]) => a - b).map(([, own]) => own);
}

/** Fresh starts of the variant that had the most of them; 0 where nothing was measured. */
export function countStarts(slices: readonly Pick<Measurement, 'variant' | 'instance'>[]): number {
  const starts = new Map<string, Set<number>>();
  for (const { variant, instance } of slices) {
    starts.set(variant, (starts.get(variant) ?? new Set<number>()).add(instance));
  }
  return Math.max(0, ...[...starts.values()].map(({ size }) => size));
}

interface Part {
  latency: Latency | null;
  histogram: Histogram;
}

const NAMES = PERCENTILES.map((p) => ({ p, key: `p${p}Ms`.replace('.', '_') as keyof Latency }));

/** The percentiles of a slice that are known exactly, in ascending order. */
export function pointsOf(latency: Latency): GridPoint[] {
  const named = NAMES.map(({ p, key }) => ({ p, ms: latency[key] }));
  return [{ p: 0, ms: latency.minMs }, ...named, { p: 100, ms: latency.maxMs }];
}

/** Reads percentiles, ms, of all requests of several slices together, never averaged; null if there are none. */
export function readPool(parts: readonly Part[]): (p: number) => number | null {
  return readTogether(
    parts.map(({ latency, histogram }) => ({ histogram, known: latency ? pointsOf(latency) : [] })),
  );
}

/** Latency of several slices together. */
export function poolLatency(parts: readonly Part[]): PooledLatency | null {
  const measured = parts.flatMap(({ latency, histogram }) =>
    latency !== null && histogram.length > 0 ? [{ latency, histogram, samples: total(histogram) }] : [],
  );
  if (measured.length === 0) return null;
  const read = readPool(measured);
  const samples = sum(measured, (part) => part.samples);
  const minMs = Math.min(...measured.map((part) => part.latency.minMs));
  const maxMs = Math.max(...measured.map((part) => part.latency.maxMs));
  // The ends are known exactly, so no bucket's width may reach past them.
  const at = (p: number) => Math.min(Math.max(read(p) as number, minMs), maxMs);
  return {
    samples,
    minMs,
    avgMs: sum(measured, (part) => part.latency.avgMs * part.samples) / samples,
    maxMs,
    percentiles: PERCENTILES.map((p) => ({ p, ms: at(p) })),
  };
}

/**
 * Latency of all slices, and percentiles of it with their spread over the instances. With a single instance the
 * slices' own percentiles serve only when each slice has at least ten samples beyond it: p99 of a short slice is
 * mostly chance.
 */
export function poolPercentiles(slices: readonly Measurement[]): Pick<Row, 'latency' | Quantile> {
  const latency = poolLatency(slices);
  const groups = byInstance(slices);
  // All slices belong to the start if there is only one.
  const starts = groups.length > 1 ? groups.map(poolLatency).filter((start) => start !== null) : [];
  const samples =
    starts.length > 1 ? [] : slices.map((slice) => (slice.latency ? total(slice.histogram) : 0));
  let known: (PooledLatency | null)[] | null = null;
  const single = () => {
    known ??= slices.map((slice) => poolLatency([slice]));
    return known;
  };
  const spread = (quantile: Quantile): PercentileEstimate | null => {
    const p = percentOf(quantile);
    const all = percentileOf(latency, p);
    if (all === null) return null;
    if (starts.length > 1) {
      const each = starts.map((start) => percentileOf(start, p) as number);
      const found = estimate(
        each.map((ms) => [ms]),
        all,
      );
      return found && { ...found, range: { low: Math.min(...each), high: Math.max(...each) } };
    }
    const enough = samples.every((n) => n * (1 - p / 100) >= 10);
    const found = estimate([enough ? single().map((own) => percentileOf(own, p) as number) : [all]], all);
    return found && { ...found, range: null };
  };
  return { latency, ...eachQuantile(spread) };
}

/** @param p one of `PERCENTILES` */
export function percentileOf(latency: PooledLatency | null | undefined, p: number): number | null {
  return latency?.percentiles.find((point) => point.p === p)?.ms ?? null;
}

/**
 * A row per endpoint in order of appearance, then 'Aggregated'.
 *
 * @param latency of all slices together
 */
export function poolEndpoints(slices: readonly Measurement[], latency: PooledLatency | null): EndpointRow[] {
  const seconds = slices.reduce((sum, slice) => sum + slice.durationMs, 0) / 1000;
  const groups = Map.groupBy(
    slices.flatMap((slice) => slice.endpoints),
    ({ name }) => name,
  );
  const rows = [...groups].map(([name, parts]) => {
    const isAll =
      parts.length === slices.length &&
      parts.every(
        (part, i) => part.histogram === slices[i]?.histogram && part.latency === slices[i]?.latency,
      );
    return endpointRow(name, parts, seconds, isAll ? latency : poolLatency(parts));
  });
  const aggregated = slices.map((slice) => ({
    requests: slice.requests,
    failures: slice.requests - Math.min(slice.okCount, slice.requests),
    bytesPerResponse: meanBytes(slice.endpoints),
  }));
  return slices.length === 0 ? [] : [...rows, endpointRow('Aggregated', aggregated, seconds, latency)];
}

type Sized = Pick<Endpoint, 'requests' | 'bytesPerResponse'>;

function meanBytes(parts: readonly Sized[]): number | null {
  const sized = parts.filter((part) => part.bytesPerResponse !== null && part.requests > 0);
  const responses = sum(sized, (part) => part.requests);
  return responses > 0
    ? sum(sized, (part) => (part.bytesPerResponse ?? 0) * part.requests) / responses
    : null;
}

function endpointRow(
  name: string,
  parts: readonly Omit<Endpoint, 'name' | 'latency' | 'histogram'>[],
  seconds: number,
  latency: PooledLatency | null,
): EndpointRow {
  const requests = sum(parts, (part) => part.requests);
  const failures = sum(parts, (part) => part.failures);
  return {
    name,
    requests,
    failures,
    rps: seconds > 0 ? requests / seconds : 0,
    failuresPerSecond: seconds > 0 ? failures / seconds : 0,
    bytesPerResponse: meanBytes(parts),
    latency,
  };
}

/** Errors by endpoint and kind, most frequent first, each with the first body that was kept. */
export function poolErrors(slices: readonly Measurement[]): ErrorRow[] {
  const rows = new Map<string, ErrorRow>();
  for (const { endpoint, kind, count, sample, ...shown } of slices.flatMap((slice) => slice.errors)) {
    const key = JSON.stringify([endpoint, kind]);
    const row = rows.get(key);
    rows.set(key, {
      endpoint,
      kind,
      count: count + (row?.count ?? 0),
      sample: row?.sample ?? sample,
      ...(row?.answer ? { answer: row.answer } : shown.answer && { answer: shown.answer }),
      ...(row?.log ? { log: row.log } : shown.log && { log: shown.log }),
    });
  }
  return [...rows.values()].sort((a, b) => b.count - a.count);
}

export function sum<T>(items: readonly T[], of: (item: T) => number): number {
  return items.reduce((total, item) => total + of(item), 0);
}
