import { expect, test } from 'vitest';
import { fixtures } from '../../../test/fixtures/results/make.ts';
import { renderHtml } from '../../../test/fixtures/results/render-html.ts';
import { analyse } from '../../analyse/analyse.ts';
import type { CheckedPage, Results } from '../../results/results.ts';
import { renderMarkdown } from '../format/markdown.ts';
import { renderTable } from '../format/terminal.ts';
import { checkedLines } from './checked-lines.ts';

const page = (of: Partial<CheckedPage> = {}): CheckedPage => ({
  ...{ endpoint: '/', journey: null, variants: ['a', 'b'], status: 200, type: 'text/html', location: '' },
  ...{ title: 'Main Page – Wiki', bytes: [23_962, 23_962] },
  ...of,
});
const VARIANTS = ['a', 'b', 'c'].map((id) => ({ id, label: id.toUpperCase() }));

test('a page is a line', () => {
  const redirect = page({ endpoint: '/old', status: 302, location: '/new', title: null, bytes: [0, 120] });
  const step = page({ endpoint: 'cart', journey: 'shop', title: null, type: '', bytes: [7, 7] });
  const bare = page({ endpoint: '/bare', title: null, text: 'Cannot find config.php', bytes: [82, 82] });
  expect(checkedLines([page(), redirect, step, bare], VARIANTS)).toEqual([
    '/ → 200 "Main Page – Wiki", text/html, 23.4 KiB',
    '/old → 302 to /new, text/html, 0 bytes to 120 bytes',
    'cart (shop) → 200, 7 bytes',
    "/bare → 200 'Cannot find config.php', text/html, 82 bytes",
  ]);
});

test('variants are named where they differ', () => {
  const lines = checkedLines([page(), page({ variants: ['c'], title: 'Set-up' })], VARIANTS);
  expect(lines).toEqual([
    '/ → 200 "Main Page – Wiki", text/html, 23.4 KiB (A and B)',
    '/ → 200 "Set-up", text/html, 23.4 KiB (C)',
  ]);
});

test('a thousand paths are twenty lines, and how many are left', () => {
  const many = Array.from({ length: 1000 }, (_, i) => page({ endpoint: `/${i}` }));
  const lines = checkedLines(many, VARIANTS);
  expect(lines).toHaveLength(21);
  expect(lines.at(-1)).toBe('980 more in results.json');
});

const HOSTILE = '<img src=x onerror=alert(1)> @octocat [a](http://b) | \u001b[2J`x`';

test('every report shows it, and the text of others does nothing there', () => {
  const results = fixtures.quick?.() as Results;
  results.checked = [page({ title: HOSTILE, endpoint: '/<b>' })];
  const summary = analyse(results);
  const markdown = renderMarkdown(summary);
  expect(markdown).toContain('Checked before the load:');
  expect(markdown).toMatch(
    /^- \/&lt;b&gt; → 200 "&lt;img src=x onerror=alert\(1\)&gt; @\u200b?(&#8203;)?octocat/m,
  );
  expect(markdown).not.toContain('<img');
  const page_ = renderHtml([{ summary, measurements: results.measurements }]);
  expect(page_).toContain('/&lt;b&gt; → 200 &quot;&lt;img src=x onerror=alert(1)&gt;');
  expect(page_).not.toContain('<img src=x');
  const table = renderTable(summary, { width: 200, color: false });
  expect(table).toContain('checked: /<b> → 200 "<img src=x');
  expect(table).not.toContain('\u001b');
});

test('results of older versions have no such line', () => {
  const results = fixtures.quick?.() as Results;
  expect(renderMarkdown(analyse(results))).not.toContain('Checked before');
});
