import type { CompareOptions, ReportOptions, RunOptions } from '../config/types.ts';
import { UserError } from '../errors.ts';
import { passSeconds } from './effort.ts';
import { planLoad } from './plan.ts';
import { type PlannedShard, takeShard } from './shard-plan.ts';
import { planCounts } from './timeline/count-plan.ts';
import { countColdStarts } from './timeline/pass-seconds.ts';
import { planProfile } from './timeline/profile-plan.ts';
import type { planVariants } from './variants.ts';

/**
 * Checks whether each shard can be done in time with its passes, as far as is known before anything runs. The base of
 * `compare-to`, builds and loads of a number of requests take more. Throws a UserError if one cannot: it would be ended
 * in the middle, or a budget would be refused on its machine.
 *
 * @param minutes what a machine may take; null: any time
 */
export function checkTime(
  planned: ReturnType<typeof planVariants>,
  config: RunOptions & CompareOptions & Pick<ReportOptions, 'failOn'>,
  shards: readonly PlannedShard[],
  minutes: number | null,
): void {
  for (const { index, of } of shards) {
    const { variants } = takeShard(planned, config, { index, of });
    // Also with a budget, as it refuses one that is too small.
    const { estimatedSeconds } = planLoad(config, variants);
    const measuringMs = config.budgetMs ?? 1000 * estimatedSeconds;
    const passes = {
      coldStarts: countColdStarts(config, variants.length),
      profile: planProfile(config, variants),
      counts: planCounts(config, variants),
    };
    const ms = measuringMs + 1000 * passSeconds(passes);
    if (minutes === null || ms <= 60_000 * minutes) continue;
    throw new UserError('the plan exceeds the time limit of a machine', {
      where: { name: 'input timeout-minutes' },
      found: `about ${Math.ceil(ms / 60_000)} min on machine ${index} of ${of}, without building`,
      allowed: `up to ${minutes} min`,
      hint: 'use fewer runtimes, tune values or scenarios, less load or a budget; or use more shards, or increase timeout-minutes',
    });
  }
}
