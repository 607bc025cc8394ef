import type { Instance } from '../../plan/plan.ts';
import type { Failure } from '../../results/results.ts';
import type { RunWorld } from '../run.ts';
import { removeServers, type Server, startServers, type Wanted, wantedOf } from '../servers/servers.ts';

/** Starts variants freshly once more, their databases made anew as before any start; those that come up. */
export async function restartServers(
  world: RunWorld,
  instance: Instance,
  variants: readonly string[],
  fail: (variant: string, failure: Failure) => void,
): Promise<Server[]> {
  await removeServers(world, instance, variants);
  const wanted: Wanted[] = [];
  for (const variant of world.plan.variants.filter(({ id }) => variants.includes(id))) {
    const failure = await world.services?.reset(variant);
    const what = wantedOf(world.images, variant);
    if (failure) fail(variant.id, failure);
    else if (what) wanted.push(what);
  }
  const context = { ...world, arena: world.arena.name, cpus: world.plan.cpus };
  const servers: Server[] = [];
  for (const [id, started] of await startServers(context, wanted, instance)) {
    const failure =
      'stage' in started ? started : await world.services?.setUp(started.variant, started.container);
    if (failure) fail(id, failure);
    else servers.push(started as Server);
  }
  return servers;
}
