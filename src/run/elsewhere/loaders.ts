import type { Arena } from '../../engine/arena.ts';
import { type Docker, lastLines } from '../../engine/docker.ts';
import { MachineError, UserError } from '../../errors.ts';
import type { Host } from '../../host.ts';
import type { Batch } from '../../plan/timeline/slices.ts';
import type { Elsewhere, Warning } from '../../results/results.ts';
import { describeGenerator } from '../../text/load-origin.ts';
import { type K6Summary, k6Environment, sliceId } from '../load/k6.ts';
import { bringJourney, type LoadOutcome, loadBatch } from '../load/k6-run.ts';
import { mergeSummaries } from '../load/merge-summaries.ts';
import { FACTS_PATH } from '../load/probe.ts';
import { segmentFlags } from '../load/segments.ts';
import type { Generator } from '../measure/batch-outcome.ts';
import { type Sampler, type Watch, waitForSamples } from '../sample/sampler.ts';
import type { Sink, World } from '../world.ts';
import { type Distance, expectAnswer, measureDistance, medianOf, skewOf } from './distance.ts';
import type { LoadedElsewhere, Target } from './load-elsewhere.ts';
import { allBut } from './reach.ts';
import { findWay } from './way.ts';

/** One engine that makes a share of the load. */
export interface Loader {
  /** As the user names it. */
  name: string;
  /** Its docker commands go there. */
  host: Host;
  docker: Docker;
  /** k6 runs in it, in the network of its machine. */
  arena: Arena;
  sampler: Sampler;
  watch: Watch;
  cpus: number;
  memoryBytes: number;
  /** The scenario whose journey lies there. */
  brought: string | null;
  /** Null: not compared yet. */
  aheadMs: number | null;
}

/** Load engines, and where they find the servers. */
export interface Loaders {
  all: readonly Loader[];
  /** Address of the servers' engine; the ports of variants are open there. */
  address: string;
  /** By how much this program's clock is ahead of the servers'; null: they have not met. */
  behindMs: number | null;
  /** It was warned that they began apart. */
  told: boolean;
  /** From asking for a load to its beginning; where that was too short, the next has more. */
  leadMs: number;
}

/** k6 reads scripts and makes its clients before its load begins; on a busy machine that takes longer. */
export const LEAD_MS = { first: 4000, most: 30_000 } as const;
/** Turns last 200 ms: so far apart, one generator loads what another has already left. */
const APART_MS = 1000;

/** Compares clocks and measures the way, once, by a server that answers at the port. */
async function meetServers(
  loaders: Loaders,
  servers: { docker: Docker; arena: string; host: Pick<Host, 'now'> },
  page: { port: number; path: string; host: string },
  options: { signal: AbortSignal },
): Promise<Elsewhere> {
  const { all, address } = loaders;
  const name = page.host.replace(/:\d+$/, '');
  const way = { host: page.host, hosts: { [name]: address }, blockedIps: allBut(address) };
  const clockOf = (docker: Docker, arena: string, url: string | null) =>
    measureDistance(docker, arena, { ...way, url }, servers.host.now);
  const own = await clockOf(servers.docker, servers.arena, null);
  const generators: Elsewhere['generators'] = [];
  for (const [i, loader] of all.entries()) {
    const url = `http://${name}:${page.port}${page.path}`;
    const found: Distance = await onLoader(loader, options, () =>
      clockOf(loader.docker, loader.arena.name, url),
    );
    expectAnswer(loader.name, found, address, page.port);
    loader.aheadMs = skewOf(loader.name, found, own);
    generators.push({
      ...{ name: loader.name, share: segmentFlags(i, all.length)[1] ?? '0:1' },
      roundTripMs: medianOf(found.roundTripsMs),
      ...(await readWay(loader, address)),
      skewMs: loader.aheadMs,
    });
  }
  loaders.behindMs = own.behindMs;
  return { kind: 'engines', target: address, generators };
}

/** The route from a load engine: whether a router lies on it, and the MTU of the interface. */
async function readWay({ docker, arena }: Loader, address: string) {
  const script = [
    'cat /proc/net/route',
    'for one in /sys/class/net/*; do read -r mtu <"$one/mtu" && echo "mtu $(basename "$one") $mtu"; done',
  ].join('\n');
  const { stdout } = await docker.try(['exec', arena.name, 'sh', '-c', script]);
  return findWay(stdout, address);
}

/** One batch by all load engines, each with its share, from one moment on. As of one k6, by the clock of the servers. */
async function loadTogether(
  { all, address, behindMs, leadMs }: Loaders,
  now: () => number,
  batch: Batch,
  target: Target,
  options: { signal: AbortSignal },
): Promise<LoadedElsewhere & { apartMs: number }> {
  await Promise.all(
    all.map(async (loader) => {
      if (loader.brought === batch.scenario.name) return;
      await onLoader(loader, options, () => bringJourney(loader.docker, loader.arena.name, batch.scenario));
      loader.brought = batch.scenario.name;
    }),
  );
  const beganMs = now() - (behindMs ?? 0) + leadMs;
  const loads = await Promise.all(
    all.map(async (loader, i) => {
      loader.watch.samples.forget(beganMs + (loader.aheadMs ?? 0) - leadMs - 1000);
      const share = {
        ...{ address, startAtMs: Math.round(beganMs + (loader.aheadMs ?? 0)) },
        flags: segmentFlags(i, all.length),
      };
      const environment = k6Environment(loader.cpus, loader.memoryBytes);
      const load = await loadBatch(
        ...([loader.docker, loader.arena.name, batch, target, environment, options, share] as const),
      );
      // The others need not end a load that is void.
      if (load.summary === null) await expectLoader(loader);
      return load;
    }),
  );
  const generators = all.map(
    (loader, i): Generator => ({
      ...{ name: loader.name, samples: loader.watch.samples, cpus: loader.cpus },
      ...{ aheadMs: loader.aheadMs ?? 0, summary: loads[i]?.summary ?? null },
    }),
  );
  await Promise.all(
    all.map(({ host, watch }, i) =>
      waitForSamples({ host, signal: options.signal }, watch, batch, loads[i]?.summary ?? null),
    ),
  );
  const apartMs = apart(batch, generators);
  return { load: mergeLoads(generators, loads, apartMs), generators, beganMs, apartMs };
}

/** Errors: MachineError where the engine does not answer. */
async function expectLoader({ name, docker }: Pick<Loader, 'name' | 'docker'>): Promise<void> {
  const { code, stderr } = await docker.try(['version', '--format', '{{.Server.Version}}']);
  if (code === 0) return;
  throw new MachineError('a load engine stopped answering', {
    ...{ where: { name: 'load-engines' }, found: `${name}: ${lastLines(stderr, 1)}` },
    hint: 'run again without it, or once it is there: the next run removes what was left there',
  });
}

/** A command that fails on a load engine is told with its name. Errors: MachineError, or those of the user. */
async function onLoader<T>(
  loader: Pick<Loader, 'name' | 'docker'>,
  { signal }: { signal: AbortSignal },
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof UserError) throw error;
    await expectLoader(loader);
    throw new MachineError('a load engine failed', {
      ...{ where: { name: 'load-engines' }, found: `${loader.name}: ${(error as Error).message}` },
    });
  }
}

/** How far apart the generators began, ms. */
function apart(batch: Batch, generators: readonly Generator[]): number {
  const metrics = batch.slices.map((slice) => `bench_slice_start{slice:${sliceId(slice)}}`);
  return Math.max(
    0,
    ...metrics.map((metric) => {
      const starts = generators.flatMap(({ summary, aheadMs }) => {
        const at = summary?.metrics[metric]?.min;
        return at ? [at - aheadMs] : [];
      });
      return starts.length > 1 ? Math.max(...starts) - Math.min(...starts) : 0;
    }),
  );
}

function mergeLoads(
  generators: readonly Generator[],
  loads: readonly LoadOutcome[],
  apartMs: number,
): LoadOutcome {
  const [first] = loads as [LoadOutcome, ...LoadOutcome[]];
  const failed = generators.findIndex(({ summary }) => summary === null);
  const late = apartMs > APART_MS ? `the load engines began ${Math.round(apartMs)} ms apart` : '';
  const trouble = failed >= 0 ? `${generators[failed]?.name}: ${loads[failed]?.trouble}` : late;
  const parts = generators.flatMap(({ summary, aheadMs }) => (summary ? [{ summary, aheadMs }] : []));
  const summary: K6Summary | null = trouble === '' ? mergeSummaries(parts) : null;
  const sum = (of: (load: LoadOutcome) => number) => loads.reduce((total, load) => total + of(load), 0);
  const firstOf = (of: (load: LoadOutcome) => string | null) => loads.map(of).find((text) => text) ?? null;
  return {
    ...{ summary, trouble },
    errors: loads.flatMap(({ errors }) => errors),
    log: {
      thrown: { count: sum(({ log }) => log.thrown.count), first: firstOf(({ log }) => log.thrown.first) },
      printed: { count: sum(({ log }) => log.printed.count), first: firstOf(({ log }) => log.printed.first) },
      aborted: firstOf(({ log }) => log.aborted),
    },
    stdout: loads.length === 1 ? first.stdout : loads.map(({ stdout }) => stdout).join('\n'),
    stderr: loads.map(({ stderr }) => stderr).join('\n'),
  };
}

/** Further apart, some of a turn of 200 ms went to the variant before. */
const WARN_APART_MS = 20;

/** Loads a batch; before the first one the engines meet the servers. */
export async function loadByEngines(
  { host, docker, arena, signal }: Pick<World['engine'], 'host' | 'docker' | 'arena' | 'signal'>,
  loaders: Loaders,
  sink: Sink,
  batch: Batch,
  target: Target,
): Promise<LoadedElsewhere> {
  if (loaders.behindMs === null) {
    const port = target.ports[batch.slices[0]?.variant ?? ''] as number;
    const page = { port, path: FACTS_PATH, host: target.host };
    const elsewhere = await meetServers(loaders, { docker, arena: arena.name, host }, page, { signal });
    sink.keepElsewhere(elsewhere);
    for (const one of elsewhere.generators) sink.say(`load from ${describeGenerator(one)}`);
    sink.warn(noteOf(loaders));
  }
  const { apartMs, ...loaded } = await loadTogether(loaders, host.now, batch, target, { signal });
  if (apartMs > WARN_APART_MS) loaders.leadMs = Math.min(LEAD_MS.most, 2 * loaders.leadMs);
  if (apartMs > WARN_APART_MS && !loaders.told) {
    loaders.told = true;
    sink.warn({
      code: 'generators-apart',
      message: `the load engines began ${Math.round(apartMs)} ms apart: at the edges of turns and slices the load was not whole`,
      remedy: 'use load engines with nothing else to do, and longer slices',
      variant: null,
    });
  }
  return loaded;
}

function noteOf({ all, address }: Loaders): Warning {
  return {
    code: 'load-elsewhere',
    message: `${all.map(({ name }) => name).join(', ')} loaded the servers at ${address}: latency includes the network between`,
    remedy: 'compare it only with runs that are loaded from the same machines',
    variant: null,
  };
}
