import type { Config } from '../../config/types.ts';
import type { Warning } from '../../results/results.ts';
import { type ColdStarting, timesColdStarts } from '../timeline/pass-seconds.ts';
import { isWatched, type PlannedVariant } from '../variants.ts';

/** Shown before the run: after it, numbers would just be missing. */
export function warnOfUncounted(
  { count, scenarios }: Pick<Config, 'count' | 'scenarios'>,
  variants: readonly PlannedVariant[],
): Warning[] {
  if (!count?.includes('php')) return [];
  const scripted = scenarios.filter(({ load }) => load === null).map(({ name }) => name);
  const ofVariants = variants
    .filter((variant) => !isWatched(variant))
    .map(({ id, label }) => ({
      code: 'count',
      message: `${label} has no counts of PHP: its processes load the app without the counter`,
      remedy: 'nothing to do: it is measured as the others',
      variant: id,
    }));
  if (scripted.length === 0) return ofVariants;
  const ofScripts = {
    code: 'count',
    message: `no counts of PHP for ${scripted.join(', ')}: the script brings a load of its own`,
    remedy: 'set `load` for the scenario, or leave out `--count php`',
    variant: null,
  };
  return [...ofVariants, ofScripts];
}

/** Shown before the run: after it, times would just be missing. */
export function warnOfUntimed(config: ColdStarting): Warning[] {
  if (!config.coldStart || timesColdStarts(config)) return [];
  return [
    {
      code: 'cold-start',
      message: 'no cold starts: `set-up` does not run in them',
      remedy:
        'move its commands to `prepare`, or its data to `dump` or `reset` of services; or leave out `cold-start`',
      variant: null,
    },
  ];
}
