import { findBroken } from '../images/build.ts';
import { warnOfRest, warnOfUsedUp } from '../plan/effort.ts';
import type { Instance } from '../plan/instances.ts';
import type { Plan } from '../plan/plan.ts';
import { planRest } from '../plan/rest.ts';
import { searchesMs } from '../plan/timeline/capacity-plan.ts';
import { batchMs } from '../plan/timeline/timeline.ts';
import { learnNothing, type RunMemory, runInstance } from './instance.ts';
import { type SamplerTool, startSampler } from './sample/sampler.ts';
import { listPresent, type World } from './world.ts';

/**
 * Carries the plan out: per instance start, verify, warm up, load in slices, stop. A variant that fails drops
 * out with its reason, the others go on; results so far are kept at once.
 *
 * @returns the world with the plan that was carried out
 */
export async function runPlan(world: World, tool: Omit<SamplerTool, 'cpus'>): Promise<World> {
  const { engine, job, sink } = world;
  for (const variant of job.plan.variants) {
    const failure = findBroken(job.images, variant) ?? null;
    job.outcomes.set(variant.id, { facts: null, coldStartMs: [], failure });
  }
  const untilMs = engine.host.elapsed() + (job.config.budgetMs ?? Infinity);
  const sampler = await startSampler(engine, sink, { ...tool, cpus: job.plan.cpus });
  try {
    return await runInstances(world, learnNothing(sampler), untilMs);
  } finally {
    await sampler.close();
  }
}

/** So many starts show how long one takes: the first also has what only it costs. */
const SHOWN = 2;

/**
 * Runs one instance after the other until `untilMs`, by `Host.elapsed`. The first ones show how long one takes, so the rest
 * is planned anew after each. One in which variants failed shows nothing of the others.
 *
 * @returns the world with the last plan
 */
export async function runInstances(
  given: World,
  learned: RunMemory,
  untilMs: number,
  runOne = runInstance,
): Promise<World> {
  let world = given;
  const { host } = world.engine;
  const { budgetMs } = world.job.config;
  const listLeft = () => new Set(listPresent(world.job).map(({ id }) => id));
  let left = listLeft();
  let [doneMs, nextMs, shown, slower] = [0, 0, 0, 1];
  for (let next = 0; next < world.job.plan.instances.length; next++) {
    const { plan } = world.job;
    const instance = plan.instances[next] as Instance;
    if (left.size === 0) return world;
    const fromMs = host.elapsed();
    if (fromMs + nextMs > untilMs) {
      for (const warning of warnOfUsedUp(given.job.plan, plan, instance.index)) world.sink.warn(warning);
      return world;
    }
    const [soFarMs, total] = [doneMs, plannedLoadMs(plan)];
    const at = (what: string, ms: number) => world.sink.at(what, Math.min(1, (soFarMs + ms) / total));
    await runOne(world, learned, instance, at);
    const tookMs = host.elapsed() - fromMs - (instance.index === 0 ? learned.onceMs : 0);
    const before = left.size;
    left = listLeft();
    const lastMs = left.size === before ? tookMs : null;
    nextMs = Math.max(nextMs, lastMs ?? 0);
    doneMs += instanceMs(instance, plan);
    if (budgetMs === undefined || left.size === 0 || shown === SHOWN) continue;
    const allMs = host.elapsed() - (untilMs - budgetMs);
    const spent = { starts: next + 1, lastMs, slower, allMs, drainedMs: learned.drainedMs, left };
    const rest = planRest({ ...world.job.config, budgetMs }, plan, spent);
    ({ nextMs, slower } = rest);
    world = takePlan(world, rest.plan);
    if (lastMs === null || ++shown < SHOWN) continue;
    for (const warning of warnOfRest(given.job.plan, rest.plan, lastMs)) world.sink.warn(warning);
  }
  return world;
}

function takePlan(world: World, rest: Plan): World {
  const { job, sink } = world;
  const [before, now] = [job.plan.instances.length, rest.instances.length];
  if (rest === job.plan) return world;
  sink.keepPlan(rest);
  if (now !== before)
    sink.say(`by the time that a start takes, ${now} instances fit the budget, not ${before}`);
  return { ...world, job: { ...job, plan: rest } };
}

/** Time of all loads of a plan, without starts. */
export function plannedLoadMs(plan: Plan): number {
  return plan.instances.reduce((sum, instance) => sum + instanceMs(instance, plan), 0);
}

function instanceMs(instance: Instance, plan: Plan): number {
  return instance.batches.reduce((sum, batch) => sum + batchMs(batch), searchesMs(instance, plan));
}
