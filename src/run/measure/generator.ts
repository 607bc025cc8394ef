import type { Slice } from '../../plan/timeline/slices.ts';
import type { Measurement } from '../../results/results.ts';
import { sliceId } from '../load/k6.ts';
import type { BatchOutcome, Generator } from './batch-outcome.ts';

/** Generator guards, fixed beforehand (docs/method.md). */
const BUSY_LIMIT = 0.9;
/** Nothing is left of a CPU set of which this share is used, whoever uses it. */
const FULL_LIMIT = 0.97;
/** Below this share of its CPUs k6 could have sent more. */
const IDLE_LIMIT = 0.5;
const DROPPED_LIMIT = 0.001;
const OFFERED_LIMIT = 0.97;

/** Whether k6, not the server, set the limit of a slice. */
export function judgeGenerator(
  outcome: BatchOutcome,
  slice: Slice,
  m: Judged,
  wholeMs: number,
): Measurement['generator'] {
  if (outcome.generators) return judgeTogether(outcome.generators, outcome, slice, m, wholeMs);
  const { samples, arena } = outcome;
  const share = shareOfRequests(outcome, slice, m.requests);
  const { cpuUs, busyRatio, limits } = judgeCpus(
    { name: 'k6', samples, container: arena, cpus: outcome.cpus.load, share, fromMs: m.startedMs },
    slice,
    m.durationMs,
    wholeMs,
  );
  const reasons = [...limits, ...missedRate(slice, m, busyRatio)];
  return { cpuUs, busyRatio, bound: reasons.length > 0, reasons };
}

/** One k6, and the CPUs that it may use. */
interface Judgeable {
  /** For the reasons. */
  name: string;
  samples: BatchOutcome['samples'];
  container: number;
  cpus: readonly number[];
  /** Requests cost k6 about the same wherever they go: of a stretch with turns each variant has its share of them. */
  share: number;
  fromMs: number;
}

/** CPU use of a generator, and why it was the limit: it used its CPUs up, alone or with others. */
function judgeCpus(
  { name, samples, container, cpus, share, fromMs }: Judgeable,
  slice: Slice,
  durationMs: number,
  wholeMs: number,
): { cpuUs: number | null; busyRatio: number | null; limits: string[] } {
  const toMs = fromMs + wholeMs;
  const usedUs = usedIn(samples, container, slice, fromMs, toMs);
  if (usedUs === null) return { cpuUs: null, busyRatio: null, limits: [] };
  const cpuUs = usedUs * share;
  const busyRatio = cpuUs / (durationMs * 1000 * cpus.length);
  if (busyRatio > BUSY_LIMIT)
    return { cpuUs, busyRatio, limits: [`${name} used ${percent(busyRatio)} of its CPUs`] };
  const together = samples.busy(cpus, fromMs, toMs);
  const others = Math.max(0, (together ?? 0) - usedUs / (wholeMs * 1000 * cpus.length));
  const isFull = together !== null && busyRatio > IDLE_LIMIT && busyRatio + others > FULL_LIMIT;
  const limits = isFull ? [`${name} used ${percent(busyRatio)} of its CPUs, and others the rest`] : [];
  return { cpuUs, busyRatio, limits };
}

/** k6 starts and ends with a slice that a count ends, which costs it CPU of its own. */
function usedIn(
  samples: BatchOutcome['samples'],
  arena: number,
  { durationMs }: Slice,
  fromMs: number,
  toMs: number,
): number | null {
  return durationMs === null
    ? samples.usedWithinUs(arena, fromMs, toMs)
    : samples.usedUs(arena, fromMs, toMs);
}

type Judged = Pick<
  Measurement,
  'startedMs' | 'durationMs' | 'requests' | 'dropped' | 'iterations' | 'offeredRps' | 'achievedRps' | 'cpu'
>;

/** Judges each of several machines by its own CPUs, and all together by the rate. One that is bound binds all. */
function judgeTogether(
  generators: readonly Generator[],
  outcome: BatchOutcome,
  slice: Slice,
  m: Judged,
  wholeMs: number,
): Measurement['generator'] {
  const judged = generators.map(({ name, samples, cpus, aheadMs, summary }) => {
    const requests = summary?.metrics[`http_reqs{slice:${sliceId(slice)}}`]?.count ?? 0;
    const share = shareOfRequests({ ...outcome, summary }, slice, requests);
    const own = {
      ...{ samples, container: 0, cpus, share },
      fromMs: m.startedMs + aheadMs,
    };
    return { name, requests, ...judgeCpus({ name: `k6 on ${name}`, ...own }, slice, m.durationMs, wholeMs) };
  });
  const busy = judged.map(({ busyRatio }) => busyRatio);
  const busyRatio = busy.includes(null) ? null : Math.max(...(busy as number[]));
  const reasons = [...judged.flatMap(({ limits }) => limits), ...missedRate(slice, m, busyRatio)];
  const cpuUs = judged.some((one) => one.cpuUs === null)
    ? null
    : judged.reduce((sum, one) => sum + (one.cpuUs ?? 0), 0);
  const machines = judged.map(({ name, requests, busyRatio, limits }) => ({
    ...{ name, requests, busyRatio, bound: limits.length > 0 },
  }));
  return { cpuUs, busyRatio, bound: reasons.length > 0, reasons, machines };
}

function missedRate(slice: Slice, m: Judged, busyRatio: number | null): string[] {
  const reasons: string[] = [];
  // With time of its own left, k6 misses the offered rate because its VUs wait for the server: not its limit.
  const idle = busyRatio !== null && busyRatio < IDLE_LIMIT;
  if (!idle) {
    const wanted = m.iterations + m.dropped;
    // A script with its own load does not show its number of VUs.
    const vus = maxVus(slice);
    if (wanted > 0 && m.dropped / wanted > DROPPED_LIMIT) {
      reasons.push(`${m.dropped} iterations dropped: all VUs ${vus > 0 ? `(${vus}) ` : ''}were waiting`);
    } else if (m.offeredRps !== null && m.achievedRps < m.offeredRps * OFFERED_LIMIT) {
      reasons.push(`${percent(m.achievedRps / m.offeredRps)} of the offered rate was sent`);
    }
  }
  return reasons;
}

function shareOfRequests(
  { batch, summary }: Pick<BatchOutcome, 'batch' | 'summary'>,
  slice: Slice,
  requests: number,
): number {
  if (!slice.turns) return 1;
  const all = batch.slices
    .filter((other) => other.turns && other.startMs === slice.startMs)
    .reduce((sum, other) => sum + (summary?.metrics[`http_reqs{slice:${sliceId(other)}}`]?.count ?? 0), 0);
  return all > 0 ? requests / all : 0;
}

function percent(ratio: number): string {
  return `${Math.round(ratio * 100)} %`;
}

export function maxVus(slice: Slice): number {
  return Math.max(0, ...slice.steps.map((s) => s.vus));
}
