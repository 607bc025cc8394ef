import { describe, expect, test } from 'vitest';
import { summaryOf } from '../../../test/fixtures/results/summaries.ts';
import type { Summary } from '../../analyse/summary.ts';
import { TOGETHER } from '../view/sections/comparisons.ts';
import { renderMarkdown, renderMarkdownTable } from './markdown.ts';
import { renderComparisons } from './md-comparisons.ts';

const lines = (text: string) => text.split('\n');

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

test('starts of an earlier run are not paired', () => {
  const summary = summaryOf('base');
  const [scenario] = summary.scenarios as [Summary['scenarios'][number]];
  const told = (isEarlier: (at: number) => boolean) => {
    const comparisons = scenario.comparisons.map((one, i) =>
      isEarlier(i) ? { ...one, against: 'earlier' as const } : one,
    );
    return renderComparisons({ ...scenario, comparisons }, summary, true);
  };
  const [paired, welch] = ['Fresh starts of the two are paired', 'are not paired'];
  expect(told(() => false)).toContain(paired);
  expect(told(() => false)).not.toContain(welch);
  expect(told(() => true)).toContain(`${welch}: their interval is Welch's`);
  expect(told(() => true)).not.toMatch(/are paired|pairs of|Holm/);
  for (const words of [paired, welch, '| pairs of starts |', '| starts |'])
    expect(told((at) => at === 0)).toContain(words);
});

describe('against another ref', () => {
  const place = { isPull: true, isCheck: true, repositoryUrl: 'https://github.com/octo/shop' };
  const comment = (name: string) => renderMarkdown(summaryOf(name), 'short', place);
  const table = (name: string) =>
    lines(renderMarkdownTable(summaryOf(name)).trim().replaceAll('\u00a0', ' '));

  test('both commits are links where the repository is known, and only there', () => {
    expect(comment('base')).toContain(
      'This PR ([`b7e23ec`](https://github.com/octo/shop/commit/b7e23ec29af22b0b4e41da31e868d57226121c84)) compared with `main` ([`4c0f362`](https://github.com/octo/shop/commit/4c0f362a91)), scenario “Hello, server”:',
    );
    expect(renderMarkdown(summaryOf('base'))).toContain(
      'This change (`b7e23ec`) compared with `main` (`4c0f362`)',
    );
  });
  test('what is no commit becomes no link', () => {
    const text = comment('base-hostile');
    expect(text).not.toContain('/commit/');
    expect(text).toContain('(`@octoca`)');
    const summary = summaryOf('base');
    for (const commit of ['4c0f362)(https://evil.example', '../../x', '4C0F362A91', `${'a'.repeat(64)}b`]) {
      const head = { commit, uncommitted: 0, files: [] };
      const shown = renderMarkdown({ ...summary, run: { ...summary.run, head } }, 'short', place);
      expect(shown.match(/\/commit\/[^)]*/g)).toEqual(['/commit/4c0f362a91']);
    }
  });
  test('no chart, which would hide a change of 5 %, and the ranking of servers is folded', () => {
    const text = comment('base');
    expect(text).not.toContain('mermaid');
    const [above = '', below = ''] = text.split(
      '<details><summary>Servers compared with each other (this PR only)',
    );
    expect(above).not.toContain('highest RPS');
    expect(below).toContain('`apache` has the highest RPS');
    expect(renderMarkdown(summaryOf('quick'), 'short')).toContain('mermaid');
  });
  test('no jargon above the fold', () => {
    const [above = ''] = comment('base').split('<details>');
    expect(above).not.toMatch(/vus\(|slice|pairs of|guard|seed|power|could have|beyond it|Gate|base →|Holm/);
    expect(above.length).toBeLessThan(2000);
  });
  test('several scenarios: it says in which', () => {
    expect(comment('base-several')).toMatch(
      /^### ❌ This PR makes `apache` in `json` use 5\.2 % more CPU per request/,
    );
    expect(renderMarkdown(summaryOf('base-several'))).toContain('\n## JSON (`json`)\n');
  });
  test('the table alone is that of the changes, worst first', () => {
    const rows = table('base');
    expect(rows).toHaveLength(5);
    expect(rows[0]).toContain('| CPU per request, `main` → this change | Change | 99 % interval |');
    expect(rows[2]).toMatch(
      /^\| ❌ \| `apache` \| 0\.411 → 0\.431 ms \| \*\*\+4\.8 %\*\* \| \+4\.1 to \+5\.6 % \|/,
    );
    expect(rows[3]).toMatch(/^\| ❔ \| `nginx-fpm \(tcp\)` .* too noisy to tell \| cannot tell \|/);
    expect(rows[4]).toMatch(/^\| ✅ \| `nginx-fpm \(unix\)` .* no change above 1\.2 % \| not exceeded \|/);
  });
  test('what differs in other metrics is a note', () => {
    const text = renderMarkdown(summaryOf('base'));
    expect(text).toContain(
      '| `apache` | CPU per request | 0.411 → 0.431 ms | +4.8 % | +4.1…+5.6 | **worse** |',
    );
    expect(text).toMatch(/\| `apache` \| RPS \| 419 → 400 rps \| −4\.\d % \| .* \| worse \(note\) \|/);
  });
  test('what was not measured well shows no change', () => {
    const row = table('base-broken').find((line) => line.includes('swoole'));
    expect(row).toMatch(/^\| ❔ \| `swoole` \| \S+( per request)? \| cannot tell \|/);
  });
});

describe('against the reference', () => {
  const cells = (summary: Summary) =>
    lines(renderMarkdownTable(summary))
      .slice(2)
      .map((line) => line.split('|')[3]?.trim().replace('\u00a0', ' '));
  test('few starts: the change alone, since the ranking went by other means', () => {
    expect(cells(summaryOf('quick')).slice(0, 3)).toEqual(['reference', '−10.1 %', '−18.3 %']);
  });
  test('enough of them: with interval and verdict', () => {
    const paired = { ...summaryOf('aa'), plan: { ...summaryOf('aa').plan, compareTo: null } };
    const [scenario] = paired.scenarios as [Summary['scenarios'][number]];
    const comparisons = scenario.comparisons.filter(({ against }) => against === 'reference');
    const summary: Summary = { ...paired, scenarios: [{ ...scenario, comparisons }] };
    expect(cells(summary)[1]).toMatch(/^−5\.\d % \(−\d\.\d…−\d\.\d\) \*\*slower\*\*$/);
  });
  test('not ranked: no change', () => {
    expect(renderMarkdownTable(summaryOf('mixed'))).toContain('| `fails-fast` | – |');
  });
});
