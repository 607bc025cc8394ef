import { expect, test } from 'vitest';
import { summaryOf } from '../../../test/fixtures/results/summaries.ts';
import type { Row, ScenarioSummary } from '../../analyse/summary.ts';
import type { Comparison } from '../../results/results.ts';
import { renderAnswer, renderComparisonsHtml } from './html-comparisons.ts';

const summary = summaryOf('base');
const [scenario] = summary.scenarios as [ScenarioSummary];

function render(kind: Comparison['against'], change: (one: Comparison) => Partial<Comparison>): string {
  const comparisons = scenario.comparisons.map((one) => ({ ...one, ...change(one) }));
  return renderComparisonsHtml(kind, { ...scenario, comparisons }, summary, new Map())?.text ?? '';
}

test('where the ranking metric is unsure, what is sure in others is still there, folded', () => {
  const shown = render('reference', () => ({}));
  expect(shown).toContain('<h3>Compared with');
  expect(shown).toContain('<summary>All metrics</summary>');
  const folded = render('reference', ({ metric }) => (metric === 'rps' ? { verdict: 'inconclusive' } : {}));
  expect(folded).not.toContain('<h3>');
  expect(folded).toMatch(/^<details><summary>Compared with .*, all metrics<\/summary>/);
  expect(folded).toContain('CPU per request');
  expect(folded).toContain('(note)');
  expect(render('reference', () => ({ verdict: 'inconclusive' }))).toBe('');
});

test('a variant that could not be compared with its base has a row with the reason', () => {
  const reasons = ['apache failed: no such port'];
  const [{ variant }] = scenario.comparisons as [Comparison];
  const failed = render('base', (one) =>
    one.variant === variant ? { ratio: null, interval: null, verdict: 'inconclusive', reasons } : {},
  );
  expect(failed.match(/no such port/g)).toHaveLength(1);
});

test('a change whose number is withheld has no picture either, and no part in the scale', () => {
  const [{ variant }] = scenario.rows as [Row];
  const picturesOf = (change: Partial<Comparison>) => {
    const rows = scenario.rows.map((row): Row => {
      const isWrong = row.variant === variant;
      return isWrong ? { ...row, state: { kind: 'unranked', cause: 'ok-ratio', reason: '' } } : row;
    });
    const comparisons = scenario.comparisons.map((one) =>
      one.variant === variant ? { ...one, verdict: 'inconclusive' as const, ...change } : one,
    );
    const changed = { ...summary, scenarios: [{ ...scenario, rows, comparisons }] };
    const text = renderAnswer(changed, new Map(), [])?.text ?? '';
    return [...text.matchAll(/<td class="bar">(.*?)<\/td>/g)].map(([, picture]) => picture);
  };
  const pictures = picturesOf({ ratio: 0.2, interval: { low: 0.19, high: 0.21, level: 0.99 } });
  expect(pictures.filter((picture) => picture !== '')).toHaveLength(2);
  expect(pictures).toEqual(picturesOf({ ratio: null, interval: null }));
});
