/** Judges a line of the data file again, by the rule as it is now. Pure. */
import { compare } from '../../src/analyse/judge/compare.ts';
import { isDisturbed } from '../../src/analyse/judge/pairs.ts';
import {
  type Comparison,
  type Duet,
  type Histogram,
  type Latency,
  Measurement,
  type Results,
  type Variant,
} from '../../src/results/results.ts';
import {
  type ArmSummary,
  type ComparisonLine,
  DUET_COLUMNS,
  type DuetColumn,
  SLICE_COLUMNS,
  type SliceColumn,
} from './data.ts';

const SCENARIO = 'quick';

/**
 * Verdicts of `compare` on these numbers, against the base of `compare-to`. Percentiles are those of all good slices
 * of an instance together, so only they can differ by what guards have dropped.
 */
export function judgeAgain(line: ComparisonLine): Comparison[] {
  return line.machine === null || !line.slices.instance ? [] : compare(restore(line));
}

type Row = Record<SliceColumn, number | null>;

/** The results as far as verdicts need them. */
export function restore(line: ComparisonLine): Results {
  const { slices } = line;
  const rows = (slices.instance ?? []).map(
    (_, i) => Object.fromEntries(SLICE_COLUMNS.map((name) => [name, slices[name]?.[i] ?? null])) as Row,
  );
  const measurements = rows.map(restoreSlice);
  for (const { instance, base, head } of line.instances) {
    const good = measurements.filter((m) => m.instance === instance && m.outcome === 'ok' && !isDisturbed(m));
    const block = good.find((m) => good.filter((other) => other.block === m.block).length === 2)?.block;
    for (const [variant, arm] of [
      ['base', base],
      ['head', head],
    ] as const) {
      const at = good.find((m) => m.variant === variant && m.block === block);
      // The only slice of its instance that has samples: its percentiles are those of the instance.
      if (at) Object.assign(at, { histogram: restoreHistogram(arm.histogram), latency: restoreLatency(arm) });
    }
  }
  const { plan } = line;
  return {
    schema: 1,
    tool: { name: 'php-runtime-bench', version: line.tool.version, k6: line.tool.k6 },
    run: {
      ...{ id: line.id, seed: line.seed, command: [], started: line.started, finished: line.started },
      ...{ wallSeconds: line.wallSeconds, loadSeconds: plan.loadSeconds, overheadRatio: 0, stopped: null },
    },
    host: line.machine as NonNullable<ComparisonLine['machine']>,
    plan: {
      instances: plan.instances,
      cpus: { server: [], load: [], system: [], services: [], source: 'found' },
      scenarios: [
        {
          ...{ name: SCENARIO, title: '', journey: '', load: plan.load, timeoutMs: plan.timeoutMs },
          ...{ warmupMs: plan.warmupMs, blocks: plan.blocks, reuse: true, maxVus: null, slo: {} },
        },
      ],
      ...{
        estimatedSeconds: 0,
        steps: rows.length,
        reference: null,
        shard: null,
        budgetSeconds: null,
        durationScale: 1,
        gates: [],
      },
      compareTo: { given: 'base', ref: 'base', commit: null, reason: null },
    },
    variants: [restoreVariant('base', 'base', null), restoreVariant('head', null, 'base')],
    measurements,
    duets: restoreDuets(line),
    searches: [],
    profiles: [],
    counts: [],
    comparisons: [],
    warnings: [],
  };
}

function restoreVariant(id: string, ref: string | null, base: string | null): Variant {
  return {
    ...{ id, label: id, app: 'app', ref, base, php: '', runtime: '', title: '', model: 'per-request' },
    ...{ options: {}, image: null, facts: null, coldStartMs: [], coldStart: null, failure: null },
  };
}

/** Parsed, so that what the schema has gained since then gets its default. */
function restoreSlice(row: Row, slice: number): Measurement {
  const requests = row.requests ?? 0;
  return Measurement.parse({
    ...{ variant: row.head ? 'head' : 'base', scenario: SCENARIO },
    ...{ instance: row.instance ?? 0, block: row.block ?? 0, slice },
    ...{
      outcome: row.ok ? 'ok' : 'failed',
      reason: row.ok ? null : 'failed',
      startedMs: 0,
      durationMs: 1000,
    },
    ...{ requests, okCount: requests - (row.failures ?? 0), iterations: requests, dropped: 0 },
    ...{ interrupted: row.interrupted ?? 0, offeredRps: null, achievedRps: row.rps ?? 0 },
    ...{ bytesReceived: 0, bytesSent: 0 },
    latency: restoreLatency(row),
    ...{ histogram: [], errors: [], endpoints: [], steps: [], processes: null, series: [] },
    cpu:
      row.cpuUs === null
        ? null
        : {
            ...{ usedUs: row.cpuUs * requests, perRequestUs: row.cpuUs, busyRatio: row.serverBusy ?? 0 },
            ...{ throttledUs: 0, idleUsPerSecond: null },
          },
    memory: row.memoryBytes === null ? null : { medianBytes: row.memoryBytes, maxBytes: row.memoryBytes },
    generator: { cpuUs: null, busyRatio: row.k6Busy, bound: row.bound === 1, reasons: [] },
    guards: {
      ...{ foreignCpuRatio: row.foreign, stealRatio: row.steal },
      ...{ stallMs: row.stallMs, overlapMs: row.overlapMs },
    },
  });
}

/** Only percentiles that are compared were kept. */
function restoreLatency(kept: Pick<ArmSummary, 'p50Ms' | 'p95Ms' | 'p99Ms'>): Latency {
  const [p50Ms, p95Ms, p99Ms] = [kept.p50Ms ?? 0, kept.p95Ms ?? 0, kept.p99Ms ?? 0];
  return {
    ...{
      minMs: 0,
      avgMs: p50Ms,
      p50Ms,
      p66Ms: p50Ms,
      p75Ms: p50Ms,
      p80Ms: p50Ms,
      p85Ms: p50Ms,
      p90Ms: p50Ms,
    },
    ...{ p95Ms, p98Ms: p95Ms, p99Ms, p99_9Ms: p99Ms, p99_99Ms: p99Ms, maxMs: Number.MAX_VALUE },
  };
}

function restoreDuets({ duets = {} }: ComparisonLine): Duet[] {
  return (duets.instance ?? []).map((_, i): Duet => {
    const row = Object.fromEntries(DUET_COLUMNS.map((name) => [name, duets[name]?.[i] ?? null])) as Record<
      DuetColumn,
      number | null
    >;
    const side = (requests: number | null, cpuUs: number | null) => ({
      ...{ requests: requests ?? 0, failures: 0, cpuUs },
    });
    return {
      ...{ duet: true, variant: 'head', base: 'base', scenario: SCENARIO },
      ...{ instance: row.instance ?? 0, block: row.block ?? 0, first: row.headFirst ? 'variant' : 'base' },
      ...{ outcome: row.ok ? 'ok' : 'failed', reason: null, startedMs: 0, durationMs: 1020 },
      sides: { variant: side(row.headRequests, row.headUs), base: side(row.baseRequests, row.baseUs) },
      guards: {
        ...{ foreignCpuRatio: row.foreign, stealRatio: row.steal },
        ...{ stallMs: row.stallMs, overlapMs: null },
      },
    };
  });
}

function restoreHistogram(steps: ArmSummary['histogram']): Histogram {
  let bucket = 0;
  return Array.from({ length: steps.length / 2 }, (_, i) => {
    bucket += steps[2 * i] as number;
    return [bucket, steps[2 * i + 1] as number];
  });
}
