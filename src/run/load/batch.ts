import type { Instance } from '../../plan/plan.ts';
import type { Batch } from '../../plan/slices.ts';
import type { BatchOutcome } from '../measure/batch-outcome.ts';
import type { RunWorld } from '../run.ts';
import { type Watch, waitForSamples } from '../sample/sampler.ts';
import type { CheckedOf } from '../verify/checked.ts';
import { k6Environment, loadedFromMs } from './k6.ts';
import { batchName, type LoadOutcome, loadBatch } from './k6-run.ts';

/** Loads by one k6 process, reads the counters, keeps what k6 has printed. */
export async function runLoad(
  world: RunWorld,
  instance: Instance,
  batch: Batch,
  watch: Watch,
  checkedOf: CheckedOf,
): Promise<{ load: LoadOutcome; loaded: BatchOutcome }> {
  const { plan, host, docker, signal, config } = world;
  const askedMs = host.now();
  // What the batches before needed; a second before this one begins is enough for it.
  watch.samples.forget(askedMs - 1000);
  const environment = k6Environment(plan.cpus.load.length, world.memoryBytes);
  const target = { ports: instance.ports, host: config.host, checkedOf };
  const load = await loadBatch(docker, world.arena.name, batch, target, environment, { signal });
  const { summary } = load;
  await waitForSamples(world, watch, batch, summary);
  const loaded: BatchOutcome = {
    batch,
    instance: instance.index,
    summary,
    trouble: load.trouble,
    errors: load.errors,
    log: load.log,
    samples: watch.samples,
    containers: watch.indices,
    arena: 0,
    services: watch.services,
    serverCpus: plan.cpus.server,
    fronted: new Set(watch.fronts.keys()),
    frontCpus: plan.cpus.front ?? [],
    serviceCpus: plan.cpus.services,
    loadCpus: plan.cpus.load,
    beganMs: summary ? loadedFromMs(summary) : askedMs,
  };
  if (load.trouble) world.say(load.trouble);
  const file = `raw/${batch.scenario.name}/${instance.index}/${batchName(batch)}`;
  await world.keepRaw(file, load.stdout);
  if (load.stderr) await world.keepRaw(file.replace(/\.json$/, '.log'), load.stderr);
  return { load, loaded };
}
