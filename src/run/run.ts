import type { Built } from '../build/build.ts';
import type { Config, Scenario } from '../config/types.ts';
import type { Host } from '../host.ts';
import type { Batch, Instance, Plan } from '../plan/plan.ts';
import type { Facts, Failure, Measurement } from '../results.ts';
import type { Arena } from './arena.ts';
import { type Docker, LABEL, readLog } from './docker.ts';
import { k6Environment } from './k6.ts';
import { batchName, bringJourney, loadBatch } from './load.ts';
import { measure } from './measure.ts';
import { ask, listListeners } from './probe.ts';
import { describeColumns, type Sampler, startSampler, waitForSamples } from './sampler.ts';
import { findDeath, type Server, startServer } from './servers.ts';
import { type Asked, findDifferent } from './verify.ts';

/** What became of a variant in the run. */
export interface VariantOutcome {
  facts: Facts | null;
  coldStartMs: number[];
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
  k6Image: string;
  samplerScript: string;
  signal: AbortSignal;
  /** Something happened that stays on the screen. */
  say(line: string): void;
  /** What runs now, and how much of the planned load is done, 0…1. */
  at(what: string, share: number): void;
  keep(measurements: readonly Measurement[]): Promise<void>;
  keepRaw(name: string, text: string): Promise<void>;
}

/**
 * Carries the plan out: per instance start, verify, warm up, load in slices, stop. A variant that fails drops
 * out with its reason, the others go on; what was measured is kept at once.
 */
export async function runPlan(world: RunWorld): Promise<void> {
  const { plan, outcomes } = world;
  for (const { id, image } of plan.variants) {
    const built = world.images.get(image);
    if (built && 'facts' in built) outcomes.set(id, { facts: null, coldStartMs: [], failure: null });
  }
  const total = plan.instances.reduce((sum, instance) => sum + instanceMs(instance), 0);
  let doneMs = 0;
  for (const instance of plan.instances) {
    if ([...outcomes.values()].every((outcome) => outcome.failure)) break;
    const before = doneMs;
    await runInstance(world, instance, (what, ms) => world.at(what, Math.min(1, (before + ms) / total)));
    doneMs += instanceMs(instance);
  }
}

async function runInstance(
  world: RunWorld,
  instance: Instance,
  at: (what: string, doneMs: number) => void,
): Promise<void> {
  const { outcomes } = world;
  const of = `instance ${instance.index + 1}/${world.plan.instances.length}`;
  at(`${of}: starting`, 0);
  const fail = (variant: string, failure: Failure) => {
    const outcome = outcomes.get(variant);
    if (!outcome || outcome.failure) return;
    outcome.failure = failure;
    world.say(`${labelOf(world, variant)} failed (${failure.stage}): ${failure.reason.split('\n')[0]}`);
  };
  const servers = await startAll(world, instance, fail);
  let sampler: Sampler | null = null;
  try {
    await verify(world, [...servers.values()], fail);
    drop(servers, outcomes);
    if (servers.size === 0) return;
    sampler = await startSampler(world, [...servers.values()]);
    let doneMs = 0;
    let scenario: Scenario | null = null;
    for (const batch of instance.batches) {
      at(`${of}: ${batch.scenario.name}`, doneMs);
      if (batch.scenario !== scenario) await bringJourney(world.docker, world.arena.name, batch.scenario);
      scenario = batch.scenario;
      await runBatch(world, instance, batch, servers, sampler, fail);
      drop(servers, outcomes);
      doneMs += batchMs(batch);
      if (servers.size === 0) return;
    }
  } finally {
    await stopAll(world, instance, servers, sampler);
  }
}

/** One variant after the other, so that each cold start has the machine to itself. */
async function startAll(
  world: RunWorld,
  instance: Instance,
  fail: (variant: string, failure: Failure) => void,
): Promise<Map<string, Server>> {
  // A leftover server on one of our ports would be measured in place of ours.
  const taken = await listListeners(world.docker, world.arena.name);
  const servers = new Map<string, Server>();
  for (const id of instance.startOrder) {
    const outcome = world.outcomes.get(id);
    const variant = world.plan.variants.find((v) => v.id === id);
    if (!outcome || !variant || outcome.failure) continue;
    if (taken.includes(instance.ports[id] as number)) {
      fail(id, {
        stage: 'start',
        reason: `something else listens on its port ${instance.ports[id]}`,
        log: '',
      });
      continue;
    }
    const built = world.images.get(variant.image);
    if (!built || !('facts' in built)) continue;
    const context = { ...world, arena: world.arena.name, cpus: world.plan.cpus, image: built.facts.name };
    const started = await startServer(context, variant, instance);
    if ('stage' in started) {
      fail(id, started);
      continue;
    }
    outcome.facts = started.facts ?? outcome.facts;
    outcome.coldStartMs.push(Math.round(started.coldStartMs));
    servers.set(id, started);
  }
  return servers;
}

/** Asks every variant of an app the same, twice, and fails those that answer differently from the others. */
async function verify(
  world: RunWorld,
  servers: readonly Server[],
  fail: (variant: string, failure: Failure) => void,
): Promise<void> {
  const wanted = new Set(world.config.scenarios.flatMap(pathsOf));
  // What a script asks is its own business; it may be that nothing is there on `/`.
  const scripted = world.config.scenarios.some((scenario) => scenario.journey.kind !== 'paths');
  const paths = new Set([...wanted, ...(scripted ? ['/'] : [])]);
  const byApp = new Map<string, Asked[]>();
  for (const { variant, port } of servers) {
    const questions = [...paths].map((path) => ({
      id: path,
      url: `http://127.0.0.1:${port}${path}`,
      host: 'bench.test',
    }));
    // Each variant by itself: one that answers without end must not take the others' answers with it.
    const round = () => ask(world.docker, world.arena.name, questions, 0, world.signal);
    try {
      const [first, second] = [await round(), await round()];
      const asked = [...paths].map(
        (path) =>
          ({
            variant: variant.id,
            path,
            mayRefuse: !wanted.has(path),
            first: first[path],
            second: second[path],
          }) as Asked,
      );
      byApp.set(variant.app.name, [...(byApp.get(variant.app.name) ?? []), ...asked]);
    } catch (error) {
      world.signal.throwIfAborted();
      fail(variant.id, {
        stage: 'verify',
        reason: `its answers cannot be read: ${(error as Error).message}`,
        log: '',
      });
    }
  }
  for (const asked of byApp.values()) {
    for (const [id, reason] of findDifferent(asked)) {
      const server = servers.find((s) => s.variant.id === id) as Server;
      fail(id, { stage: 'verify', reason, log: await readLog(world.docker, server.container, 20) });
    }
  }
}

function pathsOf({ journey }: Scenario): readonly string[] {
  return journey.kind === 'paths' ? journey.paths : [];
}

async function runBatch(
  world: RunWorld,
  instance: Instance,
  planned: Batch,
  servers: Map<string, Server>,
  sampler: Sampler,
  fail: (variant: string, failure: Failure) => void,
): Promise<void> {
  const { plan, host, docker } = world;
  const batch = { ...planned, slices: planned.slices.filter((s) => servers.has(s.variant)) };
  if (batch.slices.length === 0) return;
  const beganMs = host.now();
  const environment = k6Environment(plan.cpus.load.length, world.memoryBytes);
  const { signal } = world;
  const load = await loadBatch(docker, world.arena.name, batch, instance.ports, environment, { signal });
  await waitForSamples(world, sampler, batch, load.summary);
  const measurements = measure({
    batch,
    instance: instance.index,
    summary: load.summary,
    trouble: load.trouble,
    errors: load.errors,
    samples: sampler.samples,
    containers: sampler.indices,
    arena: 0,
    serverCpus: plan.cpus.server,
    loadCpus: plan.cpus.load,
    beganMs,
  });
  if (load.trouble) world.say(load.trouble);
  for (const server of servers.values()) {
    const death = await findDeath(docker, server);
    if (!death) continue;
    fail(server.variant.id, death);
    for (const m of measurements) {
      if (m.variant !== server.variant.id || m.errors.length === 0) continue;
      m.outcome = 'failed';
      m.reason = death.reason;
    }
  }
  const folder = `raw/${batch.scenario.name}/${instance.index}`;
  await world.keepRaw(`${folder}/${batchName(batch)}`, load.stdout);
  if (load.stderr) await world.keepRaw(`${folder}/${batchName(batch).replace('.json', '.log')}`, load.stderr);
  await world.keep(measurements);
}

/** Servers whose variant has failed no longer take part. */
function drop(servers: Map<string, Server>, outcomes: Map<string, VariantOutcome>): void {
  for (const id of servers.keys()) if (outcomes.get(id)?.failure) servers.delete(id);
}

async function stopAll(
  world: RunWorld,
  instance: Instance,
  servers: Map<string, Server>,
  sampler: Sampler | null,
): Promise<void> {
  const { docker } = world;
  for (const { variant, container } of servers.values()) {
    const log = await readLog(docker, container, 500);
    if (log) await world.keepRaw(`raw/logs/${instance.index}/${fileName(variant.id)}.log`, log);
  }
  const names = await docker.try([
    ...['container', 'ls', '--all', '--quiet', '--filter', `label=${LABEL}=${world.run}`],
    ...['--filter', `name=php-runtime-bench-${world.run}-`],
  ]);
  const ids = names.stdout.split('\n').filter(Boolean);
  if (ids.length > 0) await docker.try(['container', 'rm', '--force', '--volumes', ...ids]);
  if (!sampler) return;
  await sampler.running.done;
  await world.keepRaw(
    `raw/resources/${instance.index}.txt`,
    `${describeColumns(sampler)}\n${sampler.lines.join('\n')}\n`,
  );
}

/** A variant's id as a file name: it holds `/`, `[`, `=` and `,`. */
function fileName(id: string): string {
  return id.replace(/[^A-Za-z0-9@.=-]+/g, '_');
}

function labelOf(world: RunWorld, id: string): string {
  return world.plan.variants.find((v) => v.id === id)?.label ?? id;
}

function instanceMs({ batches }: Instance): number {
  return batches.reduce((sum, batch) => sum + batchMs(batch), 0);
}

function batchMs(batch: Batch): number {
  return batch.slices.reduce((sum, s) => sum + (s.durationMs ?? 0) + batch.scenario.timeoutMs, 0);
}
