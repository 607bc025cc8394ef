import { describe, expect, test } from 'vitest';
import { makeResults } from '../../../test/fixtures/results/make.ts';
import { summarise, summaryOf } from '../../../test/fixtures/results/summaries.ts';
import type { Summary } from '../../analyse/summary.ts';
import type { Comparison } from '../../results/results.ts';
import { renderMarkdown, STAGES } from './markdown.ts';

const lines = (text: string) => text.split('\n');

const comparison = summaryOf('base').scenarios[0]?.comparisons[0] as Comparison;

describe('the stages for GitHub', () => {
  const nasty = '@|'.repeat(200);
  const many = summarise(
    makeResults({
      servers: Array.from({ length: 500 }, (_, i) => ({
        id: `v${i}`,
        label: `${nasty}${i}`,
        rps: 20,
        ...(i % 3 === 0
          ? { failure: { stage: 'build' as const, reason: nasty, log: nasty.repeat(20) } }
          : {}),
        ...(i % 3 === 1 ? { okRatio: 0.5, errorKind: nasty } : {}),
      })),
      instances: 1,
      scenario: { blocks: 1, title: nasty, load: 'vus(8, 1s)' },
    }),
  );
  const scenarios = Array.from({ length: 10 }, () => many.scenarios[0] as Summary['scenarios'][number]);
  const compareTo = { given: nasty, ref: nasty, commit: nasty, reason: null };
  const verdicts = ['slower', 'faster', 'inconclusive', 'no-difference'] as const;
  const compared = scenarios.map((scenario) => ({
    ...scenario,
    comparisons: many.variants.map(({ id }, i): Comparison => {
      const verdict = verdicts[i % 4] as Comparison['verdict'];
      return { ...comparison, variant: id, verdict, pairs: i % 7, reasons: [`${nasty}${i}`] };
    }),
  }));
  const gate = { source: nasty, metric: null, above: 0.03, scenario: null, variant: null };
  const checks =
    compared[0]?.comparisons.map((one) => ({ comparison: one, failed: true, judged: true })) ?? [];
  const worst: Summary = {
    ...many,
    plan: { ...many.plan, compareTo },
    scenarios: compared,
    gates: Array.from({ length: 50 }, () => ({ gate, checks, counts: [], failed: true, unjudged: false })),
  };

  test('each is shorter than the one before', () => {
    const lengths = STAGES.map((stage) => renderMarkdown(summaryOf('mixed'), stage).length);
    expect(lengths).toEqual([...lengths].sort((a, b) => b - a));
    expect(new Set(lengths).size).toBe(3);
  });
  test('names that end in different options or machines stay apart where they are cut', () => {
    const labels = ['workers=4', 'workers=16', 'workers=16] (machine 2)'].map(
      (end) => `octane-frankenphp@8.4[listen=unix,pm=dynamic,${end}`,
    );
    const servers = labels.map((label, i) => ({ id: `v${i}`, label, rps: 300 - 50 * i }));
    const text = renderMarkdown(summarise(makeResults({ servers })), 'short');
    const names = lines(text).flatMap((line) => /^\|.*`(octane\S.*?)`/.exec(line)?.[1] ?? []);
    expect(new Set(names).size).toBe(3);
    for (const name of names) expect(name).toMatch(/^octane-frankenphp.*….*(workers=\d+|machine 2\))$/);
    const [, axis = ''] = /x-axis \[(.*)\]$/m.exec(text) ?? [];
    for (const end of ['workers=4"', 'workers=16"', '(machine 2)"']) expect(axis).toContain(end);
  });
  test('after twenty codes of warnings their number is shown', () => {
    const textOf = (count: number) => {
      const warnings = Array.from({ length: count }, (_, i) => {
        return { code: `code-${i}`, message: 'a', remedy: 'b', variant: null };
      });
      return renderMarkdown({ ...summaryOf('quick'), warnings }, 'short');
    };
    expect(textOf(20)).toContain('`code-19`), explained');
    expect(textOf(22)).toContain('22 warnings (`code-0`');
    expect(textOf(22)).toContain('`code-19`, 2 more), explained');
  });
  test('short fits a comment, whatever the run', () => {
    const text = renderMarkdown(worst, 'short');
    expect(text.length).toBeLessThan(60_000);
    expect(text).toContain('more variants in the full report');
    expect(text).toContain('4 more scenarios in the full report');
    expect(lines(text)[0]?.length).toBeLessThan(20_000);
    expect(
      renderMarkdown(worst, 'short', {
        ...{ isPull: true, isCheck: true },
        repositoryUrl: `https://ghe.example/${'o'.repeat(39)}/${'r'.repeat(100)}`,
      }).length,
    ).toBeLessThan(60_000);
  });
});
