import type { Why } from '../../../analyse/why/why-model.ts';

/** `With the sampler a request took 4 % more CPU.` Empty: nobody knows. Of several variants the largest. */
export function tellOverhead(whys: readonly Pick<Why, 'overhead'>[]): string {
  const known = whys.flatMap(({ overhead }) => overhead ?? []);
  if (known.length === 0) return '';
  const percent = Math.round(100 * Math.max(...known));
  const amount = percent > 0 ? `${percent} % more CPU` : 'no more CPU';
  return `With the sampler a request took ${known.length > 1 && percent > 0 ? 'up to ' : ''}${amount}.`;
}
