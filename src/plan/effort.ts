import { loadMs } from '../config/parts/load.ts';
import type { Scenario } from '../config/types.ts';
import type { Warning } from '../results/results.ts';
import type { Plan } from './plan.ts';
import { MIN_INSTANCES } from './timeline/budget.ts';
import { COLD_START_SECONDS } from './timeline/pass-seconds.ts';

/** Describes the effort of a plan before it starts: how often, how long, and which changes it detects. */
export function describeEffort(plan: Plan): string[] {
  const { instances, scenarios, estimatedSeconds, detectable, searches } = plan;
  const blocks = [...new Set(scenarios.map((scenario) => scenario.blocks))].sort((a, b) => a - b);
  const each = blocks.length === 1 ? many(blocks[0] as number, 'block') : `${blocks.join(' or ')} blocks`;
  const passes = planPasses(plan);
  const all = estimatedSeconds + passSeconds(plan);
  const untimed = scenarios.filter(isUntimed).map(({ name }) => name);
  return [
    `${many(instances.length, 'instance')} × ${each}, about ${time(estimatedSeconds)} without building`,
    ...(searches === null
      ? []
      : [
          `capacity: ${searches.searches} × at most ${searches.probes} rates of ${searches.probeMs / 1000} s each, at most ${time(Math.ceil(searches.atMostMs / 1000))} of that time`,
        ]),
    ...passes.map(
      ({ pass, size, seconds, note }) =>
        `${pass}: ${size}, once all is measured: about ${time(seconds)} more${note}`,
    ),
    ...(passes.length === 0 ? [] : [`in all about ${time(all)} without building`]),
    ...(untimed.length === 0
      ? []
      : [
          `not included: the load of ${untimed.join(', ')}, which ends after its requests at an unknown time`,
        ]),
    ...(detectable === null
      ? []
      : [
          `with typical noise, this plan detects changes of ${(detectable * 100).toFixed(1)} % or more (95 % power, 99 % interval)`,
        ]),
  ];
}

/** A count of requests or iterations, or a script that nobody has read. */
const isUntimed = ({ load, script }: Scenario) => (load ? loadMs(load) : (script?.loadMs ?? null)) === null;

export type PlannedPasses = Pick<Plan, 'coldStarts' | 'profile' | 'counts'>;

/** A pass that follows once all is measured. */
interface PlannedPass {
  pass: string;
  size: string;
  seconds: number;
  /** A further condition of its time, or empty. */
  note: string;
}

/** In the order in which they run. */
export function planPasses({ coldStarts, profile, counts }: PlannedPasses): PlannedPass[] {
  const profiled = profile === null ? 0 : Object.keys(profile.variants).length;
  const ofProfile = (starts: number, seconds: number): PlannedPass => ({
    ...{ pass: 'profile', size: `${many(profiled, 'variant')} × ${many(starts, 'start')}` },
    ...{ seconds, note: '' },
  });
  const ofColdStarts = (): PlannedPass => ({
    ...{ pass: 'cold start', size: many(coldStarts, 'start'), seconds: coldStarts * COLD_START_SECONDS },
    note: `, if a start takes ${COLD_START_SECONDS} s`,
  });
  return [
    ...(coldStarts === 0 ? [] : [ofColdStarts()]),
    ...(profile === null ? [] : [ofProfile(profile.starts, profile.seconds)]),
    ...counts.map(({ by, variants, each, seconds }): PlannedPass => {
      const isPages = by === 'instructions';
      const size = isPages
        ? `${many(variants, 'version')} × ${many(each, 'page')}`
        : `${many(variants, 'variant')} × ${many(each, 'start')}`;
      const note = isPages ? ', if a request takes 10 ms' : '';
      return { pass: `count of ${by}`, size, seconds, note };
    }),
  ];
}

export const passSeconds = (plan: PlannedPasses): number =>
  planPasses(plan).reduce((sum, { seconds }) => sum + seconds, 0);

const many = (n: number, what: string) => `${n} ${what}${n === 1 ? '' : 's'}`;

const time = (seconds: number) =>
  seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`;

/** Promised and possible effort may differ by this share without a warning. */
const WORTH_SAYING = 1 / 3;
const isLess = (a: number, b: number) => a - b > WORTH_SAYING * b;

/** Promise and prospect side by side, where less than was promised can be done, by more than a third. */
export function warnOfRest(promised: Plan, rest: Plan, tookMs: number): Warning[] {
  const [before, now] = [promised, rest].map(({ detectable }) => detectable) as [
    number | null,
    number | null,
  ];
  const fewer = isLess(promised.instances.length, rest.instances.length);
  if (!fewer && !(before !== null && now !== null && isLess(now, before))) return [];
  const effort = ({ instances, scenarios }: Plan) => {
    const blocks = Math.max(...scenarios.map((scenario) => scenario.blocks));
    return `${instances.length} starts × ${blocks} ${blocks === 1 ? 'block' : 'blocks'}`;
  };
  const change = (share: number | null) =>
    share === null ? '' : `, for changes of ${(share * 100).toFixed(1)} % or more`;
  return [
    {
      code: 'planned-anew',
      message: `a start takes ${Math.round(tookMs / 1000)} s; promised: ${effort(promised)}${change(before)}; now planned: ${effort(rest)}${change(now)}`,
      remedy: 'increase the budget, or make starts and the set-up of services faster',
      variant: null,
    },
  ];
}

/**
 * The end of a run by its budget after this many starts. None if about as many starts and slices are done as were
 * promised, and enough for a verdict: the last start that did not fit is then no loss.
 */
export function warnOfUsedUp(promised: Plan, plan: Plan, done: number): Warning[] {
  const slices = (instances: Plan['instances']) =>
    instances.flatMap(({ batches }) => batches).reduce((sum, batch) => sum + batch.slices.length, 0);
  const isDone =
    done >= Math.min(MIN_INSTANCES, promised.instances.length) &&
    !isLess(promised.instances.length, done) &&
    !isLess(slices(promised.instances), slices(plan.instances.slice(0, done)));
  if (isDone) return [];
  return [
    {
      code: 'budget',
      message: `the budget was used up after ${done} of ${plan.instances.length} instances: starts or slices took longer than planned`,
      remedy: 'increase the budget, or use fewer variants',
      variant: null,
    },
  ];
}
