import { chmod, mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Scenario } from '../../config/types.ts';
import { LIMITS_MS } from '../../engine/docker.ts';
import type { Instance } from '../../plan/instances.ts';
import type { PlannedVariant } from '../../plan/variants.ts';
import type { Measurement } from '../../results/results.ts';
import { makeTemporary } from '../../temporary.ts';
import { type Sampler, type SamplerTool, startSampler, type Watch } from '../sample/sampler.ts';
import { startInstance } from '../servers/instance-start.ts';
import { keepLogs } from '../servers/logs.ts';
import { findDeaths, removeServers, type Server } from '../servers/servers.ts';
import { expectMachines } from '../verify/requests.ts';
import { listPresent, type Outfit, type VariantOutcome, type World } from '../world.ts';
import { loadServers } from './pass-load.ts';

/**
 * Something that is found out once all is measured, on fresh starts of variants: what it loads beside them, and what it costs,
 * is in no slice that decides. One variant's failure is a warning, and what was measured before stays as it is.
 */
export interface Pass {
  /** The code of its warnings. */
  code: 'profile' | 'count';
  /** For people: `profile`, `count of queries`. */
  title: string;
  /** Remedy in its warnings: `run again without --profile`. */
  remedy: string;
  variants: readonly PlannedVariant[];
  /** Fresh starts of them all, side by side, as in the measuring. */
  starts: number;
  /** Additions to a variant's image; null: none. `folder` is empty, on this machine, and removed with the pass. */
  outfit(variant: PlannedVariant, folder: string): Promise<Outfit | null>;
  /** Loads the servers of one fresh start, and keeps what it finds. */
  visit(ready: ReadyPass): Promise<void>;
}

/** A fresh start within a pass, as long as `visit` lasts. */
export interface ReadyPass {
  world: World;
  /** Its number within the pass, from 0. */
  start: number;
  /** By variant id, those that serve; who fails leaves it. */
  servers: ReadonlyMap<string, Server>;
  /**
   * One k6 process in the arena goes the journey of a scenario on those that serve, in turns where its load takes them; a
   * user's own script one process each. Requests, failures and CPU are in the measurements, which the run does not keep.
   *
   * @param only ids of variants that are loaded; left out: all
   */
  load(scenario: Scenario, only?: readonly string[]): Promise<Measurement[]>;
  /** The text of a file in a variant's container, as far as this many bytes. Errors: it is not there. */
  read(server: Server, file: string, maxBytes: number): Promise<string>;
  /** The variant leaves the pass, with a warning. */
  fail(variant: string, reason: string): void;
}

/** State that outlives a pass. */
interface Passes {
  sampler: Sampler;
  folder: string;
  /** Number of the next fresh start, behind those of the plan, so that no raw file takes the place of another. */
  index: number;
}

/** Runs passes one after the other. A stop ends them; errors of one are its warning. */
export async function runPasses(
  world: World,
  tool: Omit<SamplerTool, 'cpus'>,
  passes: readonly Pass[],
): Promise<void> {
  const { engine, job, sink } = world;
  if (passes.length === 0) return;
  const [first] = passes as [Pass];
  await guard(world, first, [], async () => {
    const folder = await makeTemporary(engine.run, 'pass');
    const sampler = await startSampler(engine, sink, { ...tool, cpus: job.plan.cpus });
    try {
      const state: Passes = { sampler, folder, index: job.plan.instances.length };
      for (const pass of passes) await runPass(world, state, pass);
    } finally {
      await sampler.close();
    }
  });
}

async function runPass(world: World, state: Passes, pass: Pass): Promise<void> {
  const { job } = world;
  const lost = new Set<string>();
  const present = new Set(listPresent(job).map(({ id }) => id));
  const served = pass.variants.filter(({ id }) => present.has(id));
  const outfits = new Map<string, Outfit>();
  for (const [i, variant] of served.entries()) {
    const fitted = await guard(world, pass, [variant], async () => {
      const folder = join(state.folder, `${state.index}-${i}`);
      await mkdir(folder);
      const outfit = await pass.outfit(variant, folder);
      await openToAll(folder);
      if (outfit) outfits.set(variant.id, outfit);
    });
    if (!fitted) lost.add(variant.id);
  }
  for (let start = 0; start < pass.starts; start++) {
    const left = served.filter(({ id }) => !lost.has(id));
    if (left.length === 0) return;
    world.sink.at(`${pass.title}: start ${start + 1}/${pass.starts}`, 1);
    await guard(world, pass, left, () => visitStart(world, state, pass, { start, left, lost, outfits }));
    state.index++;
  }
}

/** A container's server is another user than ours, and what is copied there keeps its mode, which our umask has narrowed. */
async function openToAll(folder: string): Promise<void> {
  await chmod(folder, 0o755);
  for (const one of await readdir(folder, { withFileTypes: true })) {
    await chmod(join(folder, one.name), one.isDirectory() ? 0o755 : 0o644);
  }
}

/** Whether it went well: an error is a warning. A stop and an engine that is gone are none. */
export async function guard(
  { engine, sink }: World,
  { code, title, remedy }: Pick<Pass, 'code' | 'title' | 'remedy'>,
  variants: readonly PlannedVariant[],
  work: () => Promise<void>,
): Promise<boolean> {
  try {
    engine.signal.throwIfAborted();
    await work();
    return true;
  } catch (error) {
    // Another machine that loads is gone, or a disk is full: the passes behind cannot do without it either.
    await expectMachines(engine, error);
    const labels = variants.map(({ label }) => label).join(', ');
    const message = `${title}${labels && ` of ${labels}`}: ${(error as Error).message}`;
    sink.warn({ code, message, remedy, variant: null });
    return false;
  }
}

interface Visit {
  start: number;
  left: readonly PlannedVariant[];
  lost: Set<string>;
  outfits: ReadonlyMap<string, Outfit>;
}

async function visitStart(given: World, state: Passes, pass: Pass, visit: Visit): Promise<void> {
  const { engine, sink } = given;
  const instance = makeInstance(given, state.index, visit);
  // Its outcomes are its own: what a variant was in the measuring, it stays.
  const outcomes = new Map<string, VariantOutcome>();
  for (const { id } of visit.left) {
    const { coldStartMs = [] } = given.job.outcomes.get(id) ?? {};
    outcomes.set(id, { facts: null, coldStartMs: [...coldStartMs], failure: null });
  }
  const job = { ...given.job, outfits: visit.outfits, outcomes };
  const world: World = { ...given, job };
  let servers = new Map<string, Server>();
  const fail = (variant: string, reason: string) => {
    if (visit.lost.has(variant)) return;
    visit.lost.add(variant);
    servers.delete(variant);
    sink.warn(describeLoss(pass, visit.left, variant, reason));
  };
  let watch: Watch | null = null;
  try {
    servers = await startInstance(world, instance, (id, { reason }) => fail(id, reason));
    if (servers.size === 0) return;
    watch = await state.sampler.watch([...servers.values()], job.services?.containers, (text) =>
      sink.appendRaw(`raw/resources/${instance.index}.txt`, text),
    );
    const ready = makeReady(world, { instance, servers, watch, fail, start: visit.start });
    await pass.visit(ready);
  } finally {
    try {
      await Promise.all(visit.left.map((variant) => keepLogs(engine, sink, instance, variant)));
      await watch?.raw.flush();
    } finally {
      // The next start has the same ports.
      await removeServers(engine, instance, instance.startOrder);
    }
  }
}

/** The first variant to start changes from start to start. */
function makeInstance({ job }: World, index: number, { start, left }: Visit): Instance {
  const ids = left.map(({ id }) => id);
  const from = start % ids.length;
  return {
    index,
    startOrder: [...ids.slice(from), ...ids.slice(0, from)],
    ports: job.plan.instances[start % job.plan.instances.length]?.ports ?? {},
    batches: [],
  };
}

interface Started {
  instance: Instance;
  servers: Map<string, Server>;
  watch: Watch;
  start: number;
  fail(variant: string, reason: string): void;
}

function makeReady(world: World, started: Started): ReadyPass {
  const { docker } = world.engine;
  const { servers, start, fail } = started;
  return {
    ...{ world, start, servers, fail },
    async load(scenario, only) {
      const chosen = [...servers].filter(([id]) => only?.includes(id) ?? true);
      const measured = await loadServers(world, { ...started, servers: new Map(chosen) }, scenario);
      for (const [variant, { reason }] of await findDeaths(docker, [...servers.values()]))
        fail(variant, reason);
      return measured.filter(({ variant }) => servers.has(variant));
    },
    async read({ container }, file, maxBytes) {
      const options = { timeoutMs: LIMITS_MS.copy };
      return docker.run(['exec', container, 'head', '-c', String(maxBytes), '--', file], options);
    },
  };
}

function describeLoss(
  { code, title, remedy }: Pass,
  variants: readonly PlannedVariant[],
  variant: string,
  reason: string,
) {
  const label = variants.find(({ id }) => id === variant)?.label ?? variant;
  return { code, message: `${title}: ${label} was left out: ${reason.split('\n')[0]}`, remedy, variant };
}
