import { solveCosts, solveReading, type Window } from './calibration.ts';
import { addUp, type CounterValues, dropNegative, isZero, less, type WindowPart } from './counter-values.ts';
import { type HealthProbe, isComplete, joinProbes, probesWithin, readHealth } from './health-probes.ts';
import type { CountedService, ReadWorld } from './read-services.ts';

/** A service and what its own reading and one of its health checks cost. */
export interface Calibrated {
  service: CountedService;
  own: CounterValues;
  /** Zero where there is no check, or it asks nothing that counts. */
  probe: CounterValues;
}

/** Growth of counters during some work. */
interface Growth {
  values: CounterValues;
  /** Health checks in the time. */
  probes: number;
  /** One of them may be in it only in part. */
  onEdge: boolean;
}

/** A window is measured again so often where a health check lies on its edge. */
const TRIES = 8;
/** How often the engine is asked for health checks: it remembers five. */
const WATCH_MS = 1500;
/** From this try on, readings wait for the end of a health check: the engine pauses behind it. */
const FIRST_CALM = 2;
/** The longest wait for it. Checks that are rarer seldom meet a reading. */
const CALM_MS = 4000;

/**
 * `overlap`: health checks lay on the edges of too many windows. `others`: the counters grew by themselves, each time by
 * another number. Errors: the service cannot be read.
 */
export async function calibrate(
  world: ReadWorld,
  service: CountedService,
): Promise<Calibrated | 'overlap' | 'others'> {
  const health = await readHealth(world.docker, service.container);
  const nothing = async () => {};
  const probing = async () => {
    await world.docker.try(['exec', service.container, ...(health?.command ?? [])], { signal: world.signal });
  };
  const windows: Window[] = [];
  for (let i = 0; i < 2 * TRIES; i++) {
    const probes = health && i % 2 === 1 ? 1 : 0;
    const checks = { areWatched: health !== null, isCalm: i >= 2 * FIRST_CALM };
    const grown = await growOf(world, service, probes === 1 ? probing : nothing, checks);
    if (grown.onEdge) continue;
    windows.push({ probes: grown.probes + probes, values: grown.values });
    const costs = health ? solveCosts(windows) : solveReading(windows);
    if (costs) return { service, ...costs };
  }
  const isAlike = new Set(windows.map(({ probes }) => probes)).size < 2;
  return health && (windows.length < 3 || isAlike) ? 'overlap' : 'others';
}

/**
 * Counts of all services together during the work, less the costs of readings and health checks. `doubtful`: names of
 * services whose health checks could not be separated from the work. `missing`: counts that were left out, as a service
 * did not give its part.
 *
 * @param unread services that count something, too, and cannot be read
 */
export async function countDuring<T>(
  world: ReadWorld,
  services: readonly Calibrated[],
  unread: readonly Omit<WindowPart, 'values'>[],
  work: () => Promise<T>,
): Promise<{
  values: CounterValues;
  done: T;
  doubtful: string[];
  missing: { name: string; service: string }[];
}> {
  const found = await tryFor(
    (i) => growAll(world, services, work, i >= FIRST_CALM),
    ({ grown }) => grown.every(({ growth }) => !growth.onEdge),
  );
  const parts = found.grown.map(({ growth, one }): WindowPart => {
    const { service, kind } = one.service;
    // If one counter was set back, others probably were, too: these only look as if they had grown.
    if (Object.values(growth.values).some((value) => value < 0)) return { service, kind, values: {} };
    const values = less(less(growth.values, one.own), one.probe, growth.probes);
    return { service, kind, values: dropNegative(values) };
  });
  const doubtful = found.grown.filter(({ growth }) => growth.onEdge);
  return {
    ...addUp([...parts, ...unread.map((one) => ({ ...one, values: {} }))]),
    done: found.done,
    doubtful: doubtful.map(({ one }) => one.service.service),
  };
}

async function growAll<T>(
  world: ReadWorld,
  services: readonly Calibrated[],
  work: () => Promise<T>,
  isCalm: boolean,
) {
  let done: T | undefined;
  const grown: { one: Calibrated; growth: Growth }[] = [];
  // One within the other: each is read before and after the work.
  const from = async (i: number): Promise<void> => {
    const one = services[i];
    if (!one) {
      done = await work();
      return;
    }
    // Checks that ask nothing that counts may lie anywhere.
    const checks = { areWatched: !isZero(one.probe), isCalm };
    grown.push({ one, growth: await growOf(world, one.service, () => from(i + 1), checks) });
  };
  await from(0);
  return { done: done as T, grown };
}

/** @param checks whether health checks are found, and whether each reading waits for the end of one */
async function growOf(
  world: ReadWorld,
  service: CountedService,
  work: () => Promise<void>,
  { areWatched, isCalm }: { areWatched: boolean; isCalm: boolean },
): Promise<Growth> {
  const calm = async () => {
    if (areWatched && isCalm) await waitForProbe(world, service.container);
  };
  await calm();
  const watch = areWatched ? watchProbes(world, service.container) : UNWATCHED;
  try {
    const before = await service.read();
    await work();
    await calm();
    const after = await service.read();
    // One that started anew did so behind the first reading. Both moments are off by a second, by more on a busy machine.
    if (after.sinceMs > (before.sinceMs + before.atMs) / 2)
      throw new Error(`the service ${service.service} restarted while it was counted`);
    const probes = await watch.until(after.atMs);
    const { within, onEdge } = probesWithin(probes, before.atMs, after.atMs);
    const known = Object.keys(before.values).filter((name) => name in after.values);
    const values = less(pick(after.values, known), before.values);
    return { values, probes: within, onEdge };
  } finally {
    watch.stop();
  }
}

function pick(values: CounterValues, names: readonly string[]): CounterValues {
  return Object.fromEntries(names.map((name) => [name, values[name] as number]));
}

const UNWATCHED = { until: async (_untilMs: number): Promise<HealthProbe[]> => [], stop: () => {} };

/** Collects health checks while something is done. */
function watchProbes({ docker, host, signal }: ReadWorld, container: string) {
  let known: HealthProbe[] = [];
  const look = async () => {
    const health = await readHealth(docker, container);
    known = joinProbes(known, health?.probes ?? []);
    return health;
  };
  const ended = new AbortController();
  const watch = async () => {
    for (;;) {
      await host.sleep(WATCH_MS, ended.signal);
      if (ended.signal.aborted || signal.aborted) return;
      await look();
    }
  };
  watch().catch(() => {});
  return {
    async until(untilMs: number) {
      const deadline = host.elapsed() + 15_000;
      let health = await look();
      while (health && !isComplete(health, untilMs) && host.elapsed() < deadline) {
        await host.sleep(200, signal);
        signal.throwIfAborted();
        health = await look();
      }
      return known;
    },
    stop: () => ended.abort(),
  };
}

/** Waits until the next health check has ended, if that is soon. */
async function waitForProbe({ docker, host, signal }: ReadWorld, container: string): Promise<void> {
  const deadline = host.elapsed() + CALM_MS;
  let last: number | null = null;
  while (host.elapsed() < deadline) {
    const health = await readHealth(docker, container);
    if (!health) return;
    const end = Math.max(0, ...health.probes.map(({ toMs }) => toMs));
    if (last !== null && end > last) return;
    last = end;
    await host.sleep(50, signal);
    signal.throwIfAborted();
  }
}

/** The first that is good, else the last. */
async function tryFor<T>(make: (i: number) => Promise<T>, isGood: (one: T) => boolean): Promise<T> {
  for (let i = 0; ; i++) {
    const made = await make(i);
    if (isGood(made) || i >= TRIES - 1) return made;
  }
}
