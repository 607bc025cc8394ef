import type { Elsewhere } from './results.ts';

/** The origin of a load: `b, c to 10.0.0.5`, `4 pods on http://web`; null: the servers' own machine. Pure. */
export function originOf({ elsewhere }: { elsewhere?: Elsewhere | undefined }): string | null {
  if (!elsewhere) return null;
  const { kind, target, generators } = elsewhere;
  const n = generators.length;
  // Pods have new names each time. From other machines, or to another address, the way is another one.
  if (kind === 'cluster') return `${n} pod${n === 1 ? '' : 's'} on ${target}`;
  return `${generators
    .map(({ name }) => name)
    .sort()
    .join(', ')} to ${target}`;
}
