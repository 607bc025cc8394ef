import { loadMs } from '../config/load.ts';
import type { Config, Scenario } from '../config/types.ts';
import type { CpuLayout, Warning } from '../results.ts';
import { type Cpu, layOutCpus } from './cpus.ts';
import { compileLoad, compileWarmup, type LoadStep } from './load.ts';
import { makeRandom, shuffle } from './random.ts';
import { type PlannedImage, type PlannedVariant, planVariants } from './variants.ts';

/** A stretch of load on one variant. */
export interface Slice {
  /** Counts up through the whole plan. */
  number: number;
  variant: string;
  block: number;
  /** Thrown away: it only brings caches, pools and the JIT to their working state. */
  warmup: boolean;
  /** From the start of its batch. */
  startMs: number;
  /** Null: a count of requests, or the user's own script, decides. */
  durationMs: number | null;
  /** Empty: the user's script brings its own `options.scenarios`. */
  steps: readonly LoadStep[];
}

/** What one k6 process does: slices one after the other. */
export interface Batch {
  scenario: Scenario;
  slices: readonly Slice[];
}

/** A fresh start of all containers. */
export interface Instance {
  index: number;
  startOrder: readonly string[];
  /** Variant id → port in the arena. */
  ports: Readonly<Record<string, number>>;
  batches: readonly Batch[];
}

/** The ordered, seeded timeline. Pure data: the same config, CPUs and seed give the same plan. */
export interface Plan {
  seed: number;
  variants: readonly PlannedVariant[];
  images: readonly PlannedImage[];
  cpus: CpuLayout;
  instances: readonly Instance[];
  /** Without building images and without what only the run can know (counts of requests). */
  estimatedSeconds: number;
  warnings: readonly Warning[];
}

/** Between the end of a slice's grace period and the next slice: the CPU counters are read here. */
export const SETTLE_MS = 200;
/** A k6 process measures at most this long (but a long profile stays whole), so that a killed run keeps the rest. */
const BATCH_MS = 30_000;
const FIRST_PORT = 18_080;
/** Seen on two cores: starting and checking one container, and one k6 process. Only for the estimate. */
const START_SECONDS = 1.2;
const BATCH_SECONDS = 0.7;

/** Lays out variants, CPUs, instances, blocks and slices. Errors: unknown CPUs, a variant asked for twice. */
export function plan(config: Config, cpus: readonly Cpu[]): Plan {
  const { variants, images } = planVariants(config);
  const { layout, warnings } = layOutCpus(cpus, {
    ...(config.serverCpus && { server: config.serverCpus }),
    ...(config.loadCpus && { load: config.loadCpus }),
  });
  const random = makeRandom(config.seed);
  const ids = variants.map((v) => v.id);
  let number = 0;
  const instances = Array.from({ length: config.instances }, (_, index): Instance => {
    // Which port and which place in the starting order a variant gets must not favour one.
    const ports = shuffle(ids, random).map((id, i) => [id, FIRST_PORT + i] as const);
    const startOrder = shuffle(ids, random);
    const batches = config.scenarios.flatMap((scenario) => {
      const slices = planSlices(scenario, ids, random).map((slice) => ({ ...slice, number: number++ }));
      return cutIntoBatches(scenario, slices);
    });
    return { index, startOrder, ports: Object.fromEntries(ports), batches };
  });
  return {
    seed: config.seed,
    variants,
    images,
    cpus: layout,
    instances,
    estimatedSeconds: Math.round(estimateSeconds(instances, ids.length)),
    warnings,
  };
}

type Draft = Omit<Slice, 'number' | 'startMs'>;

/** Warm-up of each variant, then blocks: one slice of every variant, in an order of its own. */
function planSlices(scenario: Scenario, ids: readonly string[], random: () => number): Draft[] {
  const { load } = scenario;
  const steps = load ? compileLoad(load, scenario) : [];
  const durationMs = load ? loadMs(load) : null;
  const warmup = load ? compileWarmup(load, scenario) : [];
  const slices: Draft[] = [];
  if (warmup.length > 0) {
    for (const variant of shuffle(ids, random)) {
      slices.push({ variant, block: 0, warmup: true, durationMs: scenario.warmupMs, steps: warmup });
    }
  }
  for (let block = 0; block < scenario.blocks; block++) {
    for (const variant of shuffle(ids, random)) {
      slices.push({ variant, block, warmup: false, durationMs, steps });
    }
  }
  return slices;
}

/**
 * A slice starts when nothing of the one before can be in flight: after its grace period, which is
 * the request timeout. A user's own script is bound to one target, so it gets a process per slice;
 * so does a slice whose end only the run knows.
 */
function cutIntoBatches(scenario: Scenario, drafts: readonly (Draft & { number: number })[]): Batch[] {
  const batches: Slice[][] = [];
  let current: Slice[] = [];
  let clock = 0;
  for (const draft of drafts) {
    const alone = draft.durationMs === null || scenario.journey.kind === 'script';
    const length = sliceMs(draft.durationMs ?? 0, scenario);
    if (current.length > 0 && (alone || clock + length > BATCH_MS)) {
      batches.push(current);
      current = [];
      clock = 0;
    }
    current.push({ ...draft, startMs: clock });
    clock += length;
    if (alone) clock = BATCH_MS + 1;
  }
  if (current.length > 0) batches.push(current);
  return batches.map((slices) => ({ scenario, slices }));
}

function sliceMs(durationMs: number, scenario: Scenario): number {
  return durationMs + scenario.timeoutMs + SETTLE_MS;
}

function estimateSeconds(instances: readonly Instance[], variants: number): number {
  let seconds = 0;
  for (const { batches } of instances) {
    seconds += START_SECONDS * variants;
    for (const { scenario, slices } of batches) {
      seconds += BATCH_SECONDS;
      for (const slice of slices) seconds += sliceMs(slice.durationMs ?? 0, scenario) / 1000;
    }
  }
  return seconds;
}
