import * as z from 'zod';

/**
 * `results.json`, version 1: everything that `analyse` and `report` need. Units are in the names.
 * The JSON Schema in `schema/` is generated from here.
 */

const count = z.int().nonnegative();
const ratio = z.number().min(0).max(1);

/** Percentiles of one slice, exact (k6 keeps every sample). All in ms. */
export const Latency = z.object({
  minMs: z.number(),
  avgMs: z.number(),
  p50Ms: z.number(),
  p66Ms: z.number(),
  p75Ms: z.number(),
  p80Ms: z.number(),
  p85Ms: z.number(),
  p90Ms: z.number(),
  p95Ms: z.number(),
  p98Ms: z.number(),
  p99Ms: z.number(),
  p99_9Ms: z.number(),
  p99_99Ms: z.number(),
  maxMs: z.number(),
});

const buckets = z.array(z.tuple([z.int(), count]));

/**
 * Mergeable distribution of latencies: sparse log buckets. Bucket i holds latencies in
 * (0.001·1.01^(i-1), 0.001·1.01^i] ms, so a pooled percentile is off by at most 1 %.
 * Checked as it is: a large run has millions of these pairs, and copies of them would take most of its memory.
 */
export const Histogram = z.custom<z.infer<typeof buckets>>(isHistogram, 'not pairs of a bucket and a count');

function isHistogram(value: unknown): boolean {
  return (
    Array.isArray(value) &&
    value.every(
      (pair) => Array.isArray(pair) && pair.length === 2 && pair.every(Number.isSafeInteger) && pair[1] >= 0,
    )
  );
}

export const Endpoint = z.object({
  name: z.string(),
  requests: count,
  failures: count,
  bytesPerResponse: z.number().nullable(),
  latency: Latency.nullable(),
  histogram: Histogram,
});

/** kind: `timeout`, `refused`, `reset`, `interrupted`, `http 500`, `wrong answer`, … */
export const RequestError = z.object({
  kind: z.string(),
  endpoint: z.string(),
  count,
  /** The first failing body, shortened; untrusted text. */
  sample: z.string().nullable(),
});

/** One step of a ramp (or the only one): what was offered and what came of it. */
export const Step = z.object({
  offsetMs: z.number(),
  durationMs: z.number(),
  offeredRps: z.number().nullable(),
  vus: count.nullable(),
  requests: count,
  failures: count,
  dropped: count,
  latency: Latency.nullable(),
});

export const Measurement = z.object({
  variant: z.string(),
  scenario: z.string(),
  instance: count,
  block: count,
  /** Number of the slice in the plan. */
  slice: count,
  outcome: z.enum(['ok', 'failed', 'void']),
  reason: z.string().nullable(),
  /** Unix time of the first request. */
  startedMs: z.number(),
  durationMs: z.number(),
  /** The slices of a block took turns of this length, ms; null: one after the other, in one piece. */
  turnMs: z.number().nullable().default(null),
  requests: count,
  okCount: count,
  iterations: count,
  /** Iterations that k6 could not start in time because no VU was free. */
  dropped: count,
  /** Requests still unanswered when the slice's grace period (the timeout) ended. */
  interrupted: count,
  /** Null for the closed model. */
  offeredRps: z.number().nullable(),
  achievedRps: z.number(),
  bytesReceived: count,
  bytesSent: count,
  latency: Latency.nullable(),
  histogram: Histogram,
  errors: z.array(RequestError),
  endpoints: z.array(Endpoint),
  steps: z.array(Step),
  /** From the container's cgroup, over the slice; null where it could not be read. */
  cpu: z
    .object({
      usedUs: z.number(),
      perRequestUs: z.number().nullable(),
      /** Share of the server's CPU set that was used, 0…1. */
      busyRatio: z.number(),
      throttledUs: z.number(),
      /** CPU that this variant used while others were loaded, per second of that time. */
      idleUsPerSecond: z.number().nullable(),
    })
    .nullable(),
  memory: z.object({ medianBytes: z.number(), maxBytes: z.number() }).nullable(),
  processes: z.object({ median: z.number(), max: z.number() }).nullable(),
  /** Resource samples of ≤ 1 s: offset from the slice's start, CPU since the sample before, memory, processes. */
  series: z.array(
    z.object({
      atMs: z.number(),
      cpuUs: z.number(),
      memoryBytes: z.number(),
      processes: z.number(),
      throttledUs: z.number(),
    }),
  ),
  /** CPU of the services together, such as a database, over the slice; null: there are none, or it could not be read. */
  services: z
    .object({ usedUs: z.number(), perRequestUs: z.number().nullable(), busyRatio: z.number() })
    .nullable()
    .default(null),
  generator: z.object({
    cpuUs: z.number().nullable(),
    /** Share of the load CPUs that k6 used, 0…1. */
    busyRatio: z.number().nullable(),
    /** The load generator, not the server, set the limit: RPS is a lower bound. */
    bound: z.boolean(),
    reasons: z.array(z.string()),
  }),
  guards: z.object({
    /** CPU used on the server's and the load's cores by neither of them, as a share. */
    foreignCpuRatio: z.number().nullable(),
    stealRatio: z.number().nullable(),
    /** How late the sampler woke at worst, ms: a machine that stands still shows here even when no time is stolen. */
    stallMs: z.number().nullable().default(null),
    /** How long requests of the slices before it were still under way in this one. */
    overlapMs: z.number().nullable().default(null),
  }),
});

const DuetSide = z.object({
  requests: count,
  failures: count,
  /** Of its container, over the window; null where it could not be read. */
  cpuUs: z.number().nullable(),
});

/**
 * Both refs of a variant loaded at once, each by clients of its own on the same CPUs, so that what disturbs meets both.
 * It tells what a request costs the one compared with the other, and nothing else of either.
 */
export const Duet = z.object({
  duet: z.literal(true),
  variant: z.string(),
  base: z.string(),
  scenario: z.string(),
  instance: count,
  block: count,
  outcome: z.enum(['ok', 'failed', 'void']),
  reason: z.string().nullable(),
  startedMs: z.number(),
  durationMs: z.number(),
  /** Whose clients began first: they may keep their place in the queue for a CPU. */
  first: z.enum(['variant', 'base']),
  sides: z.object({ variant: DuetSide, base: DuetSide }),
  guards: Measurement.shape.guards,
});

/** One constant rate that was tried, and what came of it once pools and queues had had a second to get used to it. */
export const Probe = z.object({
  /** Requests per second. */
  offeredRps: z.number(),
  /** Right answers per second, less those that only wait longer than the ones before. */
  servedRps: z.number(),
  requests: count,
  failures: count,
  /** Iterations that could not start as no client was free. */
  dropped: count,
  latency: z.object({ p50Ms: z.number(), p95Ms: z.number(), p99Ms: z.number() }).nullable(),
  /** Within the pass criteria, and all but nothing was left over. */
  held: z.boolean(),
  /** Why it was the load generator's doing rather than the server's; null: it was not. */
  generator: z.string().nullable(),
  /** What the server died of; null: it lived on. */
  died: z.string().nullable(),
});

/** Constant rates tried one after the other on one start of a variant, to find the highest that it holds. */
export const Search = z.object({
  search: z.literal(true),
  variant: z.string(),
  scenario: z.string(),
  instance: count,
  /** In the order in which they were made. */
  probes: z.array(Probe),
});

/** What the running server said of itself on /.php-runtime-bench/facts. Untrusted text. */
export const Facts = z.object({
  php: z.string(),
  sapi: z.string(),
  zts: z.boolean(),
  server: z.string(),
  opcache: z.boolean(),
  jit: z.string(),
  ini: z.record(z.string(), z.string()),
  extensions: z.array(z.string()),
});

export const Failure = z.object({
  stage: z.enum(['build', 'start', 'verify', 'run']),
  reason: z.string(),
  /** Last lines of the build's or the container's log; untrusted text. */
  log: z.string(),
});

/** Fresh starts timed one by one, from the request to start the container to the first right answer. */
export const ColdStart = z.object({
  /** `hyperfine 1.15.0` */
  tool: z.string(),
  /** What was asked for. */
  path: z.string(),
  timesMs: z.array(z.number()),
});

const optionValue = z.union([z.string(), z.number(), z.boolean()]);

const Image = z.object({
  name: z.string(),
  id: z.string(),
  sizeBytes: count,
  buildSeconds: z.number(),
  bases: z.array(
    z.object({
      name: z.string(),
      used: z.string(),
      id: z.string().nullable(),
      digest: z.string().nullable(),
    }),
  ),
});

export const Variant = z.object({
  /** `nginx-fpm@8.4[listen=unix,workers=80]`, with `app/` before it when there are several apps. */
  id: z.string(),
  /** The alias, else the id. */
  label: z.string(),
  app: z.string(),
  /** The git ref or image of `compare-to`; null: what was checked out. */
  ref: z.string().nullable(),
  /** Id of the variant of the other ref that this one is compared with; null when there is none. */
  base: z.string().nullable().default(null),
  php: z.string(),
  runtime: z.string(),
  title: z.string(),
  model: z.enum(['per-request', 'long-lived']),
  /** Options as in force, defaults included. */
  options: z.record(z.string(), optionValue),
  image: Image.nullable(),
  /** Of what stands before it, by the option `front`; its CPU and memory are counted with the variant's. */
  front: Image.optional(),
  facts: Facts.nullable(),
  /** Container start → first correct answer, in the first instance, where one starts after the other. */
  coldStartMs: z.array(z.number()),
  coldStart: ColdStart.nullable().default(null),
  failure: Failure.nullable(),
});

export const Warning = z.object({
  /** Stable, kebab-case: `generator-bound`, `shared-cores`, … */
  code: z.string(),
  message: z.string(),
  remedy: z.string(),
  variant: z.string().nullable(),
});

export const CompareMetric = z.enum(['rps', 'p50', 'p95', 'p99', 'cpu', 'memory']);

/** One variant against another in one metric; see docs/method.md. Ratios are variant ÷ reference. */
export const Comparison = z.object({
  variant: z.string(),
  reference: z.string(),
  /** `base`: the other ref; `reference`: another variant of this run; `earlier`: the same variant in an older results.json. */
  against: z.enum(['base', 'reference', 'earlier']),
  scenario: z.string(),
  metric: CompareMetric,
  /** The metric that fits the situation; its tests are corrected together (Holm), the rest as notes (Benjamini–Hochberg). */
  primary: z.boolean(),
  ratio: z.number().nullable(),
  interval: z.object({ low: z.number(), high: z.number(), level: z.number() }).nullable(),
  /** `together`: both sides were loaded at once; `turns`: one soon after the other. */
  how: z.enum(['turns', 'together']).default('turns'),
  /** Pairs of fresh starts and of slices that it rests on, and pairs of slices that a guard dropped. */
  pairs: count,
  slices: count,
  dropped: count,
  /** SD of ln(ratio) between pairs of fresh starts. */
  spread: z.number().nullable(),
  p: z.number().nullable(),
  adjustedP: z.number().nullable(),
  /** Smallest change that this much data finds with 95 % power, as a share: 0.02 is 2 %. */
  detectable: z.number().nullable(),
  verdict: z.enum(['faster', 'slower', 'no-difference', 'inconclusive']),
  /** With `no-difference`: no difference above this share. */
  margin: z.number().nullable(),
  /** Why it is inconclusive or doubtful, in words. */
  reasons: z.array(z.string()),
});

/** `fail-on`: this much surely slower fails the run. */
export const Gate = z.object({
  /** As written. */
  source: z.string(),
  /** Null: the primary metric of the scenario. */
  metric: CompareMetric.nullable(),
  /** 0.03 is 3 %. */
  above: z.number(),
  /** Null: all. */
  scenario: z.string().nullable(),
  /** Name of a runtime, or label of a variant; null: all. */
  variant: z.string().nullable(),
});

export const CpuLayout = z.object({
  server: z.array(count),
  load: z.array(count),
  system: z.array(count),
  /** Of services, if there are any with cores of their own. */
  services: z.array(count).default([]),
  /** Of what stands before servers, if it has CPUs of its own. */
  front: z.array(count).optional(),
  /** How it came about: `found` from the topology or `given`. */
  source: z.enum(['found', 'given']),
});

export const ScenarioFacts = z.object({
  name: z.string(),
  title: z.string(),
  journey: z.string(),
  load: z.string(),
  timeoutMs: z.number(),
  warmupMs: z.number(),
  blocks: count,
  reuse: z.boolean(),
  maxVus: count.nullable(),
  slo: z.object({
    okRatio: ratio.optional(),
    p50Ms: z.number().optional(),
    p95Ms: z.number().optional(),
    p99Ms: z.number().optional(),
  }),
});

export const Host = z.object({
  cpuModel: z.string(),
  cpus: count,
  cores: count,
  threadsPerCore: z.number(),
  governor: z.string().nullable(),
  kernel: z.string(),
  os: z.string(),
  arch: z.string(),
  memoryBytes: count,
  cgroup: z.enum(['1', '2']),
  virtual: z.boolean(),
  engine: z.string(),
  buildx: z.string(),
});

export const Results = z.object({
  schema: z.literal(1),
  tool: z.object({ name: z.literal('php-runtime-bench'), version: z.string(), k6: z.string() }),
  run: z.object({
    id: z.string(),
    seed: count,
    command: z.array(z.string()),
    started: z.iso.datetime(),
    finished: z.iso.datetime(),
    wallSeconds: z.number(),
    /** Seconds under measured load, all slices together. */
    loadSeconds: z.number(),
    /** 1 − loadSeconds ÷ wallSeconds. */
    overheadRatio: z.number(),
    /** Signal name when the run was stopped before its plan was done. */
    stopped: z.string().nullable(),
  }),
  host: Host,
  plan: z.object({
    instances: count,
    cpus: CpuLayout,
    scenarios: z.array(ScenarioFacts),
    estimatedSeconds: z.number(),
    steps: count,
    /** Id of the variant that others are compared with; null: the first. */
    reference: z.string().nullable().default(null),
    /** Part `index` of `of`, from 1, each measured on a machine of its own beside the reference; null: all of it. */
    shard: z.object({ index: count, of: count }).nullable().default(null),
    budgetSeconds: z.number().nullable().default(null),
    /** The option whose values were compared. */
    tune: z.string().optional(),
    /** Share of their time that all loads were shortened to; 1: they are as their scenarios say. */
    durationScale: z.number().default(1),
    /** What `compare-to` asked for and what it stands for; `reason`: why there is nothing to compare with. */
    compareTo: z
      .object({
        given: z.string(),
        ref: z.string(),
        commit: z.string().nullable(),
        reason: z.string().nullable(),
      })
      .nullable()
      .default(null),
    gates: z.array(Gate).default([]),
  }),
  variants: z.array(Variant),
  measurements: z.array(Measurement),
  duets: z.array(Duet).default([]),
  searches: z.array(Search).default([]),
  comparisons: z.array(Comparison).default([]),
  warnings: z.array(Warning),
});

/** results.json as JSON Schema. */
export function resultsJsonSchema(): object {
  const { $schema: _, ...histogram } = z.toJSONSchema(buckets);
  return z.toJSONSchema(Results, {
    unrepresentable: ({ zodSchema }) => (zodSchema === Histogram ? histogram : 'throw'),
  });
}

export type Latency = z.infer<typeof Latency>;
export type Histogram = z.infer<typeof Histogram>;
export type Endpoint = z.infer<typeof Endpoint>;
export type RequestError = z.infer<typeof RequestError>;
export type Step = z.infer<typeof Step>;
export type Measurement = z.infer<typeof Measurement>;
export type Duet = z.infer<typeof Duet>;
export type Probe = z.infer<typeof Probe>;
export type Search = z.infer<typeof Search>;
export type Facts = z.infer<typeof Facts>;
export type ColdStart = z.infer<typeof ColdStart>;
export type Failure = z.infer<typeof Failure>;
export type Variant = z.infer<typeof Variant>;
export type Warning = z.infer<typeof Warning>;
export type CompareMetric = z.infer<typeof CompareMetric>;
export type Comparison = z.infer<typeof Comparison>;
export type Gate = z.infer<typeof Gate>;
export type CpuLayout = z.infer<typeof CpuLayout>;
export type ScenarioFacts = z.infer<typeof ScenarioFacts>;
export type HostFacts = z.infer<typeof Host>;
export type Results = z.infer<typeof Results>;
