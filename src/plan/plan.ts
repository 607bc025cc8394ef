import { loadMs } from '../config/parts/load.ts';
import type { CompareOptions, Other, RunOptions, Scenario } from '../config/types.ts';
import { UserError } from '../errors.ts';
import type { CpuLayout, Warning } from '../results/results.ts';
import { makeRandom } from '../stats/random.ts';
import { type Cpu, layOutCpus } from './cpus.ts';
import { takeShard } from './shard-plan.ts';
import { type Effort, fitBudget, predictEffort, type SliceOrder } from './timeline/budget.ts';
import { type PlannedSearches, planSearches } from './timeline/capacity-plan.ts';
import { type PlannedCount, planCounts } from './timeline/count-plan.ts';
import { type PlannedErrors, planErrors } from './timeline/errors-plan.ts';
import { makeOrders } from './timeline/orders.ts';
import { setUpSeconds } from './timeline/pass-seconds.ts';
import { type PlannedProfile, planProfile } from './timeline/profile-plan.ts';
import type { Batch } from './timeline/slices.ts';
import {
  batchMs,
  COMMON_START_MS,
  cutIntoBatches,
  drainFor,
  planSlices,
  retime,
} from './timeline/timeline.ts';
import { type Matrix, type PlannedImage, type PlannedVariant, planVariants } from './variants.ts';
import { warnOfKeptConnections } from './warn/connections.ts';
import { warnOfHtaccess } from './warn/htaccess-warning.ts';
import { warnOfMisfits } from './warn/misfits.ts';
import { warnOfDevPackages } from './warn/packages.ts';
import { warnOfThresholds } from './warn/script-warning.ts';
import { warnOfUncounted } from './warn/uncounted.ts';
import { warnOfVariables } from './warn/variables.ts';
import { warnOfVersions } from './warn/versions.ts';

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
  /** With the number of blocks as planned. */
  scenarios: readonly Scenario[];
  instances: readonly Instance[];
  /** Without building images and without what only the run can know (counts of requests). */
  estimatedSeconds: number;
  /**
   * The smallest change, as a share, that a comparison probably finds, with typical variance. Null if that is not
   * known, or there is nothing to compare.
   */
  detectable: number | null;
  /** Behind the load of the first instance; null: none. */
  searches: PlannedSearches | null;
  /** Behind all measuring: where CPU time goes; null: not wanted. */
  profile: PlannedProfile | null;
  /** Behind all measuring, too, in this order. */
  counts: readonly PlannedCount[];
  errors: PlannedErrors;
  warnings: readonly Warning[];
}

export const FIRST_PORT = 18_080;
/** A variant's load per instance up to which there are MANY_STARTS instances by default. */
const SHORT_LOAD_MS = 60_000;
const MANY_STARTS = 6;
const FEW_STARTS = 3;

/**
 * Lays out variants, CPUs, instances, blocks and slices. Errors: unknown CPUs, a variant asked for twice, a budget that
 * is too small, a search where there is no rate to begin with.
 *
 * @param all the variants, where they are planned already
 */
export function plan(
  config: RunOptions & CompareOptions & Matrix,
  cpus: readonly Cpu[],
  all = planVariants(config),
): Plan {
  const { variants, images } = config.shard ? takeShard(all, config, config.shard) : all;
  const { layout, warnings } = layOutCpus(
    cpus,
    {
      ...(config.serverCpus && { server: config.serverCpus }),
      ...(config.frontCpus && { front: config.frontCpus }),
      ...(config.loadCpus && { load: config.loadCpus }),
    },
    config.services !== undefined,
  );
  const load = planLoad(config, variants);
  const profile = planProfile(config, variants);
  const errors = planErrors(config, variants);
  return {
    ...{ seed: config.seed, variants, images, cpus: layout },
    ...load,
    profile,
    counts: planCounts(config, variants),
    errors,
    warnings: [
      ...(profile?.warnings ?? []),
      ...errors.warnings,
      ...[
        ...warnings,
        ...warnOfHtaccess(variants),
        ...warnOfVariables(variants, config.host),
        ...warnOfDevPackages(images),
      ],
      ...[...warnOfUncounted(config, variants), ...warnOfMisfits(config)],
      ...[...warnOfKeptConnections(variants, config.scenarios)],
      ...warnOfVersions(variants),
      ...shortened(config),
      ...warnOfThresholds(config.scenarios),
    ],
  };
}

/** Options for the timeline, beside the variants. */
type Timeline = RunOptions & Pick<CompareOptions, 'other'>;

/** The timeline and its duration: they depend on the variants alone, not on the machine. */
export function planLoad(
  config: Timeline,
  variants: readonly PlannedVariant[],
): Pick<Plan, 'scenarios' | 'instances' | 'estimatedSeconds' | 'detectable' | 'searches'> {
  const tests = countTests(variants) * config.scenarios.length;
  const order = orderOf(config.other, variants);
  const searches = planSearches(config, variants, batchSeconds(config) * 1000);
  const searchSeconds = (searches?.atMostMs ?? 0) / 1000;
  const lay = (effort: Effort, limit?: number) => layOutInstances(config, variants, effort, limit);
  const seconds = (instance: Instance) => instanceSeconds(instance, config);
  // All instances but the first take as long as the second.
  const secondsOf = (effort: Effort) => {
    const [first = 0, other = 0] = lay(effort, 2).map(seconds);
    return RUN_SECONDS + searchSeconds + first + (effort.instances - 1) * other;
  };
  const effort =
    config.budgetMs === undefined
      ? chooseEffort(config)
      : fitBudget(config.budgetMs, config.scenarios, Math.max(1, tests), order, secondsOf);
  const instances = lay(effort);
  return {
    ...applyEffort(config, effort, tests, order),
    instances,
    estimatedSeconds: Math.round(
      instances.reduce((sum, instance) => sum + seconds(instance), RUN_SECONDS + searchSeconds),
    ),
    searches,
  };
}

/** The scenarios with their blocks, and what such an effort can be expected to find. */
function applyEffort(
  { scenarios }: Pick<RunOptions, 'scenarios'>,
  effort: Effort,
  tests: number,
  order: SliceOrder,
): Pick<Plan, 'scenarios' | 'detectable'> {
  return {
    scenarios: scenarios.map((scenario, i) => ({ ...scenario, blocks: effort.blocks[i] as number })),
    detectable: tests > 0 ? predictEffort(scenarios, effort, tests, order) : null,
  };
}

function shortened({ durationScale = 1 }: Pick<RunOptions, 'durationScale'>): Warning[] {
  if (durationScale === 1) return [];
  const share = `${Number((durationScale * 100).toPrecision(3))} %`;
  return [
    {
      code: 'shortened',
      message: `times of all loads shortened to ${share} with --duration-scale: these are not the loads of the scenarios`,
      remedy: 'run without --duration-scale for final numbers',
      variant: null,
    },
  ];
}

/** Without a budget: as configured; else many starts of little load, few of much. */
function chooseEffort({ instances, scenarios }: Pick<RunOptions, 'instances' | 'scenarios'>): Effort {
  const ms = scenarios.reduce((sum, { load, blocks }) => sum + blocks * ((load && loadMs(load)) ?? 0), 0);
  const starts = ms <= SHORT_LOAD_MS ? MANY_STARTS : FEW_STARTS;
  return { instances: instances ?? starts, blocks: scenarios.map(({ blocks }) => blocks) };
}

/** Comparisons of a scenario that are corrected together: with the base, or else with the reference. */
function countTests(variants: readonly PlannedVariant[]): number {
  const twins = variants.filter(({ base }) => base !== null).length;
  return twins > 0 ? twins : variants.length - 1;
}

/** @param limit only so many of them */
function layOutInstances(
  { seed, scenarios, other }: Pick<Timeline, 'seed' | 'scenarios' | 'other'>,
  variants: readonly PlannedVariant[],
  effort: Effort,
  limit = effort.instances,
): Instance[] {
  const random = makeRandom(seed);
  const ids = variants.map((v) => v.id);
  const elastic = new Set(variants.filter(isElastic).map(({ id }) => id));
  const orders = () => makeOrders(ids, random);
  // Which port and which place in an order a variant gets must not favour one: each gets each equally often.
  const [portOrder, startOrder] = [orders(), orders()];
  const pairs = findDuets(other, variants);
  const sliceOrders = scenarios.map(() => ({
    ...{ warmup: orders(), block: orders(), round: orders() },
    duets: new Map(pairs.map((pair) => [pair[0], makeOrders(pair, random)])),
  }));
  let number = 0;
  return Array.from({ length: limit }, (_, index): Instance => {
    const ports = portOrder().map((id, i) => [id, FIRST_PORT + i] as const);
    const batches = scenarios.flatMap((scenario, i) => {
      const order = sliceOrders[i] as (typeof sliceOrders)[number];
      const blocks = effort.blocks[i] as number;
      const planned = { ...scenario, blocks };
      const slices = planSlices(planned, order, (id) => elastic.has(id));
      const numbered = slices.map((slice) => ({ ...slice, number: number++ }));
      return cutIntoBatches(planned, numbered, drainFor(scenario, index === 0 ? null : 0), index === 0);
    });
    return { index, startOrder: startOrder(), ports: Object.fromEntries(ports), batches };
  });
}

/**
 * Pairs that may be loaded at once: one app on one runtime at two commits, so that both take their share of the CPUs in
 * the same way. The server of another image is unknown.
 */
function findDuets(other: Other | undefined, variants: readonly PlannedVariant[]): [string, string][] {
  if (other?.kind === 'image') return [];
  return variants.flatMap(({ id, base }): [string, string][] => (base === null ? [] : [[id, base]]));
}

function orderOf(other: Other | undefined, variants: readonly PlannedVariant[]): SliceOrder {
  if (variants.some(isElastic)) return 'slices';
  return findDuets(other, variants).length > 0 ? 'duets' : 'turns';
}

/** Whether its pool shrinks while others are loaded, by the options in force. */
function isElastic({ runtime, options }: PlannedVariant): boolean {
  return Object.entries(runtime.elastic).some(([option, values]) => values.includes(String(options[option])));
}

/** Seen on two cores, half as much again: the run, an instance, each of its containers, and each k6 process. */
const RUN_SECONDS = 1.5;
const INSTANCE_SECONDS = 0.5;
const START_SECONDS = 0.25;
const BATCH_SECONDS = 0.4;

function instanceSeconds(
  instance: Instance,
  config: Pick<RunOptions, 'loadFrom' | 'services' | 'setUp'>,
): number {
  return loadSeconds(instance, config) + startSeconds(instance, config);
}

/** Generators on several machines wait for a common start. */
const batchSeconds = ({ loadFrom }: Pick<RunOptions, 'loadFrom'>) =>
  BATCH_SECONDS + (loadFrom ? COMMON_START_MS / 1000 : 0);

function loadSeconds({ batches }: Instance, config: Pick<RunOptions, 'loadFrom'>): number {
  return batches.reduce((sum, batch) => sum + batchSeconds(config) + batchMs(batch) / 1000, 0);
}

function startSeconds({ startOrder }: Instance, config: Pick<RunOptions, 'services' | 'setUp'>): number {
  return INSTANCE_SECONDS + (START_SECONDS + setUpSeconds(config)) * startOrder.length;
}

/** Times of the starts that are over. */
export interface Spent {
  /** How many are over: 1 or more. */
  starts: number;
  /** The last of them with its load, without searches. */
  lastMs: number;
  /** All since the budget began. */
  allMs: number;
  /** How long the requests of each scenario took to end. */
  drainedMs: ReadonlyMap<string, number>;
  /** Ids of the variants that have not failed. Left out: all of them. */
  left?: ReadonlySet<string>;
}

/** The rest of a plan, and how long its next start may take. */
export interface Rest {
  plan: Plan;
  nextMs: number;
}

/**
 * The rest of a plan with a budget, by how long the last start took: by times alone, never by what was measured. The
 * plan stays as it is if not even MIN_INSTANCES starts would fit.
 */
export function planRest(config: Timeline & { budgetMs: number }, planned: Plan, spent: Spent): Rest {
  const { variants, instances } = planned;
  const done = instances.slice(0, spent.starts);
  const last = keepLeft(done.at(-1) as Instance, spent.left);
  const loaded = (instance: Instance) => loadSeconds(asRun(instance, spent.drainedMs), config);
  const slower = (spent.lastMs / 1000 - loaded(last)) / startSeconds(last, config);
  // Slow starts may come with longer pauses between slices, but fast ones do not shorten them.
  const seconds = (planned: Instance) => {
    const instance = keepLeft(planned, spent.left);
    return loaded(instance) + Math.max(0, slower) * startSeconds(instance, config);
  };
  const lay = (effort: Effort, limit?: number) => layOutInstances(config, variants, effort, limit);
  const secondsOf = (effort: Effort) =>
    spent.allMs / 1000 + (effort.instances - done.length) * seconds(lay(effort, 2)[1] as Instance);
  const tests = countTests(variants) * config.scenarios.length;
  const order = orderOf(config.other, variants);
  const withNext = (plan: Plan): Rest => {
    const next = plan.instances[done.length];
    return { plan, nextMs: next ? 1000 * seconds(next) : 0 };
  };
  let effort: Effort;
  try {
    effort = fitBudget(config.budgetMs, config.scenarios, Math.max(1, tests), order, secondsOf);
  } catch (error) {
    if (error instanceof UserError) return withNext(planned);
    throw error;
  }
  const all = lay(effort);
  const shift = countSlices(done) - countSlices(all.slice(0, done.length));
  return withNext({
    ...planned,
    ...applyEffort(config, effort, tests, order),
    instances: [...done, ...all.slice(done.length).map((instance) => renumber(instance, shift))],
    estimatedSeconds: Math.round(secondsOf(effort)),
  });
}

/** A start without the variants that failed before. */
function keepLeft(instance: Instance, left?: ReadonlySet<string>): Instance {
  if (left === undefined) return instance;
  const own = (slices: Batch['slices']) => slices.filter(({ variant }) => left.has(variant));
  const batches = instance.batches
    .map((batch) => retime({ ...batch, slices: own(batch.slices) }, batch.drainMs))
    .filter(({ slices }) => slices.length > 0);
  return { ...instance, startOrder: instance.startOrder.filter((id) => left.has(id)), batches };
}

/** A start as it runs: the first load of a scenario waits for the timeout, and so shows how long the others wait. */
function asRun({ batches, ...instance }: Instance, drainedMs: Spent['drainedMs']): Instance {
  const seen = new Set<string>();
  const drained = batches.map((batch) => {
    const { name } = batch.scenario;
    const isFirst = instance.index === 0 && !seen.has(name);
    seen.add(name);
    return isFirst ? batch : retime(batch, drainFor(batch.scenario, drainedMs.get(name) ?? null));
  });
  return { ...instance, batches: drained };
}

function countSlices(instances: readonly Instance[]): number {
  return instances.flatMap(({ batches }) => batches).reduce((sum, { slices }) => sum + slices.length, 0);
}

/** Numbers go on behind those of the starts that are over. */
function renumber(instance: Instance, by: number): Instance {
  const batches = instance.batches.map((batch) => ({
    ...batch,
    slices: batch.slices.map((slice) => ({ ...slice, number: slice.number + by })),
  }));
  return { ...instance, batches };
}
