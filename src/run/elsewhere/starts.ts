/** When several generators began, by the clock of the servers. Pure. */
import type { Batch } from '../../plan/timeline/slices.ts';
import { sliceId } from '../load/k6.ts';
import type { Generator } from '../measure/batch-outcome.ts';

type Started = Pick<Generator, 'summary' | 'aheadMs'>;

/** Null: it has made nothing of that slice. */
function startOf({ summary, aheadMs }: Started, slice: Batch['slices'][number]): number | null {
  const at = summary?.metrics[`bench_slice_start{slice:${sliceId(slice)}}`]?.min;
  return at ? at - aheadMs : null;
}

/** How far apart the generators began, ms. */
export function apart(batch: Pick<Batch, 'slices'>, generators: readonly Started[]): number {
  return Math.max(
    0,
    ...batch.slices.map((slice) => {
      const starts = generators.flatMap((generator) => startOf(generator, slice) ?? []);
      return starts.length > 1 ? Math.max(...starts) - Math.min(...starts) : 0;
    }),
  );
}

/** How much later than asked the last generator began, ms: it was not ready by then, and more time before helps. */
export function lateness(
  batch: Pick<Batch, 'slices'>,
  generators: readonly Started[],
  beganMs: number,
): number {
  return Math.max(
    0,
    ...generators.map((generator) => {
      const late = batch.slices.flatMap((slice) => {
        const at = startOf(generator, slice);
        return at === null ? [] : [at - beganMs - slice.startMs];
      });
      // The earliest counts: a server, too, can make later slices begin late.
      return late.length > 0 ? Math.min(...late) : 0;
    }),
  );
}
