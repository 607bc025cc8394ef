import { setUp } from '../../engine/execute.ts';
import type { Instance } from '../../plan/instances.ts';
import type { Failure } from '../../results/results.ts';
import type { World } from '../world.ts';
import { removeServers, type Server, type WantedServer, wantedOf } from './servers.ts';
import { startServers } from './start-servers.ts';

/** Starts variants freshly once more, their databases made anew as before any start; those that come up. */
export async function restartServers(
  world: World,
  instance: Instance,
  variants: readonly string[],
  fail: (variant: string, failure: Failure) => void,
): Promise<Server[]> {
  const { engine, job } = world;
  await removeServers(engine, instance, variants);
  const wanted: WantedServer[] = [];
  for (const variant of job.plan.variants.filter(({ id }) => variants.includes(id))) {
    const failure = await job.services?.reset(variant);
    const what = wantedOf(job.images, variant);
    if (failure) fail(variant.id, failure);
    else if (what) wanted.push(what);
  }
  const servers: Server[] = [];
  for (const [id, started] of await startServers(world, wanted, instance)) {
    const failure = 'stage' in started ? started : (await setUp(world, started.container)).failure;
    if (failure) fail(id, failure);
    else servers.push(started as Server);
  }
  return servers;
}
