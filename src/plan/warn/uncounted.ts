import type { Config } from '../../config/types.ts';
import type { Warning } from '../../results/results.ts';
import { isWatched, type PlannedVariant } from '../variants.ts';

/** Shown before the run: after it, numbers would just be missing. */
export function warnOfUncounted(
  { count }: Pick<Config, 'count'>,
  variants: readonly PlannedVariant[],
): Warning[] {
  if (!count?.includes('php')) return [];
  return variants
    .filter((variant) => !isWatched(variant))
    .map(({ id, label }) => ({
      code: 'count',
      message: `${label} has no counts of PHP: its processes load the app without the counter`,
      remedy: 'nothing to do: it is measured as the others',
      variant: id,
    }));
}
