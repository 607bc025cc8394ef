import type { Warning } from '../../results/results.ts';
import type { PlannedVariant } from '../variants.ts';

/** Which variants give the app variables that are missing on the others, so that `isset()` takes another way there. */
export function warnOfVariables(variants: readonly PlannedVariant[]): Warning[] {
  const heads = variants.filter(({ ref }) => ref === null);
  const names = (variant: PlannedVariant) => [...(variant.runtime.extraVariables ?? [])].sort().join(', ');
  const kinds = [...new Set(heads.map(names))];
  // Alike on all, or on the only one.
  if (kinds.length < 2) return [];
  return kinds.filter(Boolean).map((kind) => {
    const labels = heads.filter((variant) => names(variant) === kind).map(({ label }) => label);
    return {
      code: 'variables',
      message: `${labels.join(', ')}: $_SERVER has ${kind} even if the request has none, unlike the others; an app that checks isset() behaves differently there`,
      remedy: 'check empty() in the app; see docs/runtimes.md, Server variables',
      variant: null,
    };
  });
}
