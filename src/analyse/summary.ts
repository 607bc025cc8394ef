import type { Results, ScenarioFacts, Variant, Warning } from '../results.ts';
import type { Estimate } from './estimate.ts';

/** What `analyse` makes of results.json, and all that `report` gets to see. Units are in the names. */
export interface Summary {
  tool: Results['tool'];
  run: Results['run'];
  host: Results['host'];
  plan: Results['plan'];
  variants: readonly Variant[];
  scenarios: readonly ScenarioSummary[];
  warnings: readonly Warning[];
}

export interface ScenarioSummary {
  facts: ScenarioFacts;
  /** `closed`: clients wait for their answer, so RPS tells how fast. `open`: the rate is given, so latency does. */
  model: 'closed' | 'open';
  /** What the ranking is by. */
  metric: Metric;
  /** Ranked first, best on top; then generator-bound, unranked, failed. */
  rows: readonly Row[];
  /** Variant id of the one that is surely ahead of all other ranked ones; null when none is. */
  best: string | null;
  /** Variant id of the ranked one that surely needs the least CPU per request; null when none does. */
  cheapest: string | null;
  /** Every ranked variant against the one on top. */
  comparisons: readonly Comparison[];
}

export type Metric = 'rps' | 'p95' | 'p99';

export interface Comparison {
  variant: string;
  reference: string;
  metric: Metric;
  /** Variant ÷ reference. */
  ratio: number;
  verdict: 'better' | 'worse' | 'unclear';
}

export type RowState =
  /** Place = 1 + the number of variants that are surely better; shared by those that cannot be told apart. */
  | { kind: 'ranked'; rank: number; shared: boolean }
  /** The load generator was the limit: RPS is a lower bound and no rank can be given. */
  | { kind: 'generator-bound'; reason: string }
  | { kind: 'unranked'; cause: 'ok-ratio' | 'rate-missed' | 'no-data'; reason: string }
  | { kind: 'failed'; stage: string; reason: string; log: string };

/** One variant in one scenario. Null: not measured. */
export interface Row {
  /** Id of the variant. */
  variant: string;
  label: string;
  state: RowState;
  slices: { ok: number; failed: number; void: number; generatorBound: number };
  /** Fresh starts that gave at least one good slice. */
  instances: number;
  /** Requests and right answers in all slices that are not void. */
  requests: number;
  okCount: number;
  /** Right answers ÷ requests, those that never got an answer included. */
  okRatio: number | null;
  rps: Estimate | null;
  /** For open-model loads. */
  offeredRps: number | null;
  p50: PercentileEstimate | null;
  p95: PercentileEstimate | null;
  p99: PercentileEstimate | null;
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
  /** Iterations that could not start in time. */
  dropped: number;
  droppedRatio: number;
  /** Requests still unanswered when the grace period ended. */
  interrupted: number;
  bytesReceived: number;
  /** Latency criteria of the scenario that were not met, in words. */
  sloMissed: readonly string[];
  /** One row an endpoint, then 'Aggregated'. */
  endpoints: readonly EndpointRow[];
  errors: readonly ErrorRow[];
}

/** Pooled from all samples; interval and range over the percentiles of the instances. */
export interface PercentileEstimate extends Estimate {
  /** Lowest and highest of the instances; null with fewer than two. */
  range: { low: number; high: number } | null;
}

/** Of all samples of the slices together; never a mean of percentiles. */
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
}
