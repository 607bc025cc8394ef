import type { Culprit } from '../../../analyse/why/why-model.ts';

/**
 * A function that only the head has may be one that only the base has: it moved. Their names then have the same end, with the
 * class or at least without it. Without it, there is only one such pair, its time is about the same, and its name is not one
 * that many classes have. Their difference remains, if it is sure. Pure.
 */
export function joinMoved(culprits: readonly Culprit[]): Culprit[] {
  const added = culprits.filter(({ us }) => us.base === 0 && us.variant > 0);
  const pairs = new Map<Culprit, Culprit>();
  const taken = new Set<Culprit>();
  const removed = culprits.filter(({ us }) => us.variant === 0);
  for (const endOf of [withClass, withoutClass]) {
    for (const one of added) {
      const end = endOf(one);
      const isLike = (two: Culprit) => endOf(two) === end;
      const other = removed.find((gone) => !taken.has(gone) && isLike(gone));
      if (!other || end === undefined || end === CLOSURE || pairs.has(one)) continue;
      if (endOf === withoutClass) {
        const isOnly = added.filter(isLike).length === 1 && removed.filter(isLike).length === 1;
        if (!isOnly || COMMON.test(end) || !isSimilar(one.us.variant, other.us.base)) continue;
      }
      pairs.set(one, other);
      taken.add(other);
    }
  }
  return culprits
    .flatMap((one) => {
      const other = pairs.get(one);
      if (other) return joinPair(one, other);
      return taken.has(one) ? [] : [one];
    })
    .sort((a, b) => Math.abs(b.change.us) - Math.abs(a.change.us));
}

const CLOSURE = '{closure}';
/** Methods that frameworks and PHP itself call: two of that name have nothing else in common. */
const COMMON =
  /^(__\w+|handle|process|run|execute|invoke|boot|register|render|toArray|doDisplay|\{closure\})(::|$)/;

const isSimilar = (a: number, b: number) => Math.abs(a - b) <= 0.5 * Math.max(a, b);

/** `Cart::total` of `App\Cart::total`; the name of an included file with its last folder. */
const withClass = ({ function: own }: Culprit) =>
  own?.name.includes('/') ? own.name.split('/').slice(-2).join('/') : own?.name.split('\\').at(-1);
/** `total` of it. A closure goes with its function. */
const withoutClass = (one: Culprit) => /[^:]+(?:::\{closure\})*$/.exec(withClass(one) ?? '')?.[0];

function joinPair(head: Culprit, base: Culprit): Culprit[] {
  const of = (side: 'us' | 'low' | 'high') => head.change[side] + base.change[side];
  const change = { us: of('us'), low: of('low'), high: of('high'), sure: true };
  const us = { variant: head.us.variant, base: base.us.base };
  return change.low > 0 || change.high < 0
    ? [{ ...head, us, change, caller: null, within: null, isSpread: false }]
    : [];
}
