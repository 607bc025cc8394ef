import { median } from 'simple-statistics';
import { judgeProbe, nextRate } from '../../analyse/rows/capacity-found.ts';
import { sum } from '../../analyse/rows/pool.ts';
import type { Instance } from '../../plan/instances.ts';
import { countServed, planProbe, type Seed } from '../../plan/timeline/capacity-plan.ts';
import type { Measurement, Probe } from '../../results/results.ts';
import { runLoad } from '../load/batch.ts';
import type { Watch } from '../sample/sampler.ts';
import { findDeaths, type Server } from '../servers/servers.ts';
import type { CheckedOf } from '../verify/checked.ts';
import type { World } from '../world.ts';
import { measureSlices } from './measure.ts';

/** An instance after all of its load. */
interface Loaded {
  instance: Instance;
  /** Those that have served all of it. */
  servers: readonly Server[];
  watch: Watch;
  measured: readonly Measurement[];
  checkedOf: CheckedOf;
}

/**
 * Searches the capacity of every server, one after the other. A server that dies of it
 * has found its end, and starts afresh with the next instance: that is no failure of its variant.
 *
 * @param done called with how much of its time was used, ms
 */
export async function searchCapacities(
  world: World,
  { instance, servers, watch, measured, checkedOf }: Loaded,
  done: (what: string, ms: number) => void,
): Promise<void> {
  const { plan } = world.job;
  const dead = new Set<Server>();
  const eachMs = (plan.searches?.atMostMs ?? 0) / (plan.searches?.searches ?? 1);
  let number = plan.instances.flatMap(({ batches }) => batches.flatMap(({ slices }) => slices)).length;
  let doneMs = 0;
  for (const scenario of plan.scenarios) {
    for (const server of servers) {
      const { variant } = server;
      done(`capacity of ${variant.label}, ${scenario.name}`, doneMs);
      doneMs += eachMs;
      const seed = findSeed(
        measured.filter((slice) => slice.variant === variant.id && slice.scenario === scenario.name),
      );
      if (seed === null || dead.has(server)) continue;
      const probes: Probe[] = [];
      for (let rps = nextRate(seed.rps, probes); rps !== null; rps = nextRate(seed.rps, probes)) {
        const batch = planProbe(scenario, variant, rps, seed, number++);
        const { loaded } = await runLoad(world, instance, batch, watch, checkedOf);
        const death = (await findDeaths(world.engine.docker, [server])).get(variant.id) ?? null;
        const [slice] = measureSlices(loaded) as [Measurement];
        const reason = death?.reason ?? null;
        const served = countServed(scenario, variant);
        probes.push(judgeProbe(slice, rps, scenario.slo, seed.typicalMs, reason, served));
        if (!death) continue;
        dead.add(server);
        break;
      }
      const found = { variant: variant.id, scenario: scenario.name, instance: instance.index, probes };
      await world.sink.keepSearch({ search: true, ...found });
    }
  }
}

/** Null where nothing was measured. */
export function findSeed(
  measured: readonly Pick<Measurement, 'outcome' | 'requests' | 'iterations' | 'achievedRps' | 'steps'>[],
): Seed | null {
  const good = measured.filter(({ outcome, requests }) => outcome === 'ok' && requests > 0);
  const times = good.flatMap(({ steps }) => steps.flatMap(({ latency }) => latency ?? []));
  if (times.length === 0) return null;
  const iterations = sum(good, (slice) => slice.iterations);
  return {
    rps: median(good.map(({ achievedRps }) => achievedRps)),
    typicalMs: Math.min(...times.map(({ p50Ms }) => p50Ms)),
    meanMs: Math.min(...times.map(({ avgMs }) => avgMs)),
    perIteration: sum(good, ({ requests }) => requests) / Math.max(1, iterations),
  };
}
