import * as z from 'zod';
import { Comparison, Gate } from './comparison.ts';
import { buckets, Duet, Evidence, Histogram, Measurement, Search } from './measurement.ts';
import { Count, Profile } from './pass.ts';
import { eachQuantile } from './quantiles.ts';

export * from './comparison.ts';
export * from './measurement.ts';
export * from './pass.ts';

/**
 * `results.json`, version 1: everything that `analyse` and `report` need. Units are in the names.
 * The JSON Schema in `schema/` is generated from here.
 */

const count = z.int().nonnegative();
const ratio = z.number().min(0).max(1);

/** Rejects duplicates: they would be processed and counted twice. */
function once<T>(keyOf: (item: T) => string): (items: readonly T[]) => boolean {
  return (items) => new Set(items.map(keyOf)).size === items.length;
}

/** Rows of a report: with more of them it takes minutes to make and nobody reads it. */
const MAX_ROWS = 100_000;

/** It becomes part of a link in the comment of a pull request. */
const version = z.string().regex(/^\d+\.\d+\.\d+(-[\w.-]+)?$/);

/** Report of the running server from /.php-runtime-bench/facts. Untrusted text. */
export const Facts = z.object({
  php: z.string(),
  sapi: z.string(),
  zts: z.boolean(),
  server: z.string(),
  opcache: z.boolean(),
  jit: z.string(),
  ini: z.record(z.string(), z.string()),
  /** Its PHP has not read BENCH_INI; left out: it has, or this is not known. */
  ignoresIni: z.literal(true).optional(),
  extensions: z.array(z.string()),
  /** Caches of the app's framework that its image has not: `config`, `route`. */
  uncached: z.array(z.string()).optional(),
  /** Settings of the app that decide how much a request does, such as `debug` and `session`. */
  settings: z.record(z.string(), z.string()).optional(),
});

export const Failure = z.object({
  stage: z.enum(['build', 'start', 'verify', 'run']),
  reason: z.string(),
  /** Last lines of the build's or the container's log; untrusted text. */
  log: z.string(),
  /** The wrong answer. */
  answer: Evidence.optional(),
});

/** Fresh starts timed one by one, from the request to start the container to the first answer with status 2xx. */
export const ColdStart = z.object({
  /** `hyperfine 1.15.0` */
  tool: z.string(),
  /** The requested path. */
  path: z.string(),
  timesMs: z.array(z.number()),
});

const optionValue = z.union([z.string(), z.number(), z.boolean()]);

const Image = z.object({
  name: z.string(),
  id: z.string(),
  sizeBytes: count,
  buildSeconds: z.number(),
  /** The address from which engines that share it have pulled it: `registry.example.com/bench@sha256:…`. */
  pushed: z.string().optional(),
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
  /**
   * 4 digits that differ between runs whose environment, PHP settings, memory limit, set-up, services or secret headers
   * differ; absent in runs of older versions, and of pods.
   */
  settings: z.string().optional(),
  image: Image.nullable(),
  /** The image of what stands before it, by the option `front`. The variant's CPU and memory include it. */
  front: Image.optional(),
  facts: Facts.nullable(),
  /** Files that PHP compiles again in each request, since OPcache does not keep them: mean over the paths. Absent: not known. */
  recompiled: z.number().nonnegative().optional(),
  /** Container start → first answer with status 200, in the first instance, where one starts after the other. */
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

/** Answer of a path or a journey's step before the load, on the variants that answered alike. Untrusted text, cut. */
export const CheckedPage = z.object({
  endpoint: z.string(),
  /** Null: the endpoint is a path. */
  journey: z.string().nullable(),
  /** Ids of variants. */
  variants: z.array(z.string()),
  status: count,
  /** Content type without its parameters. */
  type: z.string(),
  location: z.string(),
  /** The title of an HTML page; null: there is none. */
  title: z.string().nullable(),
  /** The beginning of the text of an HTML page without a title, as one of the variants answered it. */
  text: z.string().optional(),
  /** Least and most of the body, uncompressed. */
  bytes: z.tuple([count, count]),
});

export const CpuLayout = z.object({
  server: z.array(count),
  load: z.array(count),
  system: z.array(count),
  /** The CPUs of services, if there are any with cores of their own. */
  services: z.array(count).default([]),
  /** The CPUs of what stands before servers, if it has its own. */
  front: z.array(count).optional(),
  /** How it came about: `found` from the topology or `given`. */
  source: z.enum(['found', 'given']),
});

/** The load of a scenario that is in its k6 script, which no text can describe. */
export const SCRIPT_LOAD = "the script's own";

export const ScenarioFacts = z.object({
  name: z.string(),
  title: z.string(),
  journey: z.string(),
  load: z.string(),
  /** A script's own load comes at arrival rates, whatever the answers. Their sum is not known. */
  openScript: z.literal(true).optional(),
  timeoutMs: z.number(),
  warmupMs: z.number(),
  blocks: count,
  reuse: z.boolean(),
  maxVus: count.nullable(),
  slo: z.object({
    okRatio: ratio.optional(),
    checksRatio: ratio.optional(),
    ...eachQuantile(() => z.number().optional(), 'Ms'),
  }),
  /** The thresholds of a k6 script. Untrusted text. */
  thresholds: z.array(z.object({ metric: z.string(), condition: z.string() })).optional(),
});

export const HostFacts = z.object({
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
  /** Docker's image store. An image is larger in containerd's, which counts the compressed layers too. Absent: not known. */
  imageStore: z.enum(['containerd', 'graph driver']).optional(),
});

/** The machines or pods from which a load came, and what lay between. */
export const Elsewhere = z.object({
  /** Docker engines on other machines, or pods of a cluster. */
  kind: z.enum(['engines', 'cluster']),
  /** Target of the load: an address, or a URL. Untrusted text. */
  target: z.string(),
  generators: z.array(
    z.object({
      /** Untrusted text. */
      name: z.string(),
      /** As k6 writes it: `1/4:1/2`. */
      share: z.string(),
      /** Before the load, median; null: not measured. */
      roundTripMs: z.number().nullable(),
      hops: count.nullable(),
      mtu: count.nullable(),
      /** How far its clock was ahead of that of the servers' machine; the start was corrected for it. */
      skewMs: z.number().nullable(),
    }),
  ),
});

const Whole = z.object({
  schema: z.literal(1),
  tool: z.object({ name: z.literal('php-runtime-bench'), version, k6: z.string() }),
  run: z.object({
    id: z.string(),
    seed: count,
    command: z.array(z.string()),
    started: z.iso.datetime(),
    finished: z.iso.datetime(),
    /** From start to end, less the time in which another run held the engine. */
    wallSeconds: z.number(),
    /** Seconds under measured load, all slices together. */
    loadSeconds: z.number(),
    /** 1 − loadSeconds ÷ wallSeconds. */
    overheadRatio: z.number(),
    /** Signal name when the run was stopped before its plan was done. */
    stopped: z.string().nullable(),
    /** The checkout: its commit, the number of app files that differ from it, and some of them. Untrusted text. */
    head: z
      .object({
        ...{ commit: z.string(), uncommitted: count, files: z.array(z.string()) },
        /** By app: its folder in the repository, `.` at the top. Absent in runs of older versions. */
        apps: z.record(z.string(), z.string()).optional(),
      })
      .optional(),
    /** The input of each run, if several were put together. `seed` and `command` are then those of the first. */
    merged: z.array(z.object({ seed: count, command: z.array(z.string()) })).optional(),
  }),
  host: HostFacts,
  plan: z.object({
    instances: count,
    cpus: CpuLayout,
    scenarios: z.array(ScenarioFacts).refine(
      once((one: { name: string }) => one.name),
      'the same scenario twice',
    ),
    estimatedSeconds: z.number(),
    steps: count,
    /** Id of the variant that others are compared with; null: the first. */
    reference: z.string().nullable().default(null),
    /** Part `index` of `of`, from 1, each measured on a machine of its own beside the reference; null: all of it. */
    shard: z
      .object({ index: count, of: count.max(1000) })
      .nullable()
      .default(null),
    budgetSeconds: z.number().nullable().default(null),
    /** The option whose values were compared. */
    tune: z.string().optional(),
    /** Host header of every request; absent in runs of older versions, whose load named 127.0.0.1 and a port. */
    host: z.string().optional(),
    /** The other headers of every request, sorted, with values that are no secrets; absent: none. Untrusted text. */
    headers: z.array(z.string()).optional(),
    /** Share of their time that all loads were shortened to; 1: they are as in their scenarios. */
    durationScale: z.number().default(1),
    /** Value of `compare-to` and its meaning; `reason`: why there is nothing to compare with. */
    compareTo: z
      .object({
        given: z.string(),
        ref: z.string(),
        commit: z.string().nullable(),
        reason: z.string().nullable(),
        /** By app: its files that differ between the two, relative to its folder, at most 2,000. Untrusted text. */
        changed: z.record(z.string(), z.array(z.string())).optional(),
      })
      .nullable()
      .default(null),
    /** The load came from elsewhere than the servers' own machine; absent: both shared a network namespace. */
    elsewhere: Elsewhere.optional(),
    gates: z.array(Gate).default([]),
    /** Outcome of a run in which no comparison of a gate could be judged; left out: it fails. */
    unjudged: z.enum(['fail', 'pass']).optional(),
  }),
  variants: z.array(Variant).refine(
    once((one: { id: string }) => one.id),
    'the same variant twice',
  ),
  checked: z.array(CheckedPage).optional(),
  measurements: z.array(Measurement),
  duets: z.array(Duet).default([]),
  searches: z
    .array(Search)
    .refine(
      once((one: z.infer<typeof Search>) => JSON.stringify([one.variant, one.scenario, one.instance])),
      'the same search twice',
    )
    .default([]),
  profiles: z.array(Profile).default([]),
  counts: z.array(Count).default([]),
  comparisons: z.array(Comparison).default([]),
  warnings: z.array(Warning),
});

/** Amounts in the results of one machine that a job which only renders can process in a minute. */
export const RESULTS_LIMITS = { variants: 200, scenarios: 50, measurements: 100_000 };

export const Results = Whole.refine(
  ({ plan, variants }) => plan.scenarios.length * variants.length <= MAX_ROWS,
  `more than ${MAX_ROWS} variants × scenarios`,
);

/** results.json as JSON Schema. */
export function resultsJsonSchema(): object {
  const { $schema: _, ...histogram } = z.toJSONSchema(buckets);
  return z.toJSONSchema(Results, {
    unrepresentable: ({ zodSchema }) => (zodSchema === Histogram ? histogram : 'throw'),
  });
}

export type Facts = z.infer<typeof Facts>;
export type ColdStart = z.infer<typeof ColdStart>;
export type Failure = z.infer<typeof Failure>;
export type Variant = z.infer<typeof Variant>;
export type CheckedPage = z.infer<typeof CheckedPage>;
export type Warning = z.infer<typeof Warning>;
export type Elsewhere = z.infer<typeof Elsewhere>;
export type CpuLayout = z.infer<typeof CpuLayout>;
export type ScenarioFacts = z.infer<typeof ScenarioFacts>;
export type HostFacts = z.infer<typeof HostFacts>;
export type Results = z.infer<typeof Results>;
