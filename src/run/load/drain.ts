import type { Batch, Slice } from '../../plan/timeline/slices.ts';
import { drainFor, spanMs } from '../../plan/timeline/timeline.ts';
import { type K6Summary, sliceId } from './k6.ts';

/**
 * How long after the end of a slice its last request was done, ms. The timeout if one had no answer in its time; 0 if
 * all was done before. Null: not known, as only the end of k6 ended it.
 */
export function drainedAfterMs(batch: Batch, slice: Slice, summary: K6Summary | null): number | null {
  const value = (metric: string, key: string) =>
    summary?.metrics[`${metric}{slice:${sliceId(slice)}}`]?.[key];
  const startedMs = value('bench_slice_start', 'min');
  if (!startedMs || slice.durationMs === null || batch.scenario.load === null) return null;
  if ((value('bench_started', 'count') ?? 0) > (value('iterations', 'count') ?? 0)) {
    return batch.scenario.timeoutMs;
  }
  return Math.max(0, (value('bench_last_end', 'max') ?? 0) - startedMs - spanMs(slice, batch));
}

/** The longest of a batch; null when nothing is known of any. */
export function longestDrainMs(batch: Batch, summary: K6Summary | null): number | null {
  const known = batch.slices
    .map((slice) => drainedAfterMs(batch, slice, summary))
    .filter((ms): ms is number => ms !== null);
  return known.length > 0 ? Math.max(...known) : null;
}

/** A batch that was loaded, with the drain that its requests have shown to be enough. Its counters are read behind that. */
export function withSeenDrain(batch: Batch, summary: K6Summary | null): Batch {
  const seenMs = longestDrainMs(batch, summary);
  if (seenMs === null) return batch;
  return { ...batch, drainMs: Math.min(batch.drainMs, drainFor(batch.scenario, seenMs)) };
}

/** How far requests of earlier slices of its batch reached into a slice, ms. */
export function overlapMs(batch: Batch, slice: Slice, startedMs: number, summary: K6Summary | null): number {
  const ends = batch.slices
    .filter((other) => other.startMs < slice.startMs)
    .map((earlier) => {
      const began = summary?.metrics[`bench_slice_start{slice:${sliceId(earlier)}}`]?.min ?? 0;
      return began + spanMs(earlier, batch) + (drainedAfterMs(batch, earlier, summary) ?? 0);
    });
  return Math.max(0, ...ends.map((end) => end - startedMs));
}

/** How long a typical request of the slowest variant of a batch takes, ms; null when nothing is known. */
export function slowestTypicalMs(batch: Batch, summary: K6Summary | null): number | null {
  const known = batch.slices
    .map((slice) => summary?.metrics[`iteration_duration{slice:${sliceId(slice)}}`]?.['p(50)'])
    .filter((ms): ms is number => ms !== undefined && ms > 0);
  return known.length > 0 ? Math.max(...known) : null;
}
