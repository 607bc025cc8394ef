import type { Culprit } from '../../../analyse/why/why-model.ts';

/**
 * A function that only the head has may be one that only the base has: it moved. Their names then have the same end, with the
 * class or at least without it. Their difference remains, if it is sure. Pure.
 */
export function joinMoved(culprits: readonly Culprit[]): Culprit[] {
  const added = culprits.filter(({ us }) => us.base === 0 && us.variant > 0);
  const pairs = new Map<Culprit, Culprit>();
  const taken = new Set<Culprit>();
  for (const endOf of [withClass, withoutClass]) {
    for (const one of added) {
      const end = endOf(one);
      const other = culprits.find(
        (gone) => gone.us.variant === 0 && !taken.has(gone) && end !== undefined && endOf(gone) === end,
      );
      if (!other || pairs.has(one)) continue;
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

/** `Cart::total` of `App\Cart::total`; the name of an included file without its folders. */
const withClass = ({ function: own }: Culprit) => own?.name.split(/[\\/]/).at(-1);
/** `total` of it. A closure goes with its function. */
const withoutClass = (one: Culprit) => /[^:]+(?:::\{closure\})*$/.exec(withClass(one) ?? '')?.[0];

function joinPair(head: Culprit, base: Culprit): Culprit[] {
  const of = (side: 'us' | 'low' | 'high') => head.change[side] + base.change[side];
  const change = { us: of('us'), low: of('low'), high: of('high'), sure: true };
  const us = { variant: head.us.variant, base: base.us.base };
  return change.low > 0 || change.high < 0 ? [{ ...head, us, change, within: null, isSpread: false }] : [];
}
