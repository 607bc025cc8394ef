/** From a run's results to what the data file keeps of it. Pure. */

import { testDuets } from '../../src/analyse/judge/duet-pairs.ts';
import { type InstancePair, pairSlices } from '../../src/analyse/judge/pairs.ts';
import { poolLatency } from '../../src/analyse/rows/pool.ts';
import type { CompareMetric, Duet, Measurement, Results } from '../../src/results/results.ts';
import { cpuByInstance } from './calibration.ts';
import {
  type ArmSummary,
  type Arms,
  type ComparisonLine,
  DUET_COLUMNS,
  type DuetColumn,
  type InstanceSummary,
  SLICE_COLUMNS,
  type SliceColumn,
} from './data.ts';

/** The slices of the app as it is checked out, and of the base that it was compared with. */
export function armsOf({ variants, measurements }: Results): Arms {
  const head = variants.find(({ base }) => base !== null);
  const base = variants.find(({ id }) => id === head?.base);
  if (!head || !base) throw new Error('the run has no two arms');
  const of = (id: string) => measurements.filter((slice) => slice.variant === id);
  return { base: of(base.id), head: of(head.id) };
}

export function describeRun(
  results: Results,
): Pick<ComparisonLine, 'plan' | 'slices' | 'duets' | 'instances' | 'comparisons' | 'warnings'> {
  const [scenario] = results.plan.scenarios;
  if (!scenario) throw new Error('the run had no scenario');
  const { base, head } = armsOf(results);
  return {
    plan: {
      instances: results.plan.instances,
      blocks: scenario.blocks,
      load: scenario.load,
      warmupMs: scenario.warmupMs,
      timeoutMs: scenario.timeoutMs,
      loadSeconds: results.run.loadSeconds,
    },
    slices: toColumns([...base.map((slice) => rowOf(slice, 0)), ...head.map((slice) => rowOf(slice, 1))]),
    ...(results.duets.length > 0 && { duets: describeDuets(results.duets) }),
    instances: summariseInstances(base, head, results.duets),
    comparisons: results.comparisons,
    warnings: [...new Set(results.warnings.map(({ code }) => code))],
  };
}

type Row = Record<SliceColumn, number | null>;

function rowOf(slice: Measurement, head: 0 | 1): Row {
  const { latency, cpu, memory, generator, guards } = slice;
  return {
    instance: slice.instance,
    block: slice.block,
    head,
    ok: slice.outcome === 'ok' ? 1 : 0,
    requests: slice.requests,
    failures: slice.requests - slice.okCount,
    rps: slice.achievedRps,
    cpuUs: cpu?.perRequestUs ?? null,
    p50Ms: latency?.p50Ms ?? null,
    p95Ms: latency?.p95Ms ?? null,
    p99Ms: latency?.p99Ms ?? null,
    memoryBytes: memory?.medianBytes ?? null,
    serverBusy: cpu?.busyRatio ?? null,
    interrupted: slice.interrupted,
    k6Busy: generator.busyRatio,
    bound: generator.bound ? 1 : 0,
    foreign: guards.foreignCpuRatio,
    steal: guards.stealRatio,
    stallMs: guards.stallMs,
    overlapMs: guards.overlapMs,
  };
}

function toColumns(rows: readonly Row[]): ComparisonLine['slices'] {
  return Object.fromEntries(SLICE_COLUMNS.map((name) => [name, rows.map((row) => orNull(row[name]))]));
}

/** The ln-ratios by which any other rule can judge again. */
export function summariseInstances(
  base: readonly Measurement[],
  head: readonly Measurement[],
  duets: readonly Duet[] = [],
): InstanceSummary[] {
  const pairs = pairSlices(head, base, duets);
  const instances = [...new Set(base.map(({ instance }) => instance))].sort((a, b) => a - b);
  return instances.flatMap((instance) => {
    const of = (slices: readonly Measurement[]) =>
      summariseArm(slices.filter((s) => s.instance === instance));
    const [a, b] = [of(base), of(head)];
    if (!a || !b) return [];
    const ln: Record<CompareMetric, number | null> = {
      rps: lnRatio(a.rps, b.rps),
      p50: lnRatio(a.p50Ms, b.p50Ms),
      p95: lnRatio(a.p95Ms, b.p95Ms),
      p99: lnRatio(a.p99Ms, b.p99Ms),
      cpu: duetOf(pairs, instance) ?? lnRatio(a.cpuUs, b.cpuUs),
      memory: lnRatio(a.memoryBytes, b.memoryBytes),
      services: null,
    };
    return [{ instance, base: a, head: b, ln }];
  });
}

/** As `testDuets` takes it for the value. */
function duetOf(pairs: readonly InstancePair[], instance: number): number | null {
  const test = testDuets(pairs.filter((pair) => pair.instance === instance));
  return test && Math.round(test.mean * 1e6) / 1e6;
}

function describeDuets(duets: readonly Duet[]): NonNullable<ComparisonLine['duets']> {
  const rows = duets.map(
    ({ sides: { variant, base }, guards, ...duet }): Record<DuetColumn, number | null> => ({
      ...{ instance: duet.instance, block: duet.block, headFirst: duet.first === 'variant' ? 1 : 0 },
      ...{ ok: duet.outcome === 'ok' ? 1 : 0, headRequests: variant.requests, headUs: variant.cpuUs },
      ...{ baseRequests: base.requests, baseUs: base.cpuUs },
      ...{ foreign: guards.foreignCpuRatio, steal: guards.stealRatio, stallMs: guards.stallMs },
    }),
  );
  return Object.fromEntries(DUET_COLUMNS.map((name) => [name, rows.map((row) => orNull(row[name], 9))]));
}

function summariseArm(all: readonly Measurement[]): ArmSummary | null {
  const slices = all.filter(({ outcome }) => outcome === 'ok');
  const [first] = slices;
  if (!first) return null;
  const pooled = poolLatency(slices);
  const at = (p: number) => pooled?.percentiles.find((point) => point.p === p)?.ms ?? null;
  const memory = slices.flatMap((slice) => slice.memory?.medianBytes ?? []);
  const counts = new Map<number, number>();
  for (const [bucket, count] of slices.flatMap(({ histogram }) => histogram)) {
    counts.set(bucket, (counts.get(bucket) ?? 0) + count);
  }
  let last = 0;
  const histogram = [...counts]
    .sort(([a], [b]) => a - b)
    .flatMap(([bucket, count]) => {
      const step = bucket - last;
      last = bucket;
      return [step, count];
    });
  return {
    rps: shorten(slices.reduce((sum, slice) => sum + slice.achievedRps, 0) / slices.length),
    cpuUs: orNull(cpuByInstance(slices).get(first.instance)),
    p50Ms: orNull(at(50)),
    p95Ms: orNull(at(95)),
    p99Ms: orNull(at(99)),
    memoryBytes: memory.length > 0 ? Math.max(...memory) : null,
    histogram,
  };
}

function lnRatio(base: number | null, head: number | null): number | null {
  return base && head ? Math.round(Math.log(head / base) * 1e6) / 1e6 : null;
}

function orNull(value: number | null | undefined, digits = 6): number | null {
  return value == null ? null : shorten(value, digits);
}

/** Six digits: far below any noise. */
function shorten(value: number, digits = 6): number {
  return Number(value.toPrecision(digits));
}
