import { loadMs } from '../../config/parts/load.ts';
import { formatDuration } from '../../config/text.ts';
import type { Scenario } from '../../config/types.ts';
import { UserError } from '../../errors.ts';
import { MAX_BUDGET_STARTS } from '../../stats/limits.ts';
import { predictDetectable } from '../../stats/verdict.ts';
import { compileLoad } from './load-steps.ts';
import { allowsDuets, takesTurns } from './turns.ts';

/** How often everything starts afresh, and how many slices of each variant a start is used for, by scenario. */
export interface Effort {
  instances: number;
  blocks: readonly number[];
}

/**
 * How slices of a block follow each other if their load allows turns. With duets, CPU per request decides. With an
 * elastic pool, there are no turns.
 */
export type SliceOrder = 'duets' | 'turns' | 'slices';

/** Fewer give no verdict (MIN_PAIRS). */
export const MIN_INSTANCES = 4;
const MAX_BLOCKS = 100;

/**
 * Typical SDs of ln(ratio) in CPU per request and in RPS, seen on two shared cores (docs/method.md). Between pairs of
 * starts, and between pairs of slices of a second: in turns, and one after the other.
 */
const START_SPREAD = 0.0045;
const TURNS_SPREAD = 0.014;
const SLICE_SPREAD = 0.035;
/** The SD between blocks of duets: each version begins first in one window of a second. */
const DUET_SPREAD = 0.006;

/**
 * The effort that finds the smallest change within a budget. Starts and slices vary independently. So the variance of a
 * mean over n starts of m slices is (start² + slice² ÷ m) ÷ n. For each n the largest m is tried.
 *
 * @param order in which slices that are compared follow each other
 * @param secondsOf what an effort is estimated to take
 * @param past blocks of the starts that are over: there is one more start at least
 * @throws UserError where the budget is too small for MIN_INSTANCES starts, or nobody knows how long a slice takes
 */
export function fitBudget(
  budgetMs: number,
  scenarios: readonly Scenario[],
  tests: number,
  order: SliceOrder,
  secondsOf: (effort: Effort) => number,
  past: readonly number[] = [],
): Effort {
  const fewest = Math.max(MIN_INSTANCES, past.length + 1);
  const endless = scenarios.find(({ load }) => load === null || loadMs(load) === null);
  if (endless) {
    throw new UserError('needs a load with a known duration', {
      where: { name: 'budget' },
      found: `scenario '${endless.name}': ${endless.load?.source ?? "the script's own load"}`,
      hint: 'use `instances` and `blocks` instead, or a load with a time such as vus(8, 1s)',
    });
  }
  const effortOf = (instances: number, blocks: number): Effort => ({
    instances,
    blocks: scenarios.map(() => blocks),
  });
  const least = secondsOf(effortOf(fewest, 1));
  if (least * 1000 > budgetMs) {
    throw new UserError('too small for a comparison', {
      where: { name: 'budget' },
      found: formatDuration(budgetMs),
      allowed: `${formatDuration(Math.ceil(least) * 1000)} and more: ${fewest} fresh starts, one slice of each variant in each`,
      hint: 'or use fewer variants or scenarios, shorter slices, or less warm-up',
    });
  }
  let best = { effort: effortOf(fewest, 1), detectable: Infinity };
  for (let instances = fewest; instances <= MAX_BUDGET_STARTS; instances++) {
    let blocks = 0;
    for (let most = MAX_BLOCKS; blocks < most; ) {
      const middle = Math.ceil((blocks + most) / 2);
      if (secondsOf(effortOf(instances, middle)) * 1000 <= budgetMs) blocks = middle;
      else most = middle - 1;
    }
    if (blocks === 0) break;
    const effort = effortOf(instances, blocks);
    // The variance of a mean over starts is that of starts with so many blocks each.
    const inverse = past.reduce((sum, own) => sum + 1 / own, (instances - past.length) / blocks);
    const whole = effortOf(instances, instances / inverse);
    const detectable = predictEffort(scenarios, whole, tests, order) ?? Infinity;
    if (detectable < best.detectable) best = { effort, detectable };
  }
  return best.effort;
}

/**
 * The smallest change, as a share, that an effort probably finds in its worst scenario, with typical variance. Null if
 * it is not known or no verdict can come of it.
 *
 * @param tests how many are corrected together
 * @param order in which slices that are compared follow each other
 */
export function predictEffort(
  scenarios: readonly Scenario[],
  effort: Effort,
  tests: number,
  order: SliceOrder,
): number | null {
  const shares = scenarios.map((scenario, i) => {
    const block = blockSpread(scenario, order);
    if (block === null) return null;
    const spread = Math.sqrt(START_SPREAD ** 2 + block ** 2 / (effort.blocks[i] as number));
    return predictDetectable({ pairs: effort.instances, spread, tests });
  });
  return shares.reduce(
    (worst, share) => (worst === null || share === null ? null : Math.max(worst, share)),
    0,
  );
}

/** Typical SD of ln(ratio) between blocks of one start in what decides; null where their time is not known. */
function blockSpread(scenario: Scenario, order: SliceOrder): number | null {
  const { load } = scenario;
  const ms = load && loadMs(load);
  if (!load || !ms) return null;
  const over = (spread: number, loadedMs: number) => spread / Math.sqrt(loadedMs / 1000);
  const steps = compileLoad(load, scenario);
  if (order === 'duets' && allowsDuets(scenario, steps, ms)) return over(DUET_SPREAD, Math.max(1000, ms));
  return over(order !== 'slices' && takesTurns(scenario, steps, ms) ? TURNS_SPREAD : SLICE_SPREAD, ms);
}
