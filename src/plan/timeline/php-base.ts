import type { Config } from '../../config/types.ts';
import type { PlannedVariant } from '../variants.ts';

/** The base image that has PHP; null: what a variant is built on, nobody knows. */
export function phpBaseOf({ runtime, php, ref }: PlannedVariant, other: Config['other']): string | null {
  if (ref !== null && other?.kind === 'image') return null;
  const base =
    runtime.base.find((name) => name.includes('{php}')) ??
    runtime.base.find((name) => /^(.*\/)?php:/.test(name));
  return base?.replaceAll('{php}', php) ?? null;
}
