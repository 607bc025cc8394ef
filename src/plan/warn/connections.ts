import { loadMs } from '../../config/parts/load.ts';
import type { Scenario } from '../../config/types.ts';
import type { Warning } from '../../results/results.ts';
import { compileLoad } from '../timeline/load-steps.ts';
import { allowsDuets } from '../timeline/turns.ts';
import { keepsWorkers, type PlannedVariant } from '../variants.ts';

/** In a load that is open only in parts, each block has other clients than the one before, and k6 keeps those until their timeout. */
const NEIGHBOURS = 2;

/**
 * Warns if a kept connection occupies a worker, and an arrival rate has more connections than there are workers. k6 takes
 * its clients in turn, so each keeps its connection. Those that find no worker wait for seconds at any rate.
 */
export function warnOfKeptConnections(
  variants: readonly PlannedVariant[],
  scenarios: readonly Scenario[],
): Warning[] {
  // With duets, each of two versions has half of the clients.
  const hasBase = variants.some(({ ref }) => ref !== null);
  return scenarios.flatMap((scenario): Warning[] => {
    const { name, load, reuse, journey, maxVus } = scenario;
    const steps = load && reuse ? compileLoad(load, scenario) : [];
    const open = steps.filter(({ rps }) => rps !== null);
    const clients = Math.max(0, ...open.map(({ vus }) => vus));
    const hasDuets = hasBase && load !== null && allowsDuets(scenario, steps, loadMs(load));
    const isMixed = open.length < steps.length;
    // The warm-up may show that more are needed.
    const grows = maxVus === undefined && (journey.kind === 'script' || !isMixed);
    const bound = grows ? 'at least' : 'up to';
    const connections = isMixed ? NEIGHBOURS * clients : hasDuets ? 2 * Math.ceil(clients / 2) : clients;
    const whose = isMixed ? ', and those of the block before keep their connections, too' : '';
    const held = variants.filter(
      (variant) =>
        variant.ref === null && keepsWorkers(variant) && Number(variant.options.workers) < connections,
    );
    if (held.length === 0) return [];
    const labels = held.map(({ label }) => label).join(', ');
    return [
      {
        code: 'connections-exceed-workers',
        message: `scenario ${name}: its rate has ${bound} ${isMixed ? clients : connections} clients${whose}. Each connection occupies a worker of ${labels}: with fewer than ${connections} workers requests may wait for seconds at any rate`,
        remedy: `workers=${connections} or keep-alive=0s there, nginx in front of it (front=nginx), or fewer clients (max-vus)`,
        variant: null,
      },
    ];
  });
}
