import type { Arena } from '../../engine/arena.ts';
import { type Docker, lastLines } from '../../engine/docker.ts';
import { MachineError, UserError } from '../../errors.ts';
import type { Host } from '../../host.ts';
import type { Batch } from '../../plan/timeline/slices.ts';
import { COMMON_START_MS } from '../../plan/timeline/timeline.ts';
import type { Elsewhere, Warning } from '../../results/results.ts';
import { describeGenerator } from '../../text/load-origin.ts';
import { type K6Summary, k6Environment } from '../load/k6.ts';
import { mergeLogs } from '../load/k6-log.ts';
import { bringScript, type LoadOutcome, loadBatch } from '../load/k6-run.ts';
import { mergeSummaries } from '../load/merge-summaries.ts';
import { FACTS_PATH, tryWriting } from '../load/probe.ts';
import { mostGenerators, segmentFlags } from '../load/segments.ts';
import type { Generator } from '../measure/batch-outcome.ts';
import { failedSetup } from '../measure/script-slice.ts';
import { watchClocks } from '../sample/clock-steps.ts';
import { type Sampler, type Watch, waitForSamples } from '../sample/sampler.ts';
import type { Sink, World } from '../world.ts';
import { type AskedEngine, expectWay, measureDistance, medianOf, skewOf } from './distance.ts';
import type { LoadedElsewhere, Target } from './load-elsewhere.ts';
import { allBut } from './reach.ts';
import { apart, lateness } from './starts.ts';
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
  /** Those that its machine has for it, by their numbers. */
  cpus: readonly number[];
  memoryBytes: number;
  /** Null: not compared yet. */
  aheadMs: number | null;
}

/** Load engines, and where they find the servers. */
export interface Loaders {
  all: readonly Loader[];
  /** Address of the servers' engine; the ports of variants are open there. */
  address: string;
  /** By how much this program's monotonic clock is ahead of the servers' clock; null: they have not met. */
  behindMs: number | null;
  /** Unix ms at uptime 0 of the servers' machine and of each load engine as they met: it changes when somebody sets a clock. */
  bootsMs: readonly (number | null)[];
  /** It was warned that they began apart. */
  told: boolean;
  /** The fewest of them that have made a load. */
  fewest: number;
  /** From asking for a load to its beginning; where that was too short, the next has more. */
  leadMs: number;
}

/** An engine that is ready to load. */
export type ReadyLoader = Omit<Loader, 'aheadMs'>;

export function makeLoaders(ready: readonly ReadyLoader[], address: string): Loaders {
  const all = ready.map((one): Loader => ({ ...one, aheadMs: null }));
  return {
    all,
    address,
    behindMs: null,
    bootsMs: [],
    told: false,
    fewest: all.length,
    leadMs: COMMON_START_MS,
  };
}

/** The longest time to begin a load. A generator that was late doubles it for the next load, up to this. */
const MOST_LEAD_MS = 30_000;
/** Turns last 200 ms: so far apart, one generator loads what another has already left. */
const APART_MS = 1000;

/** Compares clocks and measures the way, once, by a server that answers at the port. */
async function meetServers(
  loaders: Loaders,
  servers: AskedEngine,
  page: { ports: Target['ports']; port: number; path: string; host: string },
  sink: Pick<Sink, 'warn'>,
  options: { signal: AbortSignal },
): Promise<Elsewhere> {
  const { all, address } = loaders;
  const name = page.host.replace(/:\d+$/, '');
  const way = { host: page.host, hosts: { [name]: address }, blockedIps: allBut(address) };
  const own = await measureDistance(servers, { ...way, url: null });
  const numbers = Object.values(page.ports);
  const ports = `${Math.min(...numbers)} to ${Math.max(...numbers)}`;
  const generators: Elsewhere['generators'] = [];
  for (const [i, loader] of all.entries()) {
    const url = `http://${name}:${page.port}${page.path}`;
    const found = await onLoader(loader, options, () =>
      measureDistance({ ...loader, arena: loader.arena.name }, { ...way, url }),
    );
    const Failure = loaders.behindMs === null ? UserError : MachineError;
    expectWay(loader.name, { target: `${address}:${page.port}`, ports }, found, Failure);
    loader.aheadMs = skewOf(loader.name, found, own, Failure);
    const withinMs = found.withinMs + own.withinMs;
    if (withinMs > WARN_APART_MS) sink.warn(warnOfClock(loader.name, withinMs));
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

/** One batch by these engines, each with its share, from one moment on. As of one k6, by the clock of the servers. */
async function loadTogether(
  all: readonly Loader[],
  { address, behindMs, leadMs }: Loaders,
  elapsed: () => number,
  batch: Batch,
  target: Target,
  options: { signal: AbortSignal; findStep: ReturnType<typeof watchClocks> },
): Promise<LoadedElsewhere & { apartMs: number }> {
  await Promise.all(
    all.map((loader) =>
      onLoader(loader, options, () => bringScript(loader.docker, loader.arena, batch.scenario)),
    ),
  );
  const beganMs = elapsed() - (behindMs ?? 0) + leadMs;
  const loads = await Promise.all(
    all.map(async (loader, i) => {
      loader.watch.samples.forget(beganMs + (loader.aheadMs ?? 0) - leadMs - 1000);
      const share = {
        ...{ address, startAtMs: Math.round(beganMs + (loader.aheadMs ?? 0)) },
        flags: segmentFlags(i, all.length),
      };
      const environment = k6Environment(loader.cpus.length, loader.memoryBytes);
      const load = await onLoader(loader, options, () =>
        loadBatch(loader.docker, loader.arena.name, batch, target, environment, options, share),
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
  const load = { ...mergeLoads(generators, loads, apartMs), ...options.findStep() };
  return { load, generators, beganMs, apartMs };
}

/** Errors: MachineError where the engine does not answer, its arena is gone, or its disk is full: no load comes from there. */
async function expectLoader({ name, docker, arena }: Pick<Loader, 'name' | 'docker' | 'arena'>) {
  const asked = await docker.try(['version', '--format', '{{.Server.Version}}']);
  const found = asked.code === 0 ? await tryWriting({ docker, arena }) : asked;
  if (found.code === 0) return;
  throw new MachineError(asked.code === 0 ? 'a load engine failed' : 'a load engine stopped answering', {
    ...{ where: { name: 'load-engines' }, found: `${name}: ${lastLines(found.stderr, 1)}` },
    hint: 'run again without it, or once it works: the next run removes what was left there',
  });
}

/** A command that fails on a load engine is reported with its name. Errors: MachineError, or those of the user. */
async function onLoader<T>(
  loader: Loader,
  { signal }: { signal: AbortSignal },
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof UserError && !(error instanceof MachineError)) throw error;
    await expectLoader(loader);
    throw new MachineError('a load engine failed', {
      ...{ where: { name: 'load-engines' }, found: `${loader.name}: ${wordsOf(error)}` },
    });
  }
}

/** Words for the cause. */
function wordsOf(error: unknown): string {
  return (error instanceof MachineError && error.detail.found) || (error as Error).message;
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
  // An engine whose setup failed loaded nothing: the whole load was another one.
  const unset = loads.find((load) => failedSetup(load) !== null);
  const summary: K6Summary | null = trouble === '' ? (unset?.summary ?? mergeSummaries(parts)) : null;
  return {
    ...{ summary, trouble },
    errors: loads.flatMap(({ errors }) => errors),
    log: unset?.log ?? mergeLogs(loads.map(({ log }) => log)),
    stdout: loads.length === 1 ? first.stdout : loads.map(({ stdout }) => stdout).join('\n'),
    stderr: loads.map(({ stderr }) => stderr).join('\n'),
  };
}

/** Further apart, some of a turn of 200 ms went to the variant before. */
const WARN_APART_MS = 20;
/** One that was not ready for the common start is later than a busy machine is with a timer. */
const LATE_MS = 250;

/** Loads a batch; before the first one the engines meet the servers. */
export async function loadByEngines(
  { host, docker, arena, signal }: Pick<World['engine'], 'host' | 'docker' | 'arena' | 'signal'>,
  loaders: Loaders,
  sink: Pick<Sink, 'say' | 'warn' | 'keepElsewhere'>,
  batch: Batch,
  target: Target,
): Promise<LoadedElsewhere> {
  const used = chooseLoaders(loaders, batch, sink);
  // A clock that is set while they meet, or while a script is copied, is not the one that was compared.
  const findStep = watchClocks(Object.fromEntries(used.map(({ name, watch }) => [name, watch.samples])));
  const bootsMs = [target.samples, ...loaders.all.map(({ watch }) => watch.samples)].map((one) => one.bootMs);
  if (loaders.behindMs === null || bootsMs.some((ms, i) => ms !== loaders.bootsMs[i])) {
    loaders.bootsMs = bootsMs;
    const port = target.ports[batch.slices[0]?.variant ?? ''] as number;
    const page = { ports: target.ports, port, path: FACTS_PATH, host: target.host };
    const elsewhere = await meetServers(loaders, { docker, arena: arena.name, host }, page, sink, { signal });
    sink.keepElsewhere(elsewhere);
    for (const one of elsewhere.generators) sink.say(`load from ${describeGenerator(one)}`);
  }
  const { apartMs, ...loaded } = await loadTogether(used, loaders, host.elapsed, batch, target, {
    signal,
    findStep,
  });
  const lateMs = lateness(batch, loaded.generators, loaded.beganMs);
  if (lateMs > LATE_MS) {
    loaders.leadMs = Math.min(MOST_LEAD_MS, 2 * loaders.leadMs);
    sink.say(
      `a load engine was ${Math.round(lateMs)} ms late: from here on, loads begin ${loaders.leadMs / 1000} s after they are asked for`,
    );
  }
  if (apartMs > WARN_APART_MS && !loaders.told) {
    loaders.told = true;
    sink.warn({
      code: 'generators-apart',
      message: `the load engines began ${Math.round(apartMs)} ms apart: some of the load was missing when turns began and ended`,
      remedy: 'use load engines with nothing else to do, and longer slices',
      variant: null,
    });
  }
  return loaded;
}

/** No more of them than there are clients: passes have one client alone, and a warm-up between them more. */
function chooseLoaders(loaders: Loaders, batch: Batch, sink: Pick<Sink, 'say'>): Loader[] {
  const used = loaders.all.slice(0, mostGenerators(batch.slices));
  if (used.length < loaders.fewest) {
    const names = used.map(({ name }) => name).join(', ');
    sink.say(`this load has too few clients for all load engines: it comes from ${names} alone`);
    loaders.fewest = used.length;
  }
  return used;
}

/** Turns are short: a clock that is not known well shifts a load into those of another variant. */
function warnOfClock(name: string, withinMs: number): Warning {
  const ms = Math.round(withinMs);
  return {
    code: 'generators-apart',
    message: `the clock of ${name} is known only to ±${ms} ms, because the connection is slow: its load may start up to ${ms} ms early or late`,
    remedy: 'start the benchmark on a machine that is near the load engines, or use longer slices',
    variant: null,
  };
}
