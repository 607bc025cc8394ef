import type { Why } from '../../../analyse/why/why-model.ts';

type Sampled = Pick<Why, 'overhead' | 'every'>;

/**
 * `Profiling, in a pass of its own and in one of 2 requests, added 4 % to the CPU of a request.` Empty: nobody knows.
 * The largest overhead counts if there are several variants.
 */
export function tellOverhead(whys: readonly Sampled[]): string {
  const known = whys.flatMap(({ overhead }) => overhead ?? []);
  if (known.length === 0) return '';
  const percent = Math.round(100 * Math.max(...known));
  const amount = percent > 0 ? `${known.length > 1 ? 'up to ' : ''}${percent} %` : 'nothing';
  return `Profiling, in a pass of its own${tellShare(whys)}, added ${amount} to the CPU of a request.`;
}

/** Empty where all requests were sampled, as is usual with long ones. */
function tellShare(whys: readonly Sampled[]): string {
  const shares = whys.flatMap(({ every }) => every ?? []);
  const [least, most] = [
    Math.min(...shares.map((share) => share.least)),
    Math.max(...shares.map((share) => share.most)),
  ];
  if (!(most > 1)) return '';
  return ` and in one of ${least === most ? most : `${least} to ${most}`} requests`;
}
