import type { Results, Variant } from '../../results/results.ts';

/**
 * The variant that all others of the checkout are compared with: the one that was asked for, else the first that did not
 * fail. Null: all failed.
 */
export function chooseReference(
  { plan, variants }: Pick<Results, 'plan' | 'variants'>,
  hasFailed = ({ failure }: Variant): boolean => failure !== null,
): Variant | null {
  const heads = variants.filter(({ ref }) => ref === null);
  return heads.find(({ id }) => id === plan.reference) ?? heads.find((head) => !hasFailed(head)) ?? null;
}
