import { sum } from 'simple-statistics';
import type { Batch } from '../../plan/timeline/slices.ts';
import type { Histogram, Latency } from '../../results/results.ts';
import { bucketOf, fromPercentiles, type GridPoint, percentile } from '../../stats/histogram.ts';
import { GRID, type K6Summary, NAMED, sliceId } from '../load/k6.ts';

/** k6 gives 0 ms to a request that never was on its way. */
const REFUSED_MS = 0.01;

type Values = Record<string, number>;

/**
 * Latency, ms, of the requests with these tags: of those that were sent, with timeouts as the time that was waited. A
 * connection that is refused took k6 0 ms. Those samples are taken out, or a server that is down would look fast.
 *
 * @param tags as k6 writes them, such as `slice:s7` or `slice:s7,name:e0`
 */
export function readLatency(
  summary: K6Summary | null,
  tags: string,
): { latency: Latency | null; histogram: Histogram } {
  const [metric, refusing] = [`http_req_duration{${tags}}`, `http_req_duration{${tags},status:0}`];
  const all = summary?.metrics[metric];
  const unanswered = summary?.metrics[refusing];
  if (!all?.count) return { latency: null, histogram: [] };
  const histogram = histogramOf(all, summary?.histograms?.[metric]);
  if (!unanswered?.count) return { latency: namedOf(all), histogram };
  // They are the fastest; timeouts are unanswered too, and stand where they belong.
  const refused = histogramOf(unanswered, summary?.histograms?.[refusing]).reduce(
    (sum, [bucket, n]) => (bucket <= bucketOf(REFUSED_MS) ? sum + n : sum),
    0,
  );
  const kept = dropFastest(histogram, refused);
  return { latency: namedFrom(kept), histogram: kept };
}

/**
 * How long an iteration of the slowest variant of a batch takes where nothing waits for a busy server, ms. Each of its requests
 * counts as long as the fastest to the same endpoint. Null when nothing is known. One that was cut off counts as a whole iteration.
 */
export function slowestIdleMs({ slices }: Batch, summary: K6Summary | null): number | null {
  const known = slices.flatMap((slice) => {
    const tags = `slice:${sliceId(slice)}`;
    const started = summary?.metrics[`bench_started{${tags}}`]?.count ?? 0;
    const spentMs = (summary?.endpoints ?? []).map((_, i) => {
      const { latency, histogram } = readLatency(summary, `${tags},name:e${i}`);
      return (latency?.minMs ?? 0) * sum(histogram.map(([, count]) => count));
    });
    return started > 0 && sum(spentMs) > 0 ? [sum(spentMs) / started] : [];
  });
  return known.length > 0 ? Math.max(...known) : null;
}

/** @param merged what is known of it where several generators measured it */
export function histogramOf(values: Values, merged?: Histogram): Histogram {
  return merged ?? fromPercentiles(gridOf(values), values.count ?? 0);
}

/** The percentiles, ms, that k6 exports, in ascending order. */
export function gridOf(values: Values): GridPoint[] {
  const grid = GRID.map((p) => ({ p, ms: values[`p(${p})`] ?? 0 }));
  return [{ p: 0, ms: values.min ?? 0 }, ...grid, { p: 100, ms: values.max ?? 0 }];
}

function namedOf(values: Values): Latency {
  return toLatency(values.min ?? 0, values.avg ?? 0, values.max ?? 0, (p) => values[`p(${p})`] ?? 0);
}

function dropFastest(histogram: Histogram, n: number): Histogram {
  let left = n;
  return histogram.flatMap(([bucket, count]): Histogram => {
    const dropped = Math.min(left, count);
    left -= dropped;
    return count > dropped ? [[bucket, count - dropped]] : [];
  });
}

function namedFrom(histogram: Histogram): Latency | null {
  if (histogram.length === 0) return null;
  const at = (p: number) => percentile(histogram, p) ?? 0;
  const n = histogram.reduce((sum, [, count]) => sum + count, 0);
  const sum = histogram.reduce((s, [bucket, count]) => s + 0.001 * 1.01 ** (bucket - 0.5) * count, 0);
  return toLatency(at(0), sum / n, at(100), at);
}

function toLatency(minMs: number, avgMs: number, maxMs: number, at: (p: number) => number): Latency {
  const named = Object.fromEntries(NAMED.map((p) => [`p${String(p).replace('.', '_')}Ms`, at(p)]));
  return { minMs, avgMs, maxMs, ...named } as Latency;
}
