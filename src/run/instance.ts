import type { Instance } from '../plan/instances.ts';
import { searchesMs } from '../plan/timeline/capacity-plan.ts';
import { batchMs } from '../plan/timeline/timeline.ts';
import type { Failure, Measurement } from '../results/results.ts';
import { countRecompiled } from './counters/recompiled.ts';
import { searchCapacities } from './measure/capacity-search.ts';
import { type Loading, measureBatch } from './measure/measure-batch.ts';
import { warnOfIgnoredIni } from './passes/passes.ts';
import type { Sampler, Watch } from './sample/sampler.ts';
import { startInstance } from './servers/instance-start.ts';
import { keepLogs } from './servers/logs.ts';
import { restartServers } from './servers/restart-servers.ts';
import { removeServers, type Server } from './servers/servers.ts';
import { checkAnswers, type KnownAnswers } from './verify/answers.ts';
import type { CheckedOf } from './verify/checked.ts';
import { checkedOf } from './verify/learned.ts';
import { recheckAnswers } from './verify/recheck.ts';
import { listPresent, type World } from './world.ts';

/** State that outlives an instance. */
export interface RunMemory extends Loading {
  sampler: Sampler;
  known: KnownAnswers;
  /** The time of what is done in the first instance only, behind its load, ms. */
  onceMs: number;
}

export function learnNothing(sampler: Sampler): RunMemory {
  return {
    sampler,
    known: { rounds: [], reported: new Set(), learned: new Map() },
    explained: new Set(),
    drainedMs: new Map(),
    typicalMs: new Map(),
    idleMs: new Map(),
    measured: new Set(),
    onceMs: 0,
  };
}

/** For an instance: the text of its progress, in ms of load done. */
type At = (what: string, doneMs: number) => void;

/** An instance and the servers that run in it; those that failed leave it. */
interface Current {
  instance: Instance;
  servers: Map<string, Server>;
  /** Null: not watched yet. */
  watch: Watch | null;
  fail(variant: string, failure: Failure): void;
  /** Removes those that failed, and their bases: one that tries to start over and over takes CPU from the others. */
  drop(): Promise<void>;
}

export async function runInstance(
  world: World,
  learned: RunMemory,
  instance: Instance,
  at: At,
): Promise<void> {
  const { job, sink } = world;
  const of = `instance ${instance.index + 1}/${job.plan.instances.length}`;
  at(`${of}: starting`, 0);
  const current = await open(world, instance, (what) => at(`${of}: ${what}`, 0));
  try {
    if (instance.index === 0) warnOfIgnoredIni(world);
    const watch = await verify(world, learned, current);
    await current.drop();
    if (current.servers.size === 0) return;
    await loadAll(world, learned, current, watch, (what, ms) => at(`${of}: ${what}`, ms));
  } finally {
    for (const warning of (await job.services?.findDead()) ?? []) sink.warn(warning);
    await stopAll(world, current);
  }
}

async function open(world: World, instance: Instance, at: (what: string) => void): Promise<Current> {
  const { engine, job, sink } = world;
  const failed: string[] = [];
  const fail = (variant: string, failure: Failure) => {
    const outcome = job.outcomes.get(variant);
    if (!outcome || outcome.failure) return;
    outcome.failure = failure;
    failed.push(variant);
    const label = job.plan.variants.find(({ id }) => id === variant)?.label ?? variant;
    sink.say(`${label} failed (${failure.stage}): ${failure.reason.split('\n')[0]}`);
  };
  const servers = await startInstance(world, instance, fail, at);
  const drop = async () => {
    const present = new Set(listPresent(job).map(({ id }) => id));
    const needless = [...servers.keys()].filter((id) => !present.has(id));
    const gone = new Set([...failed.splice(0), ...needless]);
    for (const id of gone) servers.delete(id);
    const logOf = (id: string) => job.outcomes.get(id)?.failure?.log;
    const variants = job.plan.variants.filter(({ id }) => gone.has(id));
    await Promise.all(variants.map((one) => keepLogs(engine, sink, instance, one, logOf(one.id))));
    await removeServers(engine, instance, [...gone]);
  };
  return { instance, servers, watch: null, fail, drop };
}

/** Checks the answers of all, and watches them. */
async function verify(world: World, learned: RunMemory, current: Current): Promise<Watch> {
  const { job, sink } = world;
  const { instance, servers, fail } = current;
  const watchAll = () =>
    learned.sampler.watch([...servers.values()], job.services?.containers, (text) =>
      sink.appendRaw(`raw/resources/${instance.index}.txt`, text),
    );
  const watching = watchAll();
  watching.catch(() => {});
  // In the order of the plan, as they started in another each time: with no majority the first counts as right.
  const inOrder = job.plan.variants.flatMap(({ id }) => servers.get(id) ?? []);
  const restart = (ids: readonly string[]) => restartServers(world, instance, ids, fail);
  const checked = await checkAnswers(world, inOrder, learned.known, { fail, restart });
  for (const server of checked) servers.set(server.variant.id, server);
  current.watch = await watching;
  if (checked.some((server) => !inOrder.includes(server))) current.watch = await watchAll();
  return current.watch;
}

/** All of an instance's load, and in the first the searches. */
async function loadAll(
  world: World,
  learned: RunMemory,
  current: Current,
  watch: Watch,
  at: At,
): Promise<void> {
  const { engine, job } = world;
  const { instance, servers, fail } = current;
  const checked = checkedIn(learned, servers);
  let doneMs = 0;
  const measured: Measurement[] = [];
  for (const batch of instance.batches) {
    at(batch.scenario.name, doneMs);
    measured.push(
      ...(await measureBatch(world, learned, batch, { instance, servers, watch, checkedOf: checked, fail })),
    );
    await current.drop();
    doneMs += batchMs(batch);
    if (servers.size === 0) return;
  }
  await recheckAnswers(world, [...servers.values()], learned.known.learned, fail);
  await current.drop();
  if (servers.size === 0 || instance.index > 0) return;
  const fromMs = engine.host.elapsed();
  await noteRecompiled(world, [...servers.values()]);
  if (searchesMs(instance, job.plan) > 0) {
    await searchCapacities(
      world,
      { instance, servers: [...servers.values()], watch, measured, checkedOf: checked },
      (what, ms) => at(what, doneMs + ms),
    );
  }
  learned.onceMs = engine.host.elapsed() - fromMs;
}

/** A count that fails ends no run. */
async function noteRecompiled(world: World, servers: readonly Server[]): Promise<void> {
  const counted = await countRecompiled(world, servers).catch(() => new Map<string, number>());
  world.engine.signal.throwIfAborted();
  for (const [id, files] of counted) {
    const outcome = world.job.outcomes.get(id);
    if (outcome) outcome.recompiled = files;
  }
}

/** Checked answers of the running servers. */
function checkedIn({ known }: RunMemory, servers: ReadonlyMap<string, Server>): CheckedOf {
  return (id, scenario) => {
    const server = servers.get(id);
    return server ? checkedOf(known.learned, server.variant, scenario) : null;
  };
}

async function stopAll({ engine, sink }: World, { instance, servers, watch }: Current): Promise<void> {
  await Promise.all([...servers.values()].map(({ variant }) => keepLogs(engine, sink, instance, variant)));
  // Those that failed among them. Nothing is in flight, so nothing waits for a graceful end.
  await removeServers(engine, instance, instance.startOrder);
  await watch?.raw.flush();
}
