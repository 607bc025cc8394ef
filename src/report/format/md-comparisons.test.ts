import { expect, test } from 'vitest';
import { summaryOf } from '../../../test/fixtures/results/summaries.ts';
import type { Summary } from '../../analyse/summary.ts';
import { TOGETHER } from '../view/sections/comparisons.ts';
import { renderComparisons } from './md-comparisons.ts';

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

test('a variant that failed has one row, whatever it would have been compared in', () => {
  const summary = summaryOf('base');
  const [scenario] = summary.scenarios;
  if (!scenario) throw new Error('no scenario');
  const variant = scenario.comparisons[0]?.variant;
  const reasons = ['apache failed: no such port'];
  const comparisons = scenario.comparisons.map((one) =>
    one.variant === variant
      ? { ...one, ratio: null, interval: null, verdict: 'inconclusive' as const, reasons }
      : one,
  );
  const text = renderComparisons({ ...scenario, comparisons }, summary, true);
  const kinds = new Set(comparisons.filter((one) => one.variant === variant).map(({ against }) => against));
  expect(text.match(/no such port/g)).toHaveLength(kinds.size);
  expect(text).toMatch(/\| all \d \|/);
  // The others keep a row for each metric.
  expect(text.match(/\| CPU per request/g)?.length).toBeGreaterThan(0);
});
