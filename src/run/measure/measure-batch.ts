import type { Instance } from '../../plan/instances.ts';
import { countServed } from '../../plan/timeline/capacity-plan.ts';
import { clientsForRate } from '../../plan/timeline/load-steps.ts';
import type { Batch, Slice } from '../../plan/timeline/slices.ts';
import { drainFor, retime } from '../../plan/timeline/timeline.ts';
import { type Failure, type Measurement, OTHER_ANSWERS } from '../../results/results.ts';
import { runLoad } from '../load/batch.ts';
import { longestDrainMs, slowestTypicalMs } from '../load/drain.ts';
import type { K6Summary } from '../load/k6.ts';
import type { Watch } from '../sample/sampler.ts';
import { findDeaths, type Server } from '../servers/servers.ts';
import { addLog, explainSlice } from '../verify/app-evidence.ts';
import type { CheckedOf } from '../verify/checked.ts';
import type { World } from '../world.ts';
import { findOthersInDuets, measureDuets, type OtherInDuet } from './duets.ts';
import { slowestIdleMs } from './latency.ts';
import { measureSlices } from './measure.ts';

/** Facts learned under load, for later batches. */
export interface Loading {
  /** Variants whose first failed requests were looked into. */
  explained: Set<string>;
  /** Scenario → the longest time after the end of a slice that a request took, ms. */
  drainedMs: Map<string, number>;
  /** Scenario → how long a request of the slowest variant typically takes, ms. */
  typicalMs: Map<string, number>;
  /** Scenario of paths or of a bundled journey → how long its iteration takes where nothing waits, ms. */
  idleMs: Map<string, number>;
  /** Scenarios that were measured: what is learnt of their warm-ups stays, so that all starts are alike. */
  measured: Set<string>;
}

/** An instance that is ready to be loaded. */
export interface Ready {
  instance: Instance;
  servers: ReadonlyMap<string, Server>;
  watch: Watch;
  checkedOf: CheckedOf;
  fail(variant: string, failure: Failure): void;
}

/** Loads the servers that are left with a batch, and keeps what it measured. Variants whose servers died fail. */
export async function measureBatch(
  world: World,
  loading: Loading,
  planned: Batch,
  ready: Ready,
): Promise<Measurement[]> {
  const { engine, sink } = world;
  const { instance, servers, watch, checkedOf, fail } = ready;
  const { scenario } = planned;
  const typicalMs = loading.typicalMs.get(scenario.name) ?? null;
  // A page takes longer on a busy server, where more clients would only make a longer queue.
  const times = scenario.journey.kind === 'script' ? loading.typicalMs : loading.idleMs;
  const iterationMs = times.get(scenario.name) ?? null;
  const served = world.job.plan.variants.map((variant) => countServed(scenario, variant));
  const stepsOf = ({ warmup, steps, duet }: Slice) =>
    warmup ? steps : clientsForRate(steps, scenario, iterationMs, served, duet !== null);
  const slices = planned.slices
    .filter((s) => servers.has(s.variant))
    .map((s) => ({ ...s, steps: stepsOf(s) }));
  if (slices.length === 0) return [];
  const batch = retime(
    { ...planned, slices },
    drainFor(scenario, loading.drainedMs.get(scenario.name) ?? null),
    typicalMs,
  );
  // Duets alone, whose others have dropped out.
  if (batch.slices.length === 0) return [];
  const { load, loaded } = await runLoad(world, instance, batch, watch, checkedOf);
  const measurements = measureSlices(loaded);
  learnTimes(loading, batch, load.summary);
  for (const [variant, death] of await findDeaths(engine.docker, [...servers.values()])) {
    fail(variant, death);
    for (const m of measurements) {
      if (m.variant !== variant || m.errors.length === 0) continue;
      m.outcome = 'failed';
      m.reason = death.reason;
    }
  }
  const others = [...measurements.filter(({ code }) => code === OTHER_ANSWERS), ...findOthersInDuets(loaded)];
  await explainErrors(world, loading, { measurements, others, sinceMs: loaded.beganMs }, ready);
  await sink.keep(measurements, measureDuets(loaded));
  return measurements;
}

function learnTimes(
  { drainedMs, typicalMs, idleMs, measured }: Loading,
  batch: Batch,
  summary: K6Summary | null,
): void {
  const { name, journey } = batch.scenario;
  const typical = slowestTypicalMs(batch, summary);
  // The warm-ups of a script are batches of their own.
  const isWarmup = !measured.has(name) && batch.slices.every(({ warmup }) => warmup);
  if (!isWarmup) measured.add(name);
  if (typical !== null && ((isWarmup && journey.kind === 'script') || !typicalMs.has(name)))
    typicalMs.set(name, Math.max(typical, typicalMs.get(name) ?? 0));
  const idle = isWarmup && journey.kind !== 'script' ? slowestIdleMs(batch, summary) : null;
  if (idle !== null) idleMs.set(name, Math.max(idle, idleMs.get(name) ?? 0));
  const drained = longestDrainMs(batch, summary);
  if (drained !== null) drainedMs.set(name, Math.max(drained, drainedMs.get(name) ?? 0));
}

interface Found {
  measurements: readonly Measurement[];
  others: readonly OtherInDuet[];
  sinceMs: number;
}

/** Fails the variants whose slices were not of what was checked; the first errors of others get what was logged. */
async function explainErrors(
  { engine, sink }: World,
  { explained }: Loading,
  { measurements, others, sinceMs }: Found,
  { servers, fail }: Ready,
): Promise<void> {
  for (const server of servers.values()) {
    const isOwn = ({ variant }: Pick<Measurement, 'variant'>) => variant === server.variant.id;
    const other = others.find(isOwn);
    const wrong = measurements.find((slice) => isOwn(slice) && slice.errors.length > 0);
    if (other) {
      const reason = other.reason ?? '';
      fail(server.variant.id, await explainSlice(engine, sink, server, other, reason, sinceMs));
    } else if (wrong && !explained.has(server.variant.id)) {
      explained.add(server.variant.id);
      await addLog(engine, sink, server, wrong, sinceMs);
    }
  }
}
