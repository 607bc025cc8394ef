import type { Config, Scenario } from '../config/types.ts';
import type { Arena } from '../engine/arena.ts';
import { type Docker, LABEL, removeContainers } from '../engine/docker.ts';
import type { Services } from '../engine/services.ts';
import type { Host } from '../host.ts';
import type { Built } from '../images/build.ts';
import { warnOfRest } from '../plan/effort.ts';
import { type Instance, type Plan, planRest } from '../plan/plan.ts';
import type { Batch } from '../plan/slices.ts';
import { batchMs, drainFor, retime } from '../plan/timeline.ts';
import {
  type CheckedPage,
  type ColdStart,
  type Duet,
  type Facts,
  type Failure,
  type Measurement,
  OTHER_ANSWERS,
  type Search,
  type Warning,
} from '../results/results.ts';
import { runLoad } from './load/batch.ts';
import { longestDrainMs, slowestTypicalMs } from './load/drain.ts';
import { bringJourney } from './load/k6-run.ts';
import { listListeners } from './load/probe.ts';
import { searchCapacities } from './measure/capacity-search.ts';
import { findOthersInDuets, measureDuets, type OtherInDuet } from './measure/duets.ts';
import { measure } from './measure/measure.ts';
import { type Sampler, startSampler, type Watch } from './sample/sampler.ts';
import { keepLogs } from './servers/logs.ts';
import {
  BEHIND,
  findDeaths,
  removeServers,
  type Server,
  startServers,
  type Wanted,
  wantedOf,
} from './servers/servers.ts';
import { restartServers } from './verify/again.ts';
import { checkAnswers, type Known } from './verify/answers.ts';
import { addLog, explainSlice } from './verify/app-evidence.ts';
import type { CheckedOf } from './verify/checked.ts';
import { checkedOf } from './verify/learned.ts';
import { recheckAnswers } from './verify/recheck.ts';

/** What became of a variant in the run. */
export interface VariantOutcome {
  facts: Facts | null;
  coldStartMs: number[];
  /** Fresh starts timed by themselves. */
  coldStart?: ColdStart;
  failure: Failure | null;
}

export interface RunWorld {
  host: Host;
  docker: Docker;
  arena: Arena;
  run: string;
  config: Config;
  plan: Plan;
  /** By image key; a variant without an image does not take part. */
  images: ReadonlyMap<string, Built>;
  /** What becomes of each variant is noted here, so that a run which is stopped keeps it. */
  outcomes: Map<string, VariantOutcome>;
  memoryBytes: number;
  /** What the app needs beside its server; null: nothing. */
  services: Services | null;
  k6Image: string;
  samplerScript: string;
  signal: AbortSignal;
  /** Something happened that stays on the screen. */
  say(line: string): void;
  /** Something that belongs into the report. */
  warn(warning: Warning): void;
  /** What runs now, and how much of the planned load is done, 0…1. */
  at(what: string, share: number): void;
  keep(measurements: readonly Measurement[], duets: readonly Duet[]): Promise<void>;
  /** The rest was planned anew: what comes of it is in the record. */
  keepPlan(plan: Plan): void;
  /** What was checked before the load. */
  keepChecked(pages: readonly CheckedPage[]): void;
  keepSearch(search: Search): Promise<void>;
  keepRaw(name: string, text: string): Promise<void>;
  /** The same, piece by piece. */
  appendRaw(name: string, text: string): Promise<void>;
}

/**
 * Carries the plan out: per instance start, verify, warm up, load in slices, stop. A variant that fails drops
 * out with its reason, the others go on; what was measured is kept at once.
 */
export async function runPlan(given: RunWorld): Promise<void> {
  const { outcomes } = given;
  let world = given;
  let { plan } = world;
  for (const { id, image, front } of plan.variants) {
    const built = [image, ...(front ? [front] : [])].map((key) => world.images.get(key));
    if (built.every((one) => one && 'facts' in one))
      outcomes.set(id, { facts: null, coldStartMs: [], failure: null });
  }
  const totalOf = (of: Plan) => of.instances.reduce((sum, instance) => sum + instanceMs(instance, of), 0);
  let total = totalOf(plan);
  const beganMs = world.host.elapsed();
  const sampler = await startSampler(world);
  const learned: Learned = {
    sampler,
    known: { rounds: [], reported: new Set(), learned: new Map() },
    explained: new Set(),
    drainedMs: new Map(),
    typicalMs: new Map(),
    brought: null,
    searchedMs: 0,
  };
  try {
    let doneMs = 0;
    let longestMs = 0;
    const { budgetMs = Infinity } = world.config;
    for (let next = 0; next < plan.instances.length; next++) {
      const instance = plan.instances[next] as Instance;
      if ([...outcomes.values()].every((outcome) => outcome.failure)) break;
      const before = doneMs;
      const fromMs = world.host.elapsed();
      if (fromMs + longestMs > beganMs + budgetMs) {
        world.warn({
          code: 'budget',
          message: `the budget was used up after ${instance.index} of ${plan.instances.length} instances, as starts or slices took longer than planned`,
          remedy: 'give a larger budget, or fewer variants',
          variant: null,
        });
        break;
      }
      const at = (what: string, ms: number) => world.at(what, Math.min(1, (before + ms) / total));
      await runInstance(world, learned, instance, at);
      // The first takes longer, so that it says nothing of the others unless there is no other.
      const tookMs = world.host.elapsed() - fromMs - (instance.index === 0 ? learned.searchedMs : 0);
      longestMs = instance.index < 2 ? tookMs : Math.max(longestMs, tookMs);
      doneMs += instanceMs(instance, plan);
      if (instance.index > 0) continue;
      const rest = planRest(world.config, plan, tookMs, learned.searchedMs);
      if (rest === null) continue;
      world.keepPlan(rest);
      for (const warning of warnOfRest(plan, rest, tookMs)) world.warn(warning);
      world = { ...world, plan: rest };
      plan = rest;
      total = totalOf(plan);
    }
  } finally {
    await sampler.close();
  }
}

/** What outlives an instance. */
interface Learned {
  sampler: Sampler;
  known: Known;
  /** Variants whose first failed requests were looked into. */
  explained: Set<string>;
  /** Scenario → the longest time after the end of a slice that a request took, ms. */
  drainedMs: Map<string, number>;
  /** Scenario → how long a request of the slowest variant typically takes, ms. */
  typicalMs: Map<string, number>;
  /** The scenario whose journey lies in the arena. */
  brought: string | null;
  /** How long the first instance was searched for capacities, ms. */
  searchedMs: number;
}

async function runInstance(
  world: RunWorld,
  learned: Learned,
  instance: Instance,
  at: (what: string, doneMs: number) => void,
): Promise<void> {
  const { outcomes } = world;
  const of = `instance ${instance.index + 1}/${world.plan.instances.length}`;
  at(`${of}: starting`, 0);
  const failed: string[] = [];
  const fail = (variant: string, failure: Failure) => {
    const outcome = outcomes.get(variant);
    if (!outcome || outcome.failure) return;
    outcome.failure = failure;
    failed.push(variant);
    world.say(`${labelOf(world, variant)} failed (${failure.stage}): ${failure.reason.split('\n')[0]}`);
  };
  const servers = await startAll(world, instance, fail);
  let watch: Watch | null = null;
  try {
    const watchAll = () =>
      learned.sampler.watch([...servers.values()], world.services?.containers, (text) =>
        world.appendRaw(`raw/resources/${instance.index}.txt`, text),
      );
    const watching = watchAll();
    watching.catch(() => {});
    // In the order of the plan, as they started in another each time: with no majority the first counts as right.
    const inOrder = world.plan.variants.flatMap(({ id }) => servers.get(id) ?? []);
    const restart = (ids: readonly string[]) => restartServers(world, instance, ids, fail);
    const checked = await checkAnswers(world, inOrder, learned.known, { fail, restart });
    for (const server of checked) servers.set(server.variant.id, server);
    watch = await watching;
    if (checked.some((server) => !inOrder.includes(server))) watch = await watchAll();
    await drop(world, instance, servers, failed);
    if (servers.size === 0) return;
    let doneMs = 0;
    const measured: Measurement[] = [];
    const prepare = async (scenario: Scenario) => {
      if (scenario.name !== learned.brought) await bringJourney(world.docker, world.arena.name, scenario);
      learned.brought = scenario.name;
    };
    for (const batch of instance.batches) {
      at(`${of}: ${batch.scenario.name}`, doneMs);
      await prepare(batch.scenario);
      measured.push(...(await runBatch(world, learned, instance, batch, servers, watch, fail)));
      await drop(world, instance, servers, failed);
      doneMs += batchMs(batch);
      if (servers.size === 0) return;
    }
    await recheckAnswers(world, [...servers.values()], learned.known.learned, fail);
    await drop(world, instance, servers, failed);
    if (servers.size === 0) return;
    if (searchesMs(instance, world.plan) > 0) {
      const done = (what: string, ms: number) => at(`${of}: ${what}`, doneMs + ms);
      const fromMs = world.host.elapsed();
      await searchCapacities(
        world,
        { instance, servers: [...servers.values()], watch, measured, checkedOf: checkedIn(learned, servers) },
        prepare,
        done,
      );
      learned.searchedMs = world.host.elapsed() - fromMs;
    }
  } finally {
    for (const warning of (await world.services?.findDead()) ?? []) world.warn(warning);
    await stopAll(world, instance, servers, watch);
  }
}

/**
 * In the first instance one variant after the other, so that each cold start has the machine to itself; from then on
 * all at once.
 */
async function startAll(
  world: RunWorld,
  instance: Instance,
  fail: (variant: string, failure: Failure) => void,
): Promise<Map<string, Server>> {
  // A leftover server on one of our ports would be measured in place of ours.
  const taken = await listListeners(world.docker, world.arena.name);
  const wanted = instance.startOrder.flatMap((id): Wanted[] => {
    const variant = world.plan.variants.find((v) => v.id === id);
    const what = variant && wantedOf(world.images, variant);
    if (!what || world.outcomes.get(id)?.failure !== null) return [];
    const port = instance.ports[id] as number;
    const ports = what.front === undefined ? [port] : [port, port + BEHIND];
    const busy = ports.find((one) => taken.includes(one));
    if (busy === undefined) return [what];
    const reason = `something else listens on its port ${busy}`;
    fail(id, { stage: 'start', reason, log: '' });
    return [];
  });
  const cold = instance.index === 0;
  for (const { variant } of [...wanted]) {
    const failure = await world.services?.reset(variant);
    if (!failure) continue;
    fail(variant.id, failure);
    wanted.splice(
      wanted.findIndex((one) => one.variant === variant),
      1,
    );
  }
  const context = { ...world, arena: world.arena.name, cpus: world.plan.cpus };
  const servers = new Map<string, Server>();
  for (const group of cold ? wanted.map((one) => [one]) : [wanted]) {
    for (const [id, started] of await startServers(context, group, instance)) {
      const outcome = world.outcomes.get(id) as VariantOutcome;
      if ('stage' in started) {
        fail(id, started);
        continue;
      }
      const failure = await world.services?.setUp(started.variant, started.container);
      if (failure) {
        fail(id, failure);
        continue;
      }
      outcome.facts = started.facts ?? outcome.facts;
      if (cold) outcome.coldStartMs.push(Math.round(started.coldStartMs));
      servers.set(id, started);
    }
  }
  return servers;
}

async function runBatch(
  world: RunWorld,
  learned: Learned,
  instance: Instance,
  planned: Batch,
  servers: Map<string, Server>,
  watch: Watch,
  fail: (variant: string, failure: Failure) => void,
): Promise<Measurement[]> {
  const { docker } = world;
  const { drainedMs, typicalMs } = learned;
  const { scenario } = planned;
  const slices = planned.slices.filter((s) => servers.has(s.variant));
  if (slices.length === 0) return [];
  const batch = retime(
    { ...planned, slices },
    drainFor(scenario, drainedMs.get(scenario.name) ?? null),
    typicalMs.get(scenario.name) ?? null,
  );
  // Duets alone, whose others have dropped out.
  if (batch.slices.length === 0) return [];
  const { load, loaded } = await runLoad(world, instance, batch, watch, checkedIn(learned, servers));
  const measurements = measure(loaded);
  const typical = slowestTypicalMs(batch, load.summary);
  // Learnt once: all instances are measured alike.
  if (typical !== null && !typicalMs.has(scenario.name)) typicalMs.set(scenario.name, typical);
  const drained = longestDrainMs(batch, load.summary);
  if (drained !== null) {
    drainedMs.set(scenario.name, Math.max(drained, drainedMs.get(scenario.name) ?? 0));
  }
  for (const [variant, death] of await findDeaths(docker, [...servers.values()])) {
    fail(variant, death);
    for (const m of measurements) {
      if (m.variant !== variant || m.errors.length === 0) continue;
      m.outcome = 'failed';
      m.reason = death.reason;
    }
  }
  const others = [...measurements.filter(({ code }) => code === OTHER_ANSWERS), ...findOthersInDuets(loaded)];
  await explainErrors(world, learned, { measurements, others }, servers, loaded.beganMs, fail);
  await world.keep(measurements, measureDuets(loaded));
  return measurements;
}

/** Fails the variants whose slices were not of what was checked; the first errors of others get what was logged. */
async function explainErrors(
  world: RunWorld,
  { explained }: Learned,
  { measurements, others }: { measurements: readonly Measurement[]; others: readonly OtherInDuet[] },
  servers: ReadonlyMap<string, Server>,
  sinceMs: number,
  fail: (variant: string, failure: Failure) => void,
): Promise<void> {
  for (const server of servers.values()) {
    const isOwn = ({ variant }: Pick<Measurement, 'variant'>) => variant === server.variant.id;
    const other = others.find(isOwn);
    const wrong = measurements.find((slice) => isOwn(slice) && slice.errors.length > 0);
    if (other) {
      const reason = other.reason ?? '';
      fail(server.variant.id, await explainSlice(world, server, other, reason, sinceMs));
    } else if (wrong && !explained.has(server.variant.id)) {
      explained.add(server.variant.id);
      await addLog(world, server, wrong, sinceMs);
    }
  }
}

/** What is known of the answers of those that serve. */
function checkedIn({ known }: Learned, servers: ReadonlyMap<string, Server>): CheckedOf {
  return (id, scenario) => {
    const server = servers.get(id);
    return server ? checkedOf(known.learned, server.variant, scenario) : null;
  };
}

/** What has failed takes no part any more, and is gone: one that tries to start over and over takes CPU from the others. */
async function drop(
  world: RunWorld,
  instance: Instance,
  servers: Map<string, Server>,
  failed: string[],
): Promise<void> {
  const variants = failed.splice(0);
  for (const id of variants) servers.delete(id);
  const logOf = (id: string) => world.outcomes.get(id)?.failure?.log;
  await Promise.all(variants.map((id) => keepLogs(world, instance, id, logOf(id))));
  await removeServers(world, instance, variants);
}

async function stopAll(
  world: RunWorld,
  instance: Instance,
  servers: Map<string, Server>,
  watch: Watch | null,
): Promise<void> {
  const { docker } = world;
  await Promise.all([...servers.keys()].map((id) => keepLogs(world, instance, id)));
  // By name, so that those which failed are among them. Nothing is in flight, so nothing waits for a graceful end.
  const names = await docker.try([
    ...['container', 'ls', '--all', '--quiet', '--filter', `label=${LABEL}=${world.run}`],
    ...['--filter', `name=php-runtime-bench-${world.run}-${instance.index}-`],
  ]);
  const ids = names.stdout.split('\n').filter(Boolean);
  await removeContainers(docker, ids);
  if (!watch) return;
  await watch.raw.flush();
}

function labelOf(world: RunWorld, id: string): string {
  return world.plan.variants.find((v) => v.id === id)?.label ?? id;
}

function instanceMs(instance: Instance, plan: Plan): number {
  return instance.batches.reduce((sum, batch) => sum + batchMs(batch), searchesMs(instance, plan));
}

/** Only the first instance has searches: the others are for comparing. */
function searchesMs({ index }: Instance, { searches }: Plan): number {
  return index === 0 ? (searches?.atMostMs ?? 0) : 0;
}
