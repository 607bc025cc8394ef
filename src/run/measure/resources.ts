import type { Slice } from '../../plan/timeline/slices.ts';
import type { Measurement } from '../../results/results.ts';
import { STALL } from '../../stats/limits.ts';
import { overlapMs } from '../load/drain.ts';
import { sliceId } from '../load/k6.ts';
import type { BatchOutcome } from './batch-outcome.ts';
import { shareTurns } from './shares.ts';

/** Resources that a server used in a slice, and disturbances of the slice, from the samples. */
export function readResources(
  outcome: BatchOutcome,
  slice: Slice,
  startedMs: number,
  durationMs: number,
  /** Turns of others included. */
  wholeMs: number,
  requests: number,
): Pick<Measurement, 'cpu' | 'memory' | 'processes' | 'series' | 'services' | 'guards' | 'idle'> {
  const { samples, batch, cpus, fronted } = outcome;
  const serverCpus = fronted?.has(slice.variant)
    ? [...new Set([...cpus.server, ...(cpus.front ?? [])])]
    : cpus.server;
  const container = outcome.containers.get(slice.variant) ?? -1;
  const drainedMs = startedMs + wholeMs + batch.drainMs;
  const usedUs = samples.usedUs(container, startedMs, drainedMs);
  const memory = samples.memoryBetween(startedMs, startedMs + wholeMs + 500);
  const own = memory
    .map((s) => ({ atMs: s.atMs, ...(s.containers[container] ?? none) }))
    .filter((s) => s.bytes >= 0);
  const throttledUs = own.length > 1 ? (own.at(-1)?.throttledUs ?? 0) - (own[0]?.throttledUs ?? 0) : 0;
  let last = startedMs;
  const idle = readIdle(outcome, slice, startedMs, durationMs);
  return {
    ...(idle.length > 0 && { idle }),
    cpu:
      usedUs === null
        ? null
        : {
            usedUs,
            perRequestUs: requests > 0 ? usedUs / requests : null,
            busyRatio: usedUs / (durationMs * 1000 * serverCpus.length),
            throttledUs,
            idleUsPerSecond: idleUsPerSecond(outcome, container, slice.variant),
          },
    memory: spread(
      own.map((s) => s.bytes),
      (medianBytes, maxBytes) => ({ medianBytes, maxBytes }),
    ),
    processes: spread(
      own.map((s) => s.processes),
      (median, max) => ({ median, max }),
    ),
    series: own.map((s) => {
      const cpuUs = samples.usedUs(container, last, s.atMs) ?? 0;
      last = s.atMs;
      return {
        atMs: Math.round(s.atMs - startedMs),
        cpuUs,
        memoryBytes: s.bytes,
        processes: s.processes,
        throttledUs: s.throttledUs,
      };
    }),
    services: readServices(outcome, slice, { startedMs, durationMs, drainedMs }, requests),
    guards: readGuards(outcome, slice, startedMs, drainedMs),
  };
}

/** The CPU time of services during a slice. Slices that take turns get a share each. */
function readServices(
  outcome: BatchOutcome,
  slice: Slice,
  { startedMs, durationMs, drainedMs }: Record<'startedMs' | 'durationMs' | 'drainedMs', number>,
  requests: number,
): Measurement['services'] {
  const { samples, services } = outcome;
  const used = [...services.values()].map((index) => samples.usedUs(index, startedMs, drainedMs));
  if (used.length === 0 || used.includes(null)) return null;
  const share = slice.turns ? shareOfServices(outcome, slice, startedMs, drainedMs) : 1;
  if (share === null) return null;
  const usedUs = share * used.reduce<number>((sum, us) => sum + (us ?? 0), 0);
  const { server, services: own } = outcome.cpus;
  const cpus = own.length > 0 ? own : server;
  return {
    usedUs,
    perRequestUs: requests > 0 ? usedUs / requests : null,
    busyRatio: usedUs / (durationMs * 1000 * cpus.length),
  };
}

function shareOfServices(
  { batch, samples, services }: BatchOutcome,
  slice: Slice,
  startedMs: number,
  drainedMs: number,
): number | null {
  const together = batch.slices.filter((other) => other.turns && other.startMs === slice.startMs);
  const turns = together.map(({ turns, turnMs }) =>
    (turns ?? []).map((at) => ({
      fromMs: startedMs + at * (turnMs ?? 0),
      toMs: startedMs + (at + 1) * (turnMs ?? 0),
    })),
  );
  const readings = samples.cpu
    .filter(({ atMs }) => atMs >= startedMs - 1000 && atMs <= drainedMs + 1000)
    .map(({ atMs, usedUs }) => ({
      atMs,
      usedUs: [...services.values()].reduce((sum, index) => sum + (usedUs[index] ?? 0), 0),
    }));
  return shareTurns(readings, turns)?.[together.indexOf(slice)] ?? null;
}

/** Disturbances of a slice between two times, unix ms. */
export function readGuards(
  { samples, cpus, batch, summary }: Pick<BatchOutcome, 'samples' | 'cpus' | 'batch' | 'summary'>,
  slice: Slice,
  fromMs: number,
  toMs: number,
): Measurement['guards'] {
  const disturbance = samples.disturbance(
    [...new Set([...cpus.server, ...cpus.load, ...cpus.services, ...(cpus.front ?? [])])],
    fromMs,
    toMs,
  );
  return {
    foreignCpuRatio: disturbance?.foreign ?? null,
    stealRatio: disturbance?.steal ?? null,
    stallMs: samples.stallMs(fromMs, toMs),
    overlapMs: overlapMs(batch, slice, fromMs, summary),
  };
}

/** Most often nothing was asked as the whole machine stood still. */
export function describeUnasked({ stallMs }: Measurement['guards']): string {
  const reason = 'k6 made no request';
  if (stallMs === null || stallMs <= STALL) return reason;
  return `${reason}, and the machine stood still for ${stallMs.toLocaleString('en')} ms`;
}

const none = { bytes: -1, processes: 0, throttledUs: 0, oomKills: 0 };

/**
 * CPU that a variant uses while others of the batch are loaded, µs a second; null if none is loaded beside it for 0.4 s. Only
 * the second half of a slice counts: the last requests of the slice before may be a part of the first.
 */
export function idleUsPerSecond(
  { batch, summary, samples }: Pick<BatchOutcome, 'batch' | 'summary' | 'samples'>,
  container: number,
  variant: string,
): number | null {
  let us = 0;
  let ms = 0;
  for (const slice of batch.slices) {
    const startedMs = summary?.metrics[`bench_slice_start{slice:${sliceId(slice)}}`]?.min;
    if (slice.variant === variant || slice.turns || slice.duet !== null) continue;
    if (!startedMs || slice.durationMs === null) continue;
    // A variant may have been warmed up later than this one: until then it is not idle but not yet at work.
    if (
      slice.warmup &&
      !batch.slices.slice(0, batch.slices.indexOf(slice)).some((s) => s.variant === variant)
    )
      continue;
    const half = slice.durationMs / 2;
    const used = samples.usedWithinUs(container, startedMs + half, startedMs + slice.durationMs);
    if (used === null) continue;
    us += used;
    ms += half;
  }
  return ms === 0 ? null : us / (ms / 1000);
}

/**
 * The same of every other variant, if only one is loaded by this k6 process, as by a user's script: no other slice of the batch
 * shows it. A variant whose container is gone is left out.
 */
function readIdle(
  { batch, containers, samples }: BatchOutcome,
  slice: Slice,
  startedMs: number,
  durationMs: number,
): NonNullable<Measurement['idle']> {
  if (slice.turns || batch.slices.some(({ variant }) => variant !== slice.variant)) return [];
  const half = durationMs / 2;
  return [...containers].flatMap(([variant, container]) => {
    if (variant === slice.variant) return [];
    const used = samples.usedWithinUs(container, startedMs + half, startedMs + durationMs);
    return used === null ? [] : [{ variant, usPerSecond: used / (half / 1000) }];
  });
}

function spread<T>(values: number[], make: (median: number, max: number) => T): T | null {
  const sorted = values.toSorted((a, b) => a - b);
  const median = sorted[Math.floor((sorted.length - 1) / 2)];
  return median === undefined ? null : make(median, sorted.at(-1) as number);
}
