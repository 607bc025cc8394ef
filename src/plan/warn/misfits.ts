import { findMisfit } from '../../config/parts/fit.ts';
import type { Config } from '../../config/types.ts';
import type { Warning } from '../../results/results.ts';

/** The pairs of app and runtime that are left out of the table, since the runtime cannot serve the app. */
export function warnOfMisfits({ apps, runtimes }: Pick<Config, 'apps' | 'runtimes'>): Warning[] {
  const pairs = apps.flatMap((app) => runtimes.map((choice) => findMisfit(choice, app)));
  return [...new Set(pairs.filter((misfit) => misfit !== null))].map((misfit) => ({
    code: 'left-out',
    message: `left out: ${misfit}`,
    remedy: 'no action needed if you only care about the other variants',
    variant: null,
  }));
}
