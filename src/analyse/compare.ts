import type { Comparison, Results } from '../results.ts';

/**
 * Every variant against the other ref and against the reference, scenario by scenario; what an earlier run was
 * compared with is kept as it stands. Pure: `report` compares anew what `run` has stored.
 */
export function compare(results: Results): Comparison[] {
  return results.comparisons.filter(({ against }) => against === 'earlier');
}
