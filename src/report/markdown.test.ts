import { describe, expect, test } from 'vitest';
import { fixtures, makeResults } from '../../test/fixtures/results/make.ts';
import { analyse } from '../analyse/analyse.ts';
import type { Summary } from '../analyse/summary.ts';
import { renderCsv } from './csv.ts';
import { renderMarkdown, renderMarkdownTable, STAGES } from './markdown.ts';

const summaries = new Map(Object.entries(fixtures).map(([name, make]) => [name, analyse(make())]));
const summaryOf = (name: string) => summaries.get(name) as Summary;
const lines = (text: string) => text.split('\n');

describe('as people see it', () => {
  test.each(['quick', 'mixed', 'journey', 'hostile'])('%s', async (name) => {
    await expect(renderMarkdown(summaryOf(name))).toMatchFileSnapshot(`__golden__/${name}.md`);
  });
  test.each(['folded', 'short'] as const)('mixed, %s', async (stage) => {
    await expect(renderMarkdown(summaryOf('mixed'), stage)).toMatchFileSnapshot(
      `__golden__/mixed-${stage}.md`,
    );
  });
  test('csv', async () => {
    await expect(renderCsv(summaryOf('mixed'))).toMatchFileSnapshot('__golden__/mixed.csv');
  });
});

describe('the verdict claims no more than is known', () => {
  const verdict = (name: string) => lines(renderMarkdown(summaryOf(name)))[2];
  test.each([
    ['quick', '**`apache` is fastest: 2,320 ± 60 rps, 11 % ahead of `nginx-fpm (unix)` (2,080 ± 50 rps).**'],
    [
      'tie',
      '**No clear best between `apache` and `nginx-fpm (unix)`: 2,280–2,310 rps, their 95 % intervals overlap; `nginx-fpm (tcp)` behind.** `apache` needs the least CPU per request: 0.430 ± 0.011 ms, 10 % below the next.',
    ],
  ])('%s', (name, expected) => {
    expect(verdict(name)).toBe(expected);
  });
  test('one start each: said in the same breath', () => {
    expect(verdict('one-start')).toMatch(
      /is fastest: .* Each was started only once; another start may differ/,
    );
  });
  test('with a generator-bound variant about, it is the fastest of the others only', () => {
    expect(verdict('mixed')).toMatch(/^\*\*Of those measured to their limit, `apache` is fastest/);
    expect(verdict('mixed')).toContain('The load generator was the limit for `swoole` (≥ 5,180 rps).');
  });
  test('one variant is compared with nothing', () => {
    const text = renderMarkdown(analyse(makeResults({ servers: [{ id: 'a', rps: 900 }] })));
    expect(text).toMatch(/\*\*`a`: 9\d\d ± \d+ rps; there is nothing to compare it with\.\*\*/);
  });
});

test('every row of a table has as many cells as its head', () => {
  for (const [name, summary] of summaries) {
    for (const block of renderMarkdown(summary).split('\n\n')) {
      if (!block.startsWith('|')) continue;
      const counts = lines(block.trim()).map((line) => line.split('|').length);
      expect(new Set(counts).size, `${name}: ${block}`).toBe(1);
    }
  }
});

test('text of others does nothing', () => {
  const text = renderMarkdown(summaryOf('hostile'));
  // Code blocks and code between backticks are shown as they are.
  const active = text.replace(/^(`{3,}).*\n[\s\S]*?\n\1$/gm, '').replace(/`[^`\n\\]*`/g, '');
  expect(active).not.toMatch(/@(?!&#8203;)/);
  expect(active).not.toMatch(/:\/\/|www\.|#\d+\b(?!;)|GH-\d/);
  const tags = new Set(active.match(/<[^>]*>/g));
  expect([...tags].sort()).toEqual(
    [
      '</code>',
      '</details>',
      '</sub>',
      '</summary>',
      '<br>',
      '<code>',
      '<details>',
      '<sub>',
      '<summary>',
    ].sort(),
  );
  expect(active.match(/<details>/g)?.length).toBe(active.match(/<\/details>/g)?.length);
});

describe('the stages for GitHub', () => {
  const nasty = '@|'.repeat(200);
  const many = analyse(
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

  test('each is shorter than the one before', () => {
    const lengths = STAGES.map((stage) => renderMarkdown(summaryOf('mixed'), stage).length);
    expect(lengths).toEqual([...lengths].sort((a, b) => b - a));
    expect(new Set(lengths).size).toBe(3);
  });
  test('short fits a comment, whatever the run', () => {
    const text = renderMarkdown({ ...many, scenarios }, 'short');
    expect(text.length).toBeLessThan(60_000);
    expect(text).toContain('more variants in the full report');
    expect(text).toContain('4 more scenarios in the full report');
  });
});

test('groups that must not be compared are kept apart and say so', () => {
  const text = renderMarkdown([summaryOf('quick'), summaryOf('journey')]);
  expect(text).toContain('# Group 1 of 2');
  expect(text).toContain('do not compare across them');
});

test('the table alone', () => {
  const text = renderMarkdownTable(summaryOf('quick'));
  expect(lines(text.trim())).toHaveLength(5);
});

test('csv: a line a variant, nothing that a spreadsheet would run', () => {
  const summary = structuredClone(summaryOf('quick')) as Summary;
  const [scenario] = summary.scenarios;
  Object.assign(scenario?.rows[0] as object, { label: '=cmd|" /C calc"!A0' });
  const [head, first, ...rest] = renderCsv(summary).trimEnd().split('\n');
  expect(head?.split(',').slice(0, 4)).toEqual(['scenario', 'variant', 'label', 'state']);
  expect(first).toContain(`"'=cmd|"" /C calc""!A0"`);
  expect(rest).toHaveLength(2);
});
