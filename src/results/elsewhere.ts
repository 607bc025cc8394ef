import type { Elsewhere } from './results.ts';

/** Where a load came from: `2 other machines`, `4 pods on http://web`; null: from the servers' own machine. Pure. */
export function originOf({ elsewhere }: { elsewhere?: Elsewhere | undefined }): string | null {
  if (!elsewhere) return null;
  const n = elsewhere.generators.length;
  const many = (word: string) => `${n} ${word}${n === 1 ? '' : 's'}`;
  return elsewhere.kind === 'cluster' ? `${many('pod')} on ${elsewhere.target}` : many('other machine');
}
