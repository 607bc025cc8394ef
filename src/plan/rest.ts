import { UserError } from '../errors.ts';
import { countTests, type Judged } from './count-tests.ts';
import { type Instance, layOutInstances, loadSeconds, orderOf, startSeconds } from './instances.ts';
import { applyEffort, type Plan } from './plan.ts';
import { type Effort, fitBudget } from './timeline/budget.ts';
import type { Batch } from './timeline/slices.ts';
import { drainFor, retime } from './timeline/timeline.ts';

/** Times of the starts that are over. */
export interface Spent {
  /** How many are over: 1 or more. */
  starts: number;
  /** The last of them with its load, without searches. Null: variants failed in it, so it shows nothing of the others. */
  lastMs: number | null;
  /** So many times longer than planned did a start take without its load, by those before. Left out: 1. */
  slower?: number;
  /** All since the budget began. */
  allMs: number;
  /** How long the requests of each scenario took to end. */
  drainedMs: ReadonlyMap<string, number>;
  /** Ids of the variants that have not failed. Left out: all of them. */
  left?: ReadonlySet<string>;
}

/** The rest of a plan, how long its next start may take, and what starts showed for later ones. */
export interface Rest {
  plan: Plan;
  nextMs: number;
  slower: number;
}

/**
 * The rest of a plan with a budget, by how long the last start took: by times alone, never by what was measured. The
 * plan stays as it is if not even MIN_INSTANCES starts, and one more than there were, would fit.
 */
export function planRest(config: Judged & { budgetMs: number }, planned: Plan, spent: Spent): Rest {
  const { variants, instances } = planned;
  const done = instances.slice(0, spent.starts);
  const last = keepLeft(done.at(-1) as Instance, spent.left);
  const loaded = (instance: Instance) => loadSeconds(asRun(instance, spent.drainedMs), config);
  // Slow starts may come with longer pauses between slices, but fast ones do not shorten them.
  const slower =
    spent.lastMs === null
      ? (spent.slower ?? 1)
      : Math.max(0, (spent.lastMs / 1000 - loaded(last)) / startSeconds(last, config));
  const seconds = (planned: Instance) => {
    const instance = keepLeft(planned, spent.left);
    return loaded(instance) + slower * startSeconds(instance, config);
  };
  const lay = (effort: Effort, limit?: number) => layOutInstances(config, variants, effort, limit);
  const secondsOf = (effort: Effort) =>
    spent.allMs / 1000 + (effort.instances - done.length) * seconds(lay(effort, 2)[1] as Instance);
  const tests = countTests(variants, config);
  const order = orderOf(config.other, variants);
  const withNext = (plan: Plan): Rest => {
    const next = plan.instances[done.length];
    return { plan, nextMs: next ? 1000 * seconds(next) : 0, slower };
  };
  let effort: Effort;
  try {
    effort = fitBudget(
      config.budgetMs,
      config.scenarios,
      Math.max(1, tests),
      order,
      secondsOf,
      done.map(countBlocks),
    );
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

/** So many blocks a start had, at least. */
function countBlocks({ batches }: Instance): number {
  const blocks = batches.flatMap(({ slices }) => slices.map(({ block }) => block + 1));
  return Math.max(1, ...blocks);
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
