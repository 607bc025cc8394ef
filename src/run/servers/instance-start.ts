import { setUp } from '../../engine/execute.ts';
import type { Instance } from '../../plan/instances.ts';
import type { Failure } from '../../results/results.ts';
import { listListeners } from '../load/probe.ts';
import { listPresent, type VariantOutcome, type World } from '../world.ts';
import { BEHIND, type Server, type WantedServer, wantedOf } from './servers.ts';
import { startServers } from './start-servers.ts';

type Fail = (variant: string, failure: Failure) => void;

/**
 * In the first instance one variant after the other, so that each cold start has the machine to itself; from then on
 * all at once.
 */
export async function startInstance(
  world: World,
  instance: Instance,
  fail: Fail,
  at: (what: string) => void = () => {},
): Promise<Map<string, Server>> {
  const { job } = world;
  const wanted = await resetServices(world, await findWanted(world, instance, fail), fail);
  const cold = instance.index === 0;
  const servers = new Map<string, Server>();
  for (const group of cold ? wanted.map((one) => [one]) : [wanted]) {
    for (const [id, started] of await startServers(world, group, instance)) {
      if ('stage' in started) {
        fail(id, started);
        continue;
      }
      // In the first start alone: from then on, it is known how long it takes.
      if (cold && job.config.setUp !== undefined) at(`set-up of ${started.variant.label}`);
      const { failure, said } = await setUp(world, started.container);
      if (failure) {
        fail(id, failure);
        continue;
      }
      const outcome = job.outcomes.get(id) as VariantOutcome;
      outcome.setUpSaid = said;
      outcome.facts = started.facts ?? outcome.facts;
      if (cold) outcome.coldStartMs.push(Math.round(started.coldStartMs));
      servers.set(id, started);
    }
  }
  return servers;
}

/** The variants to start. A leftover server on one of the ports would be measured instead. */
async function findWanted({ engine, job }: World, instance: Instance, fail: Fail): Promise<WantedServer[]> {
  const taken = await listListeners(engine.docker, engine.arena.name);
  const present = listPresent(job);
  return instance.startOrder.flatMap((id): WantedServer[] => {
    const variant = present.find((v) => v.id === id);
    const what = variant && wantedOf(job.images, variant);
    if (!what) return [];
    const port = instance.ports[id] as number;
    const ports = what.front === undefined ? [port] : [port, port + BEHIND];
    const busy = ports.find((one) => taken.includes(one));
    if (busy === undefined) return [what];
    const reason = `another program listens on its port ${busy}`;
    fail(id, { stage: 'start', reason, log: '' });
    return [];
  });
}

/** Variants whose database was made anew; the others fail. */
async function resetServices(
  { job }: World,
  wanted: readonly WantedServer[],
  fail: Fail,
): Promise<WantedServer[]> {
  const ready: WantedServer[] = [];
  for (const one of wanted) {
    const failure = await job.services?.reset(one.variant);
    if (failure) fail(one.variant.id, failure);
    else ready.push(one);
  }
  return ready;
}
