import { plural } from './plain.ts';

/** A machine that loads, and what lies between it and the servers; null: not known. */
interface Generator {
  name: string;
  share: string;
  roundTripMs: number | null;
  hops: number | null;
  mtu: number | null;
  skewMs: number | null;
}

/** `bench-b, share 1/2:1, round trip 0.21 ms, 1 hop, MTU 1500, clock +3.0 ms` */
export function describeGenerator({ name, share, roundTripMs, hops, mtu, skewMs }: Generator): string {
  return [
    ...[name, `share ${share}`],
    ...(roundTripMs === null ? [] : [`round trip ${roundTripMs.toFixed(2)} ms`]),
    ...(hops === null ? [] : [hops > 1 ? 'through a router' : plural(hops, 'hop')]),
    ...(mtu === null ? [] : [`MTU ${mtu}`]),
    ...(skewMs === null ? [] : [`clock ${skewMs < 0 ? '−' : '+'}${Math.abs(skewMs).toFixed(1)} ms`]),
  ].join(', ');
}
