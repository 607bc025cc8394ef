import type { Config } from '../../config/types.ts';
import type { Warning } from '../../results/results.ts';
import type { PlannedVariant } from '../variants.ts';
import { countable, countableByPhp } from './count-plan.ts';
import { phpBaseOf } from './php-base.ts';

/** The extension that counts errors whatever the app does with them, where PHP counts. */
export interface PlannedErrors {
  /** Id → the image with PHP that it is compiled on. */
  variants: Readonly<Record<string, string>>;
  /** Warnings about variants that cannot load it. */
  warnings: readonly Warning[];
}

export function planErrors(
  { count, scenarios, other }: Pick<Config, 'count' | 'scenarios' | 'other'>,
  variants: readonly PlannedVariant[],
): PlannedErrors {
  if (!count?.includes('php') || countable(scenarios).length === 0) return { variants: {}, warnings: [] };
  const bases = countableByPhp(variants).map((variant) => [variant, phpBaseOf(variant, other)] as const);
  const reason = 'the image with PHP that it is built on is not known';
  return {
    variants: Object.fromEntries(bases.flatMap(([{ id }, base]) => (base === null ? [] : [[id, base]]))),
    warnings: bases.flatMap(([variant, base]) => (base === null ? [warnOfPlainCount(variant, reason)] : [])),
  };
}

/** PHP counts without the extension there. */
export function warnOfPlainCount(
  { id, label }: Pick<PlannedVariant, 'id' | 'label'>,
  reason: string,
): Warning {
  return {
    code: 'count',
    message: `${label}: notices, warnings and deprecations are counted only if the app sets no error handler: ${reason}`,
    remedy:
      "official images with PHP can compile the extension that counts all of them; name the image in `base` of the runtime's runtime.yaml",
    variant: id,
  };
}
