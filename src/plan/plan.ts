import { loadMs } from '../config/parts/load.ts';
import type { CompareOptions, RunOptions, Scenario } from '../config/types.ts';
import type { CpuLayout, Warning } from '../results/results.ts';
import { MIN_PAIRS } from '../stats/limits.ts';
import { givenPercent } from '../text/percent.ts';
import { countTests, type Judged } from './count-tests.ts';
import { type Cpu, checkGiven, layOutCpus } from './cpus.ts';
import {
  batchSeconds,
  type Instance,
  instanceSeconds,
  layOutInstances,
  orderOf,
  RUN_SECONDS,
} from './instances.ts';
import { takeShard } from './shard-plan.ts';
import { type Effort, fitBudget, predictEffort, type SliceOrder } from './timeline/budget.ts';
import { type PlannedSearches, planSearches } from './timeline/capacity-plan.ts';
import { type PlannedCount, planCounts } from './timeline/count-plan.ts';
import { type PlannedErrors, planErrors } from './timeline/errors-plan.ts';
import { countColdStarts } from './timeline/pass-seconds.ts';
import { type PlannedProfile, planProfile } from './timeline/profile-plan.ts';
import { type Matrix, type PlannedImage, type PlannedVariant, planVariants } from './variants.ts';
import { warnOfDevPackages, warnOfHtaccess } from './warn/app-files.ts';
import { warnOfKeptConnections } from './warn/connections.ts';
import { ALL_LIMITS, warnOfDiscarded } from './warn/discarded-limits.ts';
import { wantsVerdicts } from './warn/few-starts.ts';
import { warnOfLostRequests } from './warn/lost-requests.ts';
import { warnOfMisfits, warnOfVersions } from './warn/misfits.ts';
import { warnOfScripts } from './warn/script-warning.ts';
import { warnOfUncounted, warnOfUntimed } from './warn/unmeasured.ts';
import { warnOfUnusedCpus } from './warn/unused-cpus.ts';
import { warnOfVariables } from './warn/variables.ts';

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
  /** Behind all measuring: starts that hyperfine times; 0: not wanted. */
  coldStarts: number;
  /** Then where CPU time goes; null: not wanted. */
  profile: PlannedProfile | null;
  /** Then counts, in this order. */
  counts: readonly PlannedCount[];
  errors: PlannedErrors;
  warnings: readonly Warning[];
}

/** A variant's load per instance up to which there are MANY_STARTS instances by default. */
const SHORT_LOAD_MS = 60_000;
const MANY_STARTS = 6;
/** With more load; MIN_PAIRS where a verdict is wanted. */
const FEW_STARTS = 3;

/**
 * Lays out variants, CPUs, instances, blocks and slices. Errors: unknown CPUs, a variant asked for twice, a budget that
 * is too small, a search where there is no rate to begin with.
 *
 * @param all the variants, where they are planned already
 * @param limits those of containers that the engine enforces
 */
export function plan(
  config: RunOptions & CompareOptions & Matrix,
  cpus: readonly Cpu[],
  all = planVariants(config),
  limits = ALL_LIMITS,
): Plan {
  const { variants, images } = config.shard ? takeShard(all, config, config.shard) : all;
  // All shards have one layout.
  const hasFront = all.variants.some(({ front }) => front);
  if (!hasFront)
    checkGiven(
      'front-cpus',
      config.frontCpus,
      cpus.map(({ cpu }) => cpu),
    );
  const { layout, warnings } = layOutCpus(
    cpus,
    {
      ...(config.serverCpus && { server: config.serverCpus }),
      ...(config.frontCpus && hasFront && { front: config.frontCpus }),
      ...(config.loadCpus && { load: config.loadCpus }),
      elsewhere: config.loadFrom !== undefined,
    },
    config.services !== undefined,
    limits.pinsCpus,
  );
  const load = planLoad(config, variants);
  const profile = planProfile(config, variants);
  const errors = planErrors(config, variants);
  return {
    ...{ seed: config.seed, variants, images, cpus: layout },
    ...load,
    coldStarts: countColdStarts(config, variants.length),
    profile,
    counts: planCounts(config, variants),
    errors,
    warnings: [
      ...(profile?.warnings ?? []),
      ...errors.warnings,
      ...[
        ...warnings,
        ...warnOfUnusedCpus(config, hasFront),
        ...warnOfDiscarded(limits, config.memoryBytes !== undefined, config.loadFrom !== undefined),
        ...warnOfHtaccess(variants),
        ...warnOfVariables(variants, config.host),
        ...warnOfLostRequests(variants),
        ...warnOfDevPackages(images),
      ],
      ...[...warnOfUncounted(config, variants), ...warnOfUntimed(config), ...warnOfMisfits(config)],
      ...[...warnOfKeptConnections(variants, config.scenarios)],
      ...warnOfVersions(variants),
      ...shortened(config),
      ...warnOfScripts(config.scenarios),
    ],
  };
}

/**
 * The timeline and its duration: they depend on the variants alone, not on the machine.
 *
 * @param slower so many times longer than typical does a start take without its load
 */
export function planLoad(
  config: Judged,
  variants: readonly PlannedVariant[],
  slower = 1,
): Pick<Plan, 'scenarios' | 'instances' | 'estimatedSeconds' | 'detectable' | 'searches'> {
  const tests = countTests(variants, config);
  const order = orderOf(config.other, variants);
  const searches = planSearches(config, variants, batchSeconds(config) * 1000);
  const searchSeconds = (searches?.atMostMs ?? 0) / 1000;
  const lay = (effort: Effort, limit?: number) => layOutInstances(config, variants, effort, limit);
  const seconds = (instance: Instance) => instanceSeconds(instance, config, slower);
  // All instances but the first take as long as the second.
  const secondsOf = (effort: Effort) => {
    const [first = 0, other = 0] = lay(effort, 2).map(seconds);
    return RUN_SECONDS + searchSeconds + first + (effort.instances - 1) * other;
  };
  const effort =
    config.budgetMs === undefined
      ? chooseEffort(config, wantsVerdicts(variants, config.failOn))
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
export function applyEffort(
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
  return [
    {
      code: 'shortened',
      message: `times of all loads shortened to ${givenPercent(durationScale)} with --duration-scale: these are not the loads of the scenarios`,
      remedy: 'run without --duration-scale for final numbers',
      variant: null,
    },
  ];
}

/** Without a budget: as configured; else many starts of little load, few of much. */
function chooseEffort(
  { instances, scenarios }: Pick<RunOptions, 'instances' | 'scenarios'>,
  isJudged: boolean,
): Effort {
  const ms = scenarios.reduce(
    (sum, { load, blocks, script }) => sum + blocks * ((load ? loadMs(load) : script?.loadMs) ?? 0),
    0,
  );
  const few = isJudged ? MIN_PAIRS : FEW_STARTS;
  const starts = ms <= SHORT_LOAD_MS ? MANY_STARTS : few;
  return { instances: instances ?? starts, blocks: scenarios.map(({ blocks }) => blocks) };
}
