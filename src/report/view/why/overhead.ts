import type { Why } from '../../../analyse/why/why-model.ts';

type Sampled = Pick<Why, 'overhead' | 'every'>;

/**
 * `With the sampler in one of 2 requests, a request took 4 % more CPU.` Empty: nobody knows.
 * The largest overhead counts if there are several variants.
 */
export function tellOverhead(whys: readonly Sampled[]): string {
  const known = whys.flatMap(({ overhead }) => overhead ?? []);
  if (known.length === 0) return '';
  const percent = Math.round(100 * Math.max(...known));
  const amount = percent > 0 ? `${percent} % more CPU` : 'no more CPU';
  return `With the sampler${tellShare(whys)} a request took ${known.length > 1 && percent > 0 ? 'up to ' : ''}${amount}.`;
}

/** Empty where all requests were sampled, as is usual with long ones. */
function tellShare(whys: readonly Sampled[]): string {
  const shares = whys.flatMap(({ every }) => every ?? []);
  const [least, most] = [
    Math.min(...shares.map((share) => share.least)),
    Math.max(...shares.map((share) => share.most)),
  ];
  if (!(most > 1)) return '';
  return ` in one of ${least === most ? most : `${least} to ${most}`} requests,`;
}
