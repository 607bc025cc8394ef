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
  const { samples } = outcome;
  const toMs = m.startedMs + wholeMs;
  const usedUs = usedIn(samples, outcome.arena, slice, m.startedMs, toMs);
  // Requests cost k6 about the same wherever they go: of a stretch with turns each variant has its share of them.
  const cpuUs = usedUs === null ? null : usedUs * shareOfRequests(outcome, slice, m.requests);
  const busyRatio = cpuUs === null ? null : cpuUs / (m.durationMs * 1000 * outcome.loadCpus.length);
  const reasons: string[] = [];
  const together = samples.busy(outcome.loadCpus, m.startedMs, toMs);
  const others = (together ?? 0) - (usedUs ?? 0) / (wholeMs * 1000 * outcome.loadCpus.length);
  const whole = together === null ? null : (busyRatio ?? 0) + Math.max(0, others);
  if (busyRatio !== null && busyRatio > BUSY_LIMIT) {
    reasons.push(`k6 used ${percent(busyRatio)} of its CPUs`);
  } else if (busyRatio !== null && busyRatio > IDLE_LIMIT && whole !== null && whole > FULL_LIMIT) {
    reasons.push(`k6 used ${percent(busyRatio)} of its CPUs, and others the rest`);
  }
  reasons.push(...missedRate(slice, m, busyRatio));
  return { cpuUs, busyRatio, bound: reasons.length > 0, reasons };
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

/** Of several machines: each by its own CPUs, and whether all together made the rate. One that is bound binds all. */
function judgeTogether(
  generators: readonly Generator[],
  outcome: BatchOutcome,
  slice: Slice,
  m: Judged,
  wholeMs: number,
): Measurement['generator'] {
  const machines = generators.map(({ name, samples, cpus, aheadMs, summary }) => {
    const requests = summary?.metrics[`http_reqs{slice:${sliceId(slice)}}`]?.count ?? 0;
    const fromMs = m.startedMs + aheadMs;
    const usedUs = usedIn(samples, 0, slice, fromMs, fromMs + wholeMs);
    const cpuUs = usedUs === null ? null : usedUs * shareOfRequests({ ...outcome, summary }, slice, requests);
    const busyRatio = cpuUs === null ? null : cpuUs / (m.durationMs * 1000 * cpus);
    return { name, requests, cpuUs, busyRatio, bound: busyRatio !== null && busyRatio > BUSY_LIMIT };
  });
  const busy = machines.map(({ busyRatio }) => busyRatio);
  const busyRatio = busy.includes(null) ? null : Math.max(...(busy as number[]));
  const reasons = machines
    .filter(({ bound }) => bound)
    .map(({ name, busyRatio }) => `k6 on ${name} used ${percent(busyRatio ?? 0)} of its CPUs`);
  reasons.push(...missedRate(slice, m, busyRatio));
  const cpuUs = machines.some((one) => one.cpuUs === null)
    ? null
    : machines.reduce((sum, one) => sum + (one.cpuUs ?? 0), 0);
  const told = machines.map(({ cpuUs: _, ...machine }) => machine);
  return { cpuUs, busyRatio, bound: reasons.length > 0, reasons, machines: told };
}

function missedRate(slice: Slice, m: Judged, busyRatio: number | null): string[] {
  const reasons: string[] = [];
  // With time of its own left, k6 misses the offered rate because its VUs wait for the server: not its limit.
  const idle = busyRatio !== null && busyRatio < IDLE_LIMIT;
  if (m.offeredRps !== null && !idle) {
    const wanted = m.iterations + m.dropped;
    if (wanted > 0 && m.dropped / wanted > DROPPED_LIMIT) {
      reasons.push(`${m.dropped} iterations dropped: all VUs (${maxVus(slice)}) were waiting`);
    } else if (m.achievedRps < m.offeredRps * OFFERED_LIMIT) {
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
