import type { Quantile } from '../results/quantiles.ts';
import type {
  CheckedPage,
  Comparison,
  Evidence,
  Gate,
  Probe,
  Results,
  ScenarioFacts,
  Variant,
  Warning,
} from '../results/results.ts';
import type { Estimate } from '../stats/estimate.ts';
import type { CountCheck, CountRow } from './counted.ts';
import type { Why } from './why/why-model.ts';

/** Result of `analyse` on results.json, and the only input of `report`. Units are in the names. */
export interface Summary {
  tool: Results['tool'];
  run: Results['run'];
  host: Results['host'];
  plan: Results['plan'];
  variants: readonly Variant[];
  scenarios: readonly ScenarioSummary[];
  /** One per gate of the plan, in its order. */
  gates: readonly GateResult[];
  warnings: readonly Warning[];
  /** Pages that were checked before the load; empty in results of older versions. */
  checked: readonly CheckedPage[];
  /** The functions that spend CPU time; empty if nothing was profiled. */
  why: readonly Why[];
}

export interface ScenarioSummary {
  facts: ScenarioFacts;
  /** `closed`: clients wait for their answer, so RPS shows how fast. `open`: the rate is given, so latency does. */
  model: 'closed' | 'open';
  /** Fresh starts under this load, of the variant that had the most: fewer than planned where a run was cut short. */
  starts: number;
  /** Metric of the ranking. */
  metric: Metric | 'holds';
  /** Variants of what was checked out: ranked first, best on top; then generator-bound, unranked, failed. */
  rows: readonly Row[];
  /** Variants of the other ref, in the plan's order: never ranked against other runtimes, shown beside their head. */
  bases: readonly Row[];
  /** `paired`: ranks are from paired tests; `intervals`: too few fresh starts for those, 95 % intervals that do not overlap. */
  basis: 'paired' | 'intervals';
  /** Variant id of the one that is surely ahead of all other ranked ones; null when none is. */
  best: string | null;
  /** Variant id of the ranked one that surely needs the least CPU per request; null when none does. */
  cheapest: string | null;
  /**
   * By variant in the order of the plan, then `base`, `earlier`, `reference`. The metric that fits the situation comes
   * first in each; those that a gate names are primary, too.
   */
  comparisons: readonly Comparison[];
  /**
   * The smallest change that every comparison of a kind would have found with 95 % power in the metric that fits the
   * situation. It is a share, or null if there is none or its spread is not known.
   */
  detectable: { base: number | null; reference: number | null };
  guards: GuardCounts;
  /** Counts per request, from a pass of their own; empty if nothing was counted. */
  counts: readonly CountRow[];
  /** With `tune`: one for each runtime that has the option and whose chosen value could be ranked. */
  tuned: readonly Tuned[];
}

/** Results for the values of one option on one runtime; see `tune.ts`. */
export interface Tuned {
  option: string;
  /** Measure that they are compared by: the capacity if it was searched for, else the metric of the ranking. */
  measure: ScenarioSummary['metric'] | 'capacity';
  /** Ids of variants: as it was chosen; the best that is surely better than that, or null; all that gave a number. */
  own: string;
  best: string | null;
  /** How many times as good the best is as the chosen one, above 1: of paired starts where there are enough. Null without one. */
  gain: number | null;
  tried: readonly string[];
  /** Fresh starts that the numbers are from, of the value that had the fewest. */
  starts: number;
}

/** Slices, and windows in which two were loaded at once, in which a guard saw something that is not the server's doing. */
export interface GuardCounts {
  slices: number;
  /** Slices with any of the three. */
  disturbed: number;
  foreignCpu: number;
  steal: number;
  stall: number;
  /** Pairs of slices that comparisons left out, as one of the two was disturbed, void or failed; all comparisons together. */
  dropped: number;
}

/** Result of one `fail-on`. */
export interface GateResult {
  gate: Gate;
  /** Comparisons that the gate applies to; empty if nothing measured fits it. */
  checks: readonly GateCheck[];
  /** The same of a gate on a count. */
  counts: readonly CountCheck[];
  failed: boolean;
  /** Not one of them could be judged. */
  unjudged: boolean;
  /** Other gates name all metrics that it would check. */
  isCovered?: true;
}

export interface GateCheck {
  comparison: Comparison;
  failed: boolean;
  /** Whether the limit was kept is known. */
  judged: boolean;
}

export type Metric = 'rps' | 'p95' | 'p99';

export type RowState =
  /** Place = 1 + the number of variants that are surely better; shared by those that do not surely differ. */
  | { kind: 'ranked'; rank: number; shared: boolean }
  /** A variant of the other ref: measured well, but not in the ranking. */
  | { kind: 'base' }
  /** The load generator was the limit: RPS is a lower bound and no rank can be given. */
  | { kind: 'generator-bound'; reason: string }
  | { kind: 'unranked'; cause: 'ok-ratio' | 'checks' | 'script' | 'rate-missed' | 'no-data'; reason: string }
  | { kind: 'failed'; stage: string; reason: string; log: string; answer?: Evidence };

/** One variant in one scenario. Null: not measured. */
export interface Row extends Record<Quantile, PercentileEstimate | null> {
  /** Id of the variant. */
  variant: string;
  label: string;
  state: RowState;
  slices: { ok: number; failed: number; void: number; generatorBound: number };
  /** Requests and right answers in all slices that are not void. */
  requests: number;
  okCount: number;
  /** Right answers ÷ requests, those that never got an answer included. */
  okRatio: number | null;
  rps: Estimate | null;
  /** For open-model loads. */
  offeredRps: number | null;
  /** For ramps: the highest offered rate that was held within the pass criteria. */
  holds: Held | null;
  /** The highest constant rate within the pass criteria, if a search was made. */
  capacity: Capacity | null;
  /** For long, steady load. */
  soak: Soak | null;
  latency: PooledLatency | null;
  cpuMsPerRequest: Estimate | null;
  /** Share of the server's CPUs in use, 0…1. */
  cpuBusyRatio: number | null;
  memory: { medianBytes: number; maxBytes: number } | null;
  processes: { median: number; max: number } | null;
  coldStartMs: number | null;
  /** Share of the load CPUs that k6 used, 0…1. */
  generatorBusyRatio: number | null;
  /** k6 was more than half busy: part of the latency may be its own. */
  latencyDoubtful: boolean;
  /** Percentiles to which k6 is expected to have added more than a tenth (`isDoubtful`). */
  doubtful: readonly Quantile[];
  /** Iterations that could not start in time. */
  dropped: number;
  droppedRatio: number;
  /** Requests still unanswered when k6 ended. */
  interrupted: number;
  bytesReceived: number;
  /** Latency criteria of the scenario that were not met, in words. */
  sloMissed: readonly string[];
  /** One row an endpoint, then 'Aggregated'. */
  endpoints: readonly EndpointRow[];
  errors: readonly ErrorRow[];
  /** Worst first; empty: nothing was checked, or a bundled journey found nothing wrong. */
  checks: readonly CheckRow[];
  /** Null: no script of the user's own. */
  script: ScriptRow | null;
}

/** A `check` of a k6 script over all slices. Names are untrusted text. */
export interface CheckRow {
  name: string;
  /** `::checkout::pay`; empty: in none. */
  group: string;
  passes: number;
  fails: number;
}

/** How often something happened, and the first message; untrusted text. */
export interface ScriptEvent {
  count: number;
  first: string | null;
}

/** Report of a user's k6 script; see `scripted.ts`. */
export interface ScriptRow {
  slices: number;
  iterations: number;
  /** Iterations that threw, lines of `console.error`, slices that the script ended itself, or marked as failed. */
  thrown: ScriptEvent;
  printed: ScriptEvent;
  aborted: ScriptEvent;
  failed: ScriptEvent;
  /** Its own metrics. */
  metrics: readonly MetricRow[];
  thresholds: readonly ThresholdRow[];
  /** Checks and metrics that were too many to be kept. */
  left: number;
}

/** A metric of a script over all slices. */
export interface MetricRow extends Record<Quantile, number | null> {
  name: string;
  type: 'trend' | 'rate' | 'counter' | 'gauge';
  /** `time`: ms, `data`: bytes, `default`. */
  contains: string;
  /** Trend: samples. Rate: how often it was added to. Counter: its sum. Gauge: slices. */
  count: number;
  /** Trend: the mean. Gauge: the last value. */
  value: number | null;
  min: number | null;
  max: number | null;
  /** Rate: share of what was true. */
  ratio: number | null;
}

/** A threshold of a script, over all slices of a variant. */
export interface ThresholdRow {
  metric: string;
  condition: string;
  /** `open`: it could not be judged, and `why`. */
  state: 'passed' | 'missed' | 'open';
  value: number | null;
  why: string | null;
}

/** The highest rate that a variant held, in requests per second. */
export interface Limit extends Estimate {
  /** `beyond`: held to the end of what was tried, or of what k6 could send, so `value` is a lower bound; `below`: never held. */
  kind: 'found' | 'beyond' | 'below';
}

/** Result of searches for the highest constant rate; see `capacity.ts`. */
export interface Capacity extends Limit {
  /** The probes of one search after the other, in the order in which they were made. */
  probes: readonly Probe[];
}

/** The knee of a variant; see `knee.ts`. */
export interface Held extends Limit {
  ramps: number;
  /** Every ramp was sustained to its highest rate. */
  isWhole: boolean;
  /** Requests and answers up to the knee, and in a ramp that gave in earlier up to its own; null if nothing was sustained. */
  upTo: { requests: number; okRatio: number | null; latency: PooledLatency | null } | null;
}

/** Effects of lasting steady load on a variant; see `soak.ts`. */
export interface Soak {
  /** How much its memory grew with every thousand requests. */
  bytesPerThousand: MeasuredSlope;
  /** The interval lies above zero as a whole. */
  leaks: boolean;
  /** Change of its RPS from start to end as a share; null for a given rate, or where it is not known within a slice. */
  decay: MeasuredSlope | null;
  seconds: number;
}

/** A slope with half of its 99 % interval. */
export interface MeasuredSlope {
  value: number;
  half: number;
}

/** Pooled from all samples; interval and range over the percentiles of the instances. */
export interface PercentileEstimate extends Estimate {
  /** Lowest and highest of the instances; null with fewer than two. */
  range: { low: number; high: number } | null;
}

/** The latency of all samples of the slices together; never a mean of percentiles. */
export interface PooledLatency {
  samples: number;
  minMs: number;
  avgMs: number;
  maxMs: number;
  /** `p` in percent. */
  percentiles: readonly { p: number; ms: number }[];
}

export interface EndpointRow {
  name: string;
  requests: number;
  failures: number;
  rps: number;
  failuresPerSecond: number;
  bytesPerResponse: number | null;
  latency: PooledLatency | null;
}

export interface ErrorRow {
  endpoint: string;
  kind: string;
  count: number;
  /** The first failing body; untrusted text. */
  sample: string | null;
  /** The whole of that answer, and what the app has logged while it was loaded. */
  answer?: Evidence;
  log?: string;
}
