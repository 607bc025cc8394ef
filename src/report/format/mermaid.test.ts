import { expect, test } from 'vitest';
import { fixtures } from '../../../test/fixtures/results/make.ts';
import { summaryOf } from '../../../test/fixtures/results/summaries.ts';
import type { Row, ScenarioSummary } from '../../analyse/summary.ts';
import { renderMarkdown } from './markdown.ts';
import { drawBars, renderChart } from './mermaid.ts';

/** The part of Mermaid's grammar that we use: what does not fit it would be another diagram, or an error on the page. */
const CHART = new RegExp(
  [
    '^```mermaid',
    '%%\\{init: \\{[\\w":,{}#]+\\}\\}%%',
    'xychart-beta horizontal',
    '    title "[\\w ,]+"',
    '    x-axis \\[("[\\p{L}\\p{N} ._@=,:/()[\\]+·…-]+"(, |(?=\\])))+\\]',
    '    y-axis 0 --> \\d+(\\.\\d+)?',
    '    bar \\[(\\d+(\\.\\d+)?(, |(?=\\])))+\\]',
    '```$',
  ].join('\n'),
  'u',
);

test('bars from zero, best on top', () => {
  const text = drawBars('RPS, more is better', [
    { label: 'swoole', value: 150_000.4 },
    { label: 'apache[workers=8]', value: 9_100 },
    { label: 'tiny', value: 0.0000004 },
  ]);
  expect(text).toMatch(CHART);
  expect(text.split('\n').slice(3, 7)).toEqual([
    '    title "thousand RPS, more is better"',
    '    x-axis ["swoole", "apache[workers=8]", "tiny"]',
    '    y-axis 0 --> 157.50',
    '    bar [150.00, 9.10, 0.000000]',
  ]);
});

test.each([
  '"]\n    bar [1]',
  '"`**bold**`"',
  '%%{init: {"theme":"dark"}}%%',
  '```\n# out',
  '#quot;<img src=x onerror=alert(1)>;&lt;',
  'click a "javascript:alert(1)"',
  // biome-ignore lint/suspicious/noTemplateCurlyInString: an expression that must stay text
  '\u202e@everyone ${{ secrets.X }} $x$',
  'x'.repeat(5000),
  '',
])('%j is a name and nothing else', (label) => {
  const text = drawBars('RPS', [
    { label, value: 2 },
    { label: 'b', value: 1 },
  ]);
  expect(text).toMatch(CHART);
  expect(text.split('\n')).toHaveLength(8);
  const [, , ...lines] = text.slice(0, -3).replace('-->', '').split('\n');
  expect(lines.join('\n')).not.toMatch(/[`%#;<>&$\\{}*]/);
  expect(text.length).toBeLessThan(500);
});

test('a name that is cut keeps its end', () => {
  const bars = [4, 16].map((workers) => ({
    label: `nginx-fpm@8.4[pm=dynamic,workers=${workers}]`,
    value: 1,
  }));
  expect(drawBars('RPS', bars)).toContain(
    '["nginx-fpm@8.4[…mic,workers=4]", "nginx-fpm@8.4[…ic,workers=16]"]',
  );
});

test('names that come out the same get a number', () => {
  const same = ['a"', 'a`', 'a·'].map((label) => ({ label, value: 1 }));
  expect(drawBars('RPS', same)).toContain('["a·", "a· 2", "a· 3"]');
});

test.each([
  ['one', [3]],
  ['none', []],
  ['nothing but zero', [0, 0]],
  ['no numbers', [Number.NaN, Number.POSITIVE_INFINITY]],
])('no chart of %s', (_, values) => {
  expect(
    drawBars(
      'RPS',
      values.map((value, i) => ({ label: `${i}`, value })),
    ),
  ).toBe('');
});

test('200 variants: the first of them', () => {
  const many = Array.from({ length: 200 }, (_, i) => ({ label: `variant ${i}`, value: 300 - i }));
  expect(drawBars('RPS', many)).toMatch(CHART);
  expect(drawBars('RPS', many)).toContain('"variant 11"]');
});

test('every report has charts that fit the grammar', () => {
  let seen = 0;
  for (const name of Object.keys(fixtures)) {
    for (const [block] of renderMarkdown(summaryOf(name)).matchAll(/^```mermaid\n[\s\S]*?^```$/gm)) {
      expect(block).toMatch(CHART);
      seen++;
    }
  }
  expect(seen).toBeGreaterThan(5);
});

test('beside a change there is none: bars from zero hide 5 %', () => {
  expect(renderMarkdown(summaryOf('base'))).not.toContain('mermaid');
});

test('of an open load, latency', () => {
  expect(renderMarkdown(summaryOf('journey'))).toMatch(/title "p9[59] in ms, less is better"/);
});

test('of 10 s and more, latency in seconds', () => {
  const [scenario] = summaryOf('journey').scenarios as [ScenarioSummary];
  const chartOf = (ms: number) => {
    const latency = { value: ms, half: null, n: 3, over: 'instances' } as const;
    const rows = scenario.rows.map(
      (row): Row => ({
        ...row,
        [scenario.metric]: latency,
        state: { kind: 'ranked', rank: 1, shared: true },
      }),
    );
    return renderChart({ ...scenario, rows });
  };
  expect(chartOf(9_000)).toMatch(/title "p9[59] in ms, less is better"/);
  expect(chartOf(12_500)).toMatch(/title "p9[59] in s, less is better"/);
  expect(chartOf(12_500)).toContain('bar [12.50, 12.50');
});
