// A pull request that slows an app: its comment and its flame graph name the functions, those with hostile names, too.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { Results } from '../../../src/results/results.ts';
import { Caller, PULL_REQUEST } from '../caller.ts';
import { findBarriers, findChromium, NO_CHROMIUM, type Opened, openBrowser, openPage } from './chromium.ts';
import { hasMarkdown, NO_MARKDOWN, renderGitHub } from './markdown.ts';

/** How often the loops of two functions go round; that of a file, outside of functions, half as often. */
const ROUNDS = { before: 2000, after: 160_000 };

/** Of the bytes that PHP takes in a name: an override of the direction, a space that is none, letters of full width. */
const NAME = 'work\u202e\u00a0＜b＞😀';
/** The same without what nobody can see. */
const SHOWN = 'work\u00a0＜b＞😀()';
const FILE = 'src/</script><img src=x onerror=alert(1)>|@octocat `#12`\n$(touch owned) **x**.php';
const SHOWN_FILE = FILE.replace('\n', ' ');
const SLOWED = ['App\\Cart::total()', SHOWN];

const loop = (rounds: number | string) =>
  `for ($i = 0, $sum = 0.0; $i < ${rounds}; $i++) {\n    $sum += sqrt($i);\n}\n`;

/** The work of a page that stays as it is, and of three places that change. */
const app = (rounds: number): Record<string, string> => ({
  'public/index.php': `<?php
require __DIR__ . '/../src/Cart.php';
require __DIR__ . '/../${FILE}';
function render(): string
{
    ${loop(60_000)}
    return 'done';
}
App\\Cart::total();
${NAME}();
echo render();
`,
  'src/Cart.php': `<?php
namespace App;
final class Cart
{
    public static function total(): float
    {
        ${loop(rounds)}
        return $sum;
    }
}
`,
  [FILE]: `<?php
function ${NAME}(): float
{
    ${loop(rounds)}
    return $sum;
}
${loop(rounds / 2)}`,
});

const program = findChromium();
let caller: Caller;
let browser: Browser | undefined;
let opened: Opened | undefined;
let comment: string;
let report: string;

beforeAll(async () => {
  if (program) browser = await openBrowser(program);
  caller = await Caller.create();
  await caller.reset();
  await caller.write(app(ROUNDS.before));
  const sha = await caller.sandbox.commit();
  await caller.write(app(ROUNDS.after));
  const { pull_request, ...payload } = PULL_REQUEST.payload;
  const event = {
    name: PULL_REQUEST.name,
    payload: { ...payload, pull_request: { ...pull_request, base: { ref: 'main', sha } } },
  };
  const done = await caller.call('bench.yml', event, {
    ...{ shards: '1', runtimes: 'apache', php: '8.4', paths: '/', 'compare-to': 'base', profile: 'true' },
    // A busy machine needs more starts than a verdict takes at least to be sure of both functions.
    ...{ load: 'vus(1, 1s)', warmup: '0s', instances: '6', blocks: '1' },
    ...(process.env.BENCH_IMAGES && { images: process.env.BENCH_IMAGES }),
  });
  expect(done.code, done.log).toBe(0);
  expect(caller.violations).toEqual([]);
  const [first, ...more] = caller.github.comments;
  expect(more).toEqual([]);
  comment = first?.body ?? '';
  report = join(caller.artifacts.folder ?? '', 'php-runtime-bench');
}, 900_000);

afterAll(async () => {
  await browser?.close();
  await caller?.remove();
});

afterEach(async () => {
  await opened?.close();
  opened = undefined;
});

async function open(html: string): Promise<Page> {
  opened = await openPage(browser as Browser, html);
  return opened.page;
}

test('the comment names the functions that were slowed, where they are, and that they changed here', ({
  skip,
}) => {
  // The latter where other work on the machine leaves too few starts for a verdict.
  const [, said] = /^\*\*(?:Most of it|Functions that changed):\*\* (.*)$/m.exec(comment) ?? [];
  expect(said, comment).toMatch(/App\\\\Cart::total\(\)<\/code> \+[\d.]+ (?:ms|µs)/);
  expect(said).toMatch(/\bsrc\/Cart\.php:5, changed here\b/);
  expect(said).not.toContain('render()');
  // Text and nothing else, by GitHub's own parser.
  if (!hasMarkdown()) skip(NO_MARKDOWN);
  const html = renderGitHub(comment);
  expect(html).toContain(`<code>${SHOWN}</code> +`);
  expect(html).toContain('src/&lt;/script&gt;&lt;img src=x onerror=alert(1)&gt;|@\u200boctocat');
  expect(html).not.toMatch(/<img|<script|<b>|@octocat/);
});

test('results have the files that changed, and no command was run of their names', async () => {
  const results = Results.parse(JSON.parse(await readFile(join(report, '1/results.json'), 'utf8')));
  const [changed = [], ...more] = Object.values(results.plan.compareTo?.changed ?? {});
  expect(more).toEqual([]);
  expect(changed.filter((file) => !file.startsWith('.github/'))).toEqual([FILE, 'src/Cart.php']);
  expect(results.profiles.map(({ variant, instance }) => `${variant} ${instance}`).sort()).toEqual(
    ['apache@8.4', 'apache@8.4:base'].flatMap((id) => [0, 1, 2, 3].map((start) => `${id} ${start}`)),
  );
});

const detail = (page: Page) => page.locator('.flame-detail');

/** Searches the flame graph for a text, clicks what it finds, and reads what a request took there, before and after, in µs. */
async function look(page: Page, wanted: string, shown: string) {
  const search = page.getByRole('searchbox', { name: 'Find a function' });
  await search.fill(wanted);
  const box = page
    .locator('.flame svg.box.hit')
    .filter({ has: page.locator('text', { hasText: shown }) })
    .first();
  await box.click();
  const text = (await detail(page).textContent()) ?? '';
  const amounts = /: ([\d.]+) (µs|ms) → ([\d.]+) (µs|ms) \(\+.*\), (\d+) % of the request; /.exec(text);
  expect(amounts, text).not.toBeNull();
  const [, base, baseUnit, variant, variantUnit, share] = amounts as RegExpExecArray;
  const us = (value = '', unit = '') => Number(value) * (unit === 'ms' ? 1000 : 1);
  return { text, before: us(base, baseUnit), after: us(variant, variantUnit), share: Number(share) };
}

test('in the flame graph of the artifact they are found, clicked and read', async ({ skip }) => {
  if (!program) skip(NO_CHROMIUM);
  const page = await open(await readFile(join(report, 'report.html'), 'utf8'));
  expect(await page.locator('.flame').count()).toBe(1);
  const all = await page.locator('.flame svg.box').count();
  for (const [wanted, shown, place] of [
    ['cart::total', 'App\\Cart::total()', 'src/Cart.php:5'],
    ['＜b＞', SHOWN, `${SHOWN_FILE}:2`],
  ] as const) {
    const { text, before, after, share } = await look(page, wanted, shown);
    expect(await detail(page).locator('bdi').allTextContents()).toEqual([shown, place]);
    expect(text).toContain(' (changed here): ');
    // Eighty times the work; what little was before may have been seen by no sample.
    expect(after).toBeGreaterThan(10 * before);
    expect(share).toBeGreaterThan(15);
    expect(share).toBeLessThan(60);
    await page.getByRole('button', { name: 'Show all' }).click();
    await expect.poll(() => page.locator('.flame svg.box').count()).toBe(all);
  }
  expect(opened?.troubles).toEqual([]);
});

test('hostile names are text in it: in the answer, in the list, in the table', async ({ skip }) => {
  if (!program) skip(NO_CHROMIUM);
  const page = await open(await readFile(join(report, 'report.html'), 'utf8'));
  const culprits = (await page.locator('.culprits li').allTextContents()).join('\n');
  for (const text of [...SLOWED, SHOWN_FILE]) {
    expect(await page.locator('.answer').textContent()).toContain(text);
    expect(culprits).toContain(text);
  }
  await page.getByText('Functions as a table').click();
  const names = await page.locator('.why tbody th').allTextContents();
  expect(names).toEqual(expect.arrayContaining([...SLOWED, SHOWN_FILE, 'render()']));
  expect(await page.locator('main img, main script, .why b').count()).toBe(0);
  expect(await findBarriers(page)).toEqual([]);
  expect(opened?.troubles).toEqual([]);
});
