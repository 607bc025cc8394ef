import type { Scenario } from '../../config/types.ts';
import type { Instance } from '../../plan/instances.ts';
import { makeOrders } from '../../plan/timeline/orders.ts';
import { cutIntoBatches, drainFor, planSlices, retime } from '../../plan/timeline/timeline.ts';
import type { Measurement } from '../../results/results.ts';
import { makeRandom } from '../../stats/random.ts';
import { runLoad } from '../load/batch.ts';
import { measureSlices } from '../measure/measure.ts';
import type { Watch } from '../sample/sampler.ts';
import type { Server } from '../servers/servers.ts';
import type { World } from '../world.ts';

/** How long requests may take to end behind a slice, as far as nobody has seen it, ms: twice this. */
const ENDS_MS = 500;

/** Servers that are ready to be loaded. */
interface Ready {
  instance: Instance;
  servers: ReadonlyMap<string, Server>;
  watch: Watch;
}

/** Slices of passes have numbers of their own, which k6 uses as tags, and raw files as names. */
let number = 1_000_000;

/** Goes a scenario's journey on servers under its load, and measures it as any slice. Its warm-up is in front. */
export async function loadServers(world: World, ready: Ready, scenario: Scenario): Promise<Measurement[]> {
  const { job } = world;
  const { instance, servers, watch } = ready;
  const random = makeRandom(job.plan.seed + instance.index);
  const orders = () => makeOrders([...servers.keys()], random);
  const drawn = { warmup: orders(), block: orders(), round: orders(), duets: new Map() };
  const slices = planSlices(scenario, drawn, () => false).map((slice) => ({ ...slice, number: number++ }));
  const measured: Measurement[] = [];
  for (const planned of cutIntoBatches(scenario, slices, drainFor(scenario, ENDS_MS))) {
    const left = planned.slices.filter(({ variant }) => servers.has(variant));
    if (left.length === 0) continue;
    const batch = retime({ ...planned, slices: left }, planned.drainMs);
    const { loaded } = await runLoad(world, instance, batch, watch, () => null);
    measured.push(...measureSlices(loaded));
  }
  return measured;
}
