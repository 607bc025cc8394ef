import { findDoubt, findMisfit } from '../../config/parts/fit.ts';
import type { Config } from '../../config/types.ts';
import type { Warning } from '../../results/results.ts';

/** The pairs of app and runtime that are left out of the table, since the runtime cannot serve the app, or perhaps cannot. */
export function warnOfMisfits({ apps, runtimes }: Pick<Config, 'apps' | 'runtimes'>): Warning[] {
  const ask = (find: typeof findMisfit) => {
    const found = apps.flatMap((app) => runtimes.map((choice) => find(choice, app)));
    return [...new Set(found.filter((text) => text !== null))];
  };
  return [
    ...ask(findMisfit).map((misfit) => ({
      code: 'left-out',
      message: `left out: ${misfit}`,
      remedy: 'no action needed if you only care about the other variants',
      variant: null,
    })),
    ...ask(findDoubt).map((doubt) => ({
      code: 'may-not-fit',
      message: doubt,
      remedy: 'add a composer.lock with a version below that',
      variant: null,
    })),
  ];
}
