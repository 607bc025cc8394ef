import { nameEngine } from '../../config/engine-key.ts';
import type { LoadFrom } from '../../config/types.ts';
import type { Elsewhere, Warning } from '../../results/results.ts';
import { segmentFlags } from '../load/segments.ts';

/** Where a load will come from, before the way is measured: also what a killed run leaves has it. Pure. */
export function planOrigin({ engines, address }: LoadFrom): Elsewhere {
  const generators = engines.map((engine, i) => ({
    ...{ name: nameEngine(engine), share: segmentFlags(i, engines.length)[1] ?? '0:1' },
    ...{ roundTripMs: null, hops: null, mtu: null, skewMs: null },
  }));
  return { kind: 'engines', target: address, generators };
}

export function warnOfOrigin({ generators, target }: Elsewhere): Warning {
  return {
    code: 'load-elsewhere',
    message: `${generators.map(({ name }) => name).join(', ')} loaded the servers at ${target}: latency includes the network between`,
    remedy: 'compare it only with runs that are loaded from the same machines',
    variant: null,
  };
}
