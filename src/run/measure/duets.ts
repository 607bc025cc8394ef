import type { Slice } from '../../plan/timeline/slices.ts';
import { groupTurns } from '../../plan/timeline/timeline.ts';
import type { Duet, Measurement } from '../../results/results.ts';
import { sliceId } from '../load/k6.ts';
import type { BatchOutcome } from './batch-outcome.ts';
import { readErrors } from './measure.ts';
import { describeOthers, findOthers } from './others.ts';
import { describeUnasked, readGuards } from './resources.ts';

/** A variant whose answers differed from the checked ones while it was loaded together with its base. */
export type OtherInDuet = Pick<Measurement, 'variant' | 'reason' | 'others' | 'errors'>;

/** One for each duet and side whose answers were others than the checked ones. Pure. */
export function findOthersInDuets(outcome: BatchOutcome): OtherInDuet[] {
  const slices = outcome.summary === null ? [] : outcome.batch.slices.filter(({ duet }) => duet !== null);
  return slices.flatMap((slice) => {
    const others = findOthers(outcome, slice);
    if (!others?.isVoid) return [];
    const errors = readErrors(outcome, sliceId(slice));
    return [{ variant: slice.variant, reason: describeOthers(others), others, errors }];
  });
}

/** Costs of both sides in the duets of a batch. Pure. */
export function measureDuets(outcome: BatchOutcome): Duet[] {
  return groupTurns(outcome.batch.slices).flatMap((group) => {
    const [first, second] = group;
    return first && second && first.duet !== null ? [measureDuet(outcome, first, second)] : [];
  });
}

function measureDuet(outcome: BatchOutcome, first: Slice, second: Slice): Duet {
  const { batch, summary, samples, containers, beganMs } = outcome;
  const value = (metric: string, slice: Slice, key: string) =>
    summary?.metrics[`${metric}{slice:${sliceId(slice)}}`]?.[key] ?? 0;
  const startedMs = value('bench_slice_start', first, 'min') || beganMs + first.startMs;
  const durationMs = first.durationMs ?? 0;
  const toMs = startedMs + durationMs + batch.drainMs;
  const sideOf = (slice: Slice) => ({
    requests: value('http_reqs', slice, 'count'),
    failures: value('http_req_failed', slice, 'passes') + value('bench_resent', slice, 'count'),
    cpuUs: samples.usedUs(containers.get(slice.variant) ?? -1, startedMs, toMs),
  });
  const isFirst = first.variant === first.duet;
  const [variant, base] = isFirst ? [first, second] : [second, first];
  const sides = { variant: sideOf(variant), base: sideOf(base) };
  const guards = readGuards(outcome, first, startedMs, toMs);
  return {
    duet: true,
    variant: variant.variant,
    base: base.variant,
    scenario: batch.scenario.name,
    instance: outcome.instance,
    block: first.block,
    ...judge(outcome, [first, second], Object.values(sides), guards),
    startedMs,
    durationMs,
    first: isFirst ? 'variant' : 'base',
    sides,
    guards,
  };
}

function judge(
  outcome: BatchOutcome,
  slices: readonly Slice[],
  sides: Duet['sides'][keyof Duet['sides']][],
  guards: Duet['guards'],
): Pick<Duet, 'outcome' | 'reason'> {
  if (outcome.summary === null) return { outcome: 'void', reason: outcome.trouble };
  if (sides.some(({ requests }) => requests === 0))
    return { outcome: 'void', reason: describeUnasked(guards) };
  const others = slices.flatMap((slice) => findOthers(outcome, slice) ?? []).find(({ isVoid }) => isVoid);
  if (others) return { outcome: 'void', reason: describeOthers(others) };
  // An error costs what it costs, which is not what a request costs.
  const failed = sides.find(({ requests, failures }) => failures > MAX_FAILURES * requests);
  if (failed)
    return { outcome: 'failed', reason: `${failed.failures} of ${failed.requests} requests failed` };
  return { outcome: 'ok', reason: null };
}

/** Share of failed requests up to which a duet counts. */
const MAX_FAILURES = 0.01;
