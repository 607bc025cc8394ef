import { expect, test } from 'vitest';
import { summaryOf } from '../../test/fixtures/results/summaries.ts';
import type { Summary } from '../analyse/summary.ts';
import { renderComparisons, TOGETHER } from './comparisons.ts';

/** A summary whose comparisons of CPU per request with the other ref were made in this way. */
function madeBy(how: 'turns' | 'together'): string {
  const summary = summaryOf('base');
  const scenarios = summary.scenarios.map((scenario) => ({
    ...scenario,
    comparisons: scenario.comparisons.map((comparison) =>
      comparison.metric === 'cpu' && comparison.against === 'base' ? { ...comparison, how } : comparison,
    ),
  }));
  const changed: Summary = { ...summary, scenarios };
  return scenarios.map((scenario) => renderComparisons(scenario, changed, true)).join('\n');
}

test('what was found with both sides loaded at once says so, and what that means', () => {
  const text = madeBy('together');
  expect(text.match(/\| CPU per request, both at once \|/g)?.length).toBeGreaterThan(0);
  expect(text).toContain(TOGETHER);
  expect(madeBy('turns')).not.toMatch(/at once/);
});
