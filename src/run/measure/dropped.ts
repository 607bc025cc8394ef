/** Requests of an open load that were never sent, as all clients of k6 waited for answers. Pure. */

import type { LoadStep } from '../../plan/timeline/load-steps.ts';
import type { Batch, Slice } from '../../plan/timeline/slices.ts';
import { type K6Summary, sliceId } from '../load/k6.ts';

/** How many iterations a slice was to have. Null: its clients ask again once they have their answer. */
export function countOffered({ steps }: Pick<Slice, 'steps'>): number | null {
  if (steps.every(({ rps }) => rps === null)) return null;
  return steps.reduce((sum, { rps, durationMs }) => sum + ((rps ?? 0) * (durationMs ?? 0)) / 1000, 0);
}

/**
 * k6 counts by slice where each has scenarios of its own. In lanes (executors.js) it reports the sum, warm-ups and duets
 * included. A slice then lost what it was offered and did not get, and no more than all slices of its block together: requests
 * move between turns.
 */
export function countDropped(
  { slices }: Pick<Batch, 'slices'>,
  summary: K6Summary | null,
  slice: Slice,
): number {
  const own = countOf(summary, 'dropped_iterations', slice) + countInScenarios(summary, `${sliceId(slice)}_`);
  if (own > 0) return own;
  const missing = (one: Slice) => (countOffered(one) ?? 0) - countOf(summary, 'bench_started', one);
  const block = slices.filter(({ startMs, duet }) => startMs === slice.startMs && duet === slice.duet);
  const inBlock = block.reduce((sum, one) => sum + missing(one), 0);
  return Math.max(
    0,
    Math.min(countInScenarios(summary, 'lane'), Math.floor(inBlock), Math.round(missing(slice))),
  );
}

/** In k6's scenarios whose names are this and a number. */
function countInScenarios(summary: K6Summary | null, prefix: string): number {
  const own = new RegExp(`^dropped_iterations\\{scenario:${prefix}\\d+\\}$`);
  return Object.entries(summary?.metrics ?? {})
    .filter(([name]) => own.test(name))
    .reduce((sum, [, values]) => sum + (values.count ?? 0), 0);
}

function countOf(summary: K6Summary | null, metric: string, slice: Slice): number {
  return summary?.metrics[`${metric}{slice:${sliceId(slice)}}`]?.count ?? 0;
}

/** Each step of a slice that lost some lost what did not begin in its time: k6 does not report it. */
export function countDroppedInStep(
  { rps, durationMs }: LoadStep,
  summary: K6Summary | null,
  tags: string,
  droppedInAll: number,
): number {
  const begun = summary?.metrics[`bench_started{${tags}}`]?.count ?? 0;
  const offered = ((rps ?? 0) * (durationMs ?? 0)) / 1000;
  return Math.max(0, Math.min(droppedInAll, Math.round(offered - begun)));
}
