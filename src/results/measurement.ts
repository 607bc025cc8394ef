import * as z from 'zod';
import { eachQuantile } from './quantiles.ts';

/** Measurements in `results.json`: slices, duets and searches. Units are in the names. */

const count = z.int().nonnegative();

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

export const buckets = z.array(z.tuple([z.int(), count]));

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
      (pair) =>
        Array.isArray(pair) &&
        pair.length === 2 &&
        Number.isSafeInteger(pair[0]) &&
        Number.isSafeInteger(pair[1]) &&
        pair[1] >= 0,
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

/** An answer, cut; untrusted text. */
export const Evidence = z.object({
  /** 0: nothing. */
  status: count,
  /** A line each. */
  headers: z.string(),
  body: z.string(),
});

/** A kept connection that ended before the answer. k6 hides it: it sends the request again (scenarios/lib/resent.js). */
export const RESENT = 'reset, sent again';

/** Code of slices that did not measure what was checked. */
export const OTHER_ANSWERS = 'other-answers';

/** Code of slices during which somebody set the clock. */
export const CLOCK_STEP = 'clock-step';

/** kind: `timeout`, `refused`, `reset`, `reset, sent again`, `interrupted`, `http 500`, `wrong answer`, `other status`, … */
export const RequestError = z.object({
  kind: z.string(),
  endpoint: z.string(),
  count,
  /** The first failing body, shortened; untrusted text. */
  sample: z.string().nullable(),
  /** The whole of that answer. */
  answer: Evidence.optional(),
  /** Log of the app during the load. */
  log: z.string().optional(),
});

/** Answers that were others than the checked ones, yet count as OK. Those that do not are wrong answers. */
export const isOtherAnswer = ({ kind }: Pick<RequestError, 'kind'>) => kind.startsWith('other ');

/** Answers under load that were others than the checked ones, of the endpoint that is worst off. */
export const Others = z.object({
  endpoint: z.string(),
  kind: z.string(),
  count,
  /** Answers that were looked at for it. */
  of: count,
  /** How the first of them differs; untrusted text. */
  what: z.string(),
  /** So many that the slice was not of what was checked. */
  isVoid: z.boolean(),
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

/** A metric of a k6 script over one slice: one of its own, or one that a threshold of it is about. */
export const ScriptMetric = z.object({
  /** Untrusted text; narrowed by tags as k6 writes it: `http_req_duration{group:::cart}`. */
  name: z.string(),
  custom: z.boolean(),
  type: z.enum(['trend', 'rate', 'counter', 'gauge']),
  /** k6's word for the unit: `time` (ms), `data` (bytes), `default`. */
  contains: z.string(),
  /** Trend: samples. Rate: how often it was added to. Counter: its sum. Gauge: 1. */
  count: z.number(),
  /** Rate: how often it was true. */
  passes: count.nullable(),
  /** Trend: the mean. Gauge: the last value. */
  value: z.number().nullable(),
  min: z.number().nullable(),
  max: z.number().nullable(),
  /** Filled only for a trend without negative values. Its buckets are those of latencies, whatever the unit. */
  histogram: Histogram,
});

/** Something that a k6 script wrote to its log: how often, and the first of it. Untrusted text. */
const ScriptEvent = z.object({ count, first: z.string().nullable() });

/** Results of a user's k6 script for one slice. */
export const ScriptSlice = z.object({
  checks: z.array(z.object({ name: z.string(), group: z.string(), passes: count, fails: count })),
  metrics: z.array(ScriptMetric),
  /** Checks and metrics that are too many to be kept. */
  left: count,
  /** Iterations that ended with an exception. */
  thrown: ScriptEvent,
  /** Lines written by `console.error`. */
  printed: ScriptEvent,
  /** Why it ended itself (`exec.test.abort`). */
  aborted: z.string().nullable(),
  /** Why it marked the test as failed (`exec.test.fail`), without ending it. */
  failed: z.string().nullable().default(null),
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
  /** Stable, kebab-case, where there is one for the reason: `other-answers`, `clock-step`. */
  code: z.string().optional(),
  others: Others.optional(),
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
  /** Requests still unanswered when k6 ended: the timeout after its last load. */
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
      /** CPU that this variant used while others of its k6 process were loaded, per second of that time. */
      idleUsPerSecond: z.number().nullable(),
    })
    .nullable(),
  /** CPU that each other variant used meanwhile, if k6 loaded no other: as a user's script has a process for each slice. */
  idle: z.array(z.object({ variant: z.string(), usPerSecond: z.number() })).optional(),
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
  /** Present only if the load is a user's k6 script. */
  script: ScriptSlice.optional(),
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
    /** One entry for each engine if several made the load; names are untrusted text. */
    machines: z
      .array(
        z.object({ name: z.string(), requests: count, busyRatio: z.number().nullable(), bound: z.boolean() }),
      )
      .optional(),
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
  /** CPU time of its container over the window; null if it could not be read. */
  cpuUs: z.number().nullable(),
});

/**
 * Both refs of a variant loaded at once, each by clients of its own on the same CPUs, so that what disturbs meets both.
 * It shows what a request costs the one compared with the other, and nothing else of either.
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
  /** The side whose clients began first: they may keep their place in the queue for a CPU. */
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
  latency: z.object(eachQuantile(() => z.number(), 'Ms')).nullable(),
  /** Within the pass criteria, and all but nothing was left over. */
  held: z.boolean(),
  /** Why it was the load generator's doing rather than the server's; null: it was not. */
  generator: z.string().nullable(),
  /** Cause of the server's death; null: it survived. */
  died: z.string().nullable(),
  /** How its answers were others than the checked ones, where that is why it was not held. */
  others: z.string().optional(),
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

export type Latency = z.infer<typeof Latency>;
export type Histogram = z.infer<typeof Histogram>;
export type Endpoint = z.infer<typeof Endpoint>;
export type RequestError = z.infer<typeof RequestError>;
export type Evidence = z.infer<typeof Evidence>;
export type Others = z.infer<typeof Others>;
export type Step = z.infer<typeof Step>;
export type ScriptMetric = z.infer<typeof ScriptMetric>;
export type ScriptSlice = z.infer<typeof ScriptSlice>;
export type Measurement = z.infer<typeof Measurement>;
export type Duet = z.infer<typeof Duet>;
export type Probe = z.infer<typeof Probe>;
export type Search = z.infer<typeof Search>;
