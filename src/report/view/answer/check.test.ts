import { describe, expect, test } from 'vitest';
import { summaryOf } from '../../../../test/fixtures/results/summaries.ts';
import type { Summary } from '../../../analyse/summary.ts';
import type { Comparison, Gate } from '../../../results/results.ts';
import { type Medium, THIS_CHANGE } from '../medium.ts';
import { answerOf } from './answer.ts';

const same = (text: string) => text;
const medium: Medium = {
  ...{ name: same, text: same, code: same, commit: same, call: same, place: same, ...THIS_CHANGE },
  marks: { bad: 'X', warn: '!', open: '?', good: 'v' },
};
/** The base fixture with its lead comparisons changed, in the order of its variants; without limits. */
function changed(...changes: Partial<Comparison>[]): Summary {
  const summary = summaryOf('base');
  const scenarios = summary.scenarios.map((scenario) => {
    const leads = scenario.comparisons.filter(({ against, primary }) => against === 'base' && primary);
    return {
      ...scenario,
      comparisons: changes.map((change, i) => ({ ...leads[i], ...change }) as Comparison),
    };
  });
  return { ...summary, plan: { ...summary.plan, gates: [] }, gates: [], scenarios };
}
const still: Partial<Comparison> = {
  ...{ verdict: 'no-difference', ratio: 1.006, margin: 0.024 },
  interval: { low: 0.988, high: 1.024, level: 0.99 },
};

describe('a limit that the interval reaches beyond', () => {
  test.each([
    [0.01, 'maybe exceeded'],
    [0.03, 'not exceeded'],
  ])('of %d beside an interval up to +2.4 %%: %s', (above, words) => {
    const summary = changed(still);
    const comparison = summary.scenarios[0]?.comparisons[0] as Comparison;
    const gate: Gate = { source: 'slower', metric: null, above, scenario: null, variant: null };
    const checks = [{ comparison, failed: false, judged: true }];
    const found = answerOf(
      { ...summary, gates: [{ gate, checks, counts: [], failed: false, unjudged: false }] },
      medium,
    );
    const at = found?.table.columns.findIndex(({ key }) => key === 'limit') ?? -1;
    expect(found?.table.rows[0]?.cells[at]?.text).toBe(words);
  });
});
