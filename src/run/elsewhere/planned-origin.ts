import { nameEngine } from '../../config/engine-key.ts';
import type { LoadFrom } from '../../config/types.ts';
import type { Elsewhere, Warning } from '../../results/results.ts';
import { segmentFlags } from '../load/segments.ts';

/** The origin of a load, before the network is measured. The results of a killed run have it, too. Pure. */
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
