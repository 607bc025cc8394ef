import type { Instance } from '../../plan/instances.ts';
import type { Batch } from '../../plan/timeline/slices.ts';
import type { BatchOutcome } from '../measure/batch-outcome.ts';
import { watchClocks } from '../sample/clock-steps.ts';
import { type Watch, waitForSamples } from '../sample/sampler.ts';
import { sentBy } from '../servers/target.ts';
import type { CheckedOf } from '../verify/checked.ts';
import type { World } from '../world.ts';
import { withSeenDrain } from './drain.ts';
import { k6Environment, loadedFromMs } from './k6.ts';
import { batchName, bringScript, type LoadOutcome, loadBatch } from './k6-run.ts';
import { expectArena } from './probe.ts';

/** Loads by one k6 process, reads the counters, keeps what k6 has printed. */
export async function runLoad(
  { engine, job, sink }: World,
  instance: Instance,
  batch: Batch,
  watch: Watch,
  checkedOf: CheckedOf,
): Promise<{ load: LoadOutcome; loaded: BatchOutcome }> {
  const { host, docker, signal } = engine;
  const { plan, config } = job;
  if (!engine.loadElsewhere) await bringScript(docker, engine.arena, batch.scenario);
  const askedMs = host.now();
  const { samples } = watch;
  // Samples of earlier batches are no longer needed; one second before this batch is enough.
  samples.forget(samples.completeMs - 1000);
  const environment = k6Environment(plan.cpus.load.length, engine.memoryBytes);
  const target = { ports: instance.ports, ...sentBy(config), checkedOf, samples };
  const findStep = watchClocks({ "the engine's machine": samples });
  const together = engine.loadElsewhere ? await engine.loadElsewhere(batch, target) : null;
  const made =
    together?.load ?? (await loadBatch(docker, engine.arena.name, batch, target, environment, { signal }));
  const drained = withSeenDrain(batch, made.summary);
  await waitForSamples(engine, watch, drained, made.summary);
  const load = { ...made, ...findStep() };
  const { summary } = load;
  const loaded: BatchOutcome = {
    batch: drained,
    instance: instance.index,
    summary,
    trouble: load.trouble,
    ...(load.code && { code: load.code }),
    errors: load.errors,
    log: load.log,
    samples,
    containers: watch.indices,
    arena: 0,
    services: watch.services,
    cpus: plan.cpus,
    fronted: new Set(watch.fronts.keys()),
    ...(together && { generators: together.generators }),
    beganMs: together?.beganMs ?? (summary ? loadedFromMs(summary) : askedMs),
  };
  if (load.trouble) sink.say(load.trouble);
  const file = `raw/${batch.scenario.name}/${instance.index}/${batchName(batch)}`;
  await sink.keepRaw(file, load.stdout);
  if (load.stderr) await sink.keepRaw(file.replace(/\.json$/, '.log'), load.stderr);
  if (together === null && summary === null) await expectArena(engine);
  return { load, loaded };
}
