import type { Gate, Variant, Warning } from '../../results/results.ts';
import { FEW_INSTANCES, MIN_PAIRS } from '../../stats/limits.ts';

/** Whether a run is to give verdicts: on another version, or for a rule of `fail-on` that is not on counts. */
export function wantsVerdicts(
  variants: readonly Pick<Variant, 'base'>[],
  gates: readonly Pick<Gate, 'count'>[],
): boolean {
  const isRuled = variants.length > 1 && gates.some(({ count }) => count === undefined);
  return isRuled || variants.some(({ base }) => base !== null);
}

/**
 * At most one warning: there are too few fresh starts for an interval, or for the verdicts that are wanted.
 *
 * @param starts of each server: 1 or more
 * @param isJudged as `wantsVerdicts` has it
 */
export function warnOfFewStarts(starts: number, isJudged: boolean): Warning[] {
  const needed = isJudged ? MIN_PAIRS : FEW_INSTANCES;
  if (starts >= needed) return [];
  const effects = [
    starts < FEW_INSTANCES &&
      `differences between starts, about 1 % in RPS and more in p95 and p99, are ${starts === 1 ? 'not in the intervals' : 'barely known'}`,
    isJudged && `a verdict needs ${MIN_PAIRS}`,
  ].filter(Boolean);
  return [
    {
      code: 'few-instances',
      message: `${starts === 1 ? 'one fresh start' : `${starts} fresh starts`} of each server: ${effects.join('; ')}`,
      remedy: `--instances ${needed} or more`,
      variant: null,
    },
  ];
}
