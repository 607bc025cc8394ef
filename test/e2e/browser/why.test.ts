// The flame graph and the table of functions in Chromium.
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { htmlGroup } from '../../../src/report/html/render.ts';
import type { Results } from '../../../src/results/results.ts';
import { fixtures } from '../../fixtures/results/make.ts';
import { renderHtml } from '../../fixtures/results/render-html.ts';
import { HOSTILE_NAMES } from '../../fixtures/results/stacks.ts';
import { findBarriers } from './chromium.ts';
import { opened, openHere, useBrowser } from './use-browser.ts';

useBrowser();

async function open(name: string, options?: Parameters<typeof openHere>[1]): Promise<Page> {
  return (await openHere(renderHtml([htmlGroup(fixtures[name]?.() as Results)]), options)).page;
}

const boxes = (page: Page, graph = 0) => page.locator('.flame').nth(graph).locator('svg.box');
const texts = (page: Page, graph = 0) => boxes(page, graph).locator('text').allTextContents();
const box = (page: Page, text: string) =>
  boxes(page)
    .filter({ has: page.locator('text', { hasText: text }) })
    .first();
const INTERVAL = expect.stringMatching(/^\+.* µs to \+.* µs$/);
const detail = (page: Page) => page.locator('.flame-detail').first();
const widthOf = async (page: Page, text: string) => (await box(page, text).boundingBox())?.width ?? 0;

test.each(['why', 'why-hostile', 'why-alone', 'why-rows'])(
  'the page of %s has no error and no barrier, in any width',
  async (name) => {
    const page = await open(name, { colorScheme: 'light' });
    await page.evaluate(() => {
      for (const details of document.querySelectorAll('details')) details.open = true;
    });
    expect(await findBarriers(page)).toEqual([]);
    await page.emulateMedia({ colorScheme: 'dark' });
    expect(await findBarriers(page)).toEqual([]);
    for (const width of [768, 390]) {
      await page.setViewportSize({ width, height: 900 });
      // The graph is drawn anew once the page has its new width.
      const scrollWidth = () => page.evaluate(() => document.documentElement.scrollWidth);
      await expect.poll(scrollWidth, { timeout: 120_000 }).toBe(width);
    }
    expect(opened?.troubles).toEqual([]);
  },
);

describe('the flame graph', () => {
  test('is as wide as the time, and its colours show what changed', async () => {
    const page = await open('why');
    expect(await texts(page)).toEqual(expect.arrayContaining(['one request', 'App\\Controller::index()']));
    const [all, index] = [
      await widthOf(page, 'one request'),
      await widthOf(page, 'App\\Controller::index()'),
    ];
    expect(index / all).toBeGreaterThan(0.7);
    expect(index / all).toBeLessThan(0.85);
    expect(await box(page, 'App\\Repository::find()').getAttribute('class')).toMatch(/ up3/);
    expect(await boxes(page).and(page.locator('.new')).count()).toBe(1);
    expect(await boxes(page).and(page.locator('.gone')).count()).toBe(0);
  });

  test('shows the base, and by itself what is gone', async () => {
    const page = await open('why');
    const before = await widthOf(page, 'App\\Repository::find()');
    await page.getByRole('button', { name: 'Base', exact: true }).click();
    expect(await page.getByRole('button', { name: 'Base', exact: true }).getAttribute('aria-pressed')).toBe(
      'true',
    );
    expect(await widthOf(page, 'App\\Repository::find()')).toBeLessThan(before);
    expect(await boxes(page).and(page.locator('.gone')).count()).toBe(1);
    expect(await boxes(page).and(page.locator('.new')).count()).toBe(0);
    await page.getByRole('button', { name: 'Gone' }).click();
    expect(await texts(page)).toContain('App\\Old::sort()');
    expect(await texts(page)).not.toContain('App\\Repository::find()');
  });

  test('is looked at closer by a click, and all of it again by a button', async () => {
    const page = await open('why');
    const [all, before] = [await boxes(page).count(), await widthOf(page, 'App\\Repository::find()')];
    await box(page, 'App\\Repository::find()').click();
    await expect.poll(() => widthOf(page, 'App\\Repository::find()')).toBeGreaterThan(before * 3);
    expect(await boxes(page).count()).toBeLessThan(all);
    expect(await detail(page).textContent()).toMatch(
      /^App\\Repository::find\(\) src\/Repository\.php:41 \(changed here\): 95 µs → 113 µs \(\+18 µs\), 27 % of the request/,
    );
    await page.getByRole('button', { name: 'Show all' }).click();
    await expect.poll(() => boxes(page).count()).toBe(all);
    expect(await page.getByRole('button', { name: 'Show all' }).isDisabled()).toBe(true);
  });

  test('shows what lies under the mouse', async () => {
    const page = await open('why');
    await box(page, 'App\\Prices::of()').hover();
    await expect
      .poll(() => detail(page).textContent())
      .toMatch(/^App\\Prices::of\(\) src\/Prices\.php:12: 50/);
    expect(await detail(page).getAttribute('aria-live')).toBe('off');
  });

  test('is read and looked at by the keyboard alone, aloud', async () => {
    const page = await open('why');
    await page.locator('.flame-plot').first().focus();
    for (let i = 0; i < 4; i++) await page.keyboard.press('ArrowDown');
    expect(await detail(page).textContent()).toMatch(/^Framework\\View::render\(\)/);
    await page.keyboard.press('Control+ArrowRight');
    expect(await detail(page).textContent()).toMatch(/^Framework\\View::render\(\)/);
    await page.keyboard.press('ArrowRight');
    expect(await detail(page).textContent()).toMatch(/^App\\Repository::find\(\)/);
    expect(await detail(page).getAttribute('aria-live')).toBe('polite');
    const before = await boxes(page).count();
    await page.keyboard.press('Enter');
    await expect.poll(() => boxes(page).count()).toBeLessThan(before);
    await page.keyboard.press('ArrowUp');
    expect(await detail(page).textContent()).toMatch(/^App\\Controller::index\(\)/);
    await page.keyboard.press('Escape');
    await expect.poll(() => boxes(page).count()).toBe(before);
    expect(await detail(page).textContent()).toMatch(/^one request/);
  });

  test('is searched by name and by file', async () => {
    const page = await open('why');
    const search = page.getByRole('searchbox', { name: 'Find a function' });
    await search.fill('repository');
    expect(await boxes(page).and(page.locator('.hit')).count()).toBe(1);
    expect(await page.locator('.flame-found').first().textContent()).toBe('found: 27 % of the time');
    await search.fill('vendor/framework/view');
    expect(await boxes(page).and(page.locator('.hit')).locator('text').allTextContents()).toEqual([
      'Framework\\View::render()',
    ]);
    await search.fill('');
    expect(await boxes(page).and(page.locator('.hit')).count()).toBe(0);
  });

  test('has the other names in the colour of the card, which shows through while one searches', async () => {
    const page = await open('why', { colorScheme: 'dark' });
    await page.getByRole('searchbox', { name: 'Find a function' }).fill('repository');
    const colours = await page.evaluate(() => {
      const text = document.querySelector('.searched .box:not(.hit) text');
      return [text && getComputedStyle(text).fill, getComputedStyle(document.body).color];
    });
    expect(colours[0]).toBe(colours[1]);
  });

  test('is there for each runtime of one version, in the colours of whose code it is', async () => {
    const page = await open('why-alone');
    expect(await page.locator('.flames .flame').count()).toBe(2);
    for (const graph of [1, 2]) expect(await texts(page, graph)).toContain('App\\Controller::index()');
    const alone = page.locator('.flames .flame').first();
    const own = alone.locator('svg.box', { has: page.locator('text', { hasText: 'Controller::index()' }) });
    expect(await own.first().getAttribute('class')).toMatch(/ own/);
    expect(await alone.getByRole('button').allTextContents()).toEqual(['Show all']);
    const [left, right] = await Promise.all([1, 2].map((i) => page.locator('.flame').nth(i).boundingBox()));
    expect(left?.y).toBe(right?.y);
  });

  test('shows the difference of two runtimes of one version, and calls none of it a change', async () => {
    const page = await open('why-rows');
    const part = page.locator('.why').first();
    expect(await part.locator('h3').textContent()).toBe('nginx-fpm (unix) compared with apache');
    expect(await part.locator('.culprits li').first().textContent()).toMatch(/\+18 µs/);
    const buttons = part.locator('.views').getByRole('button');
    expect(await buttons.allTextContents()).toEqual(['nginx-fpm (unix)', 'apache', 'Only apache']);
    // It is too narrow for its name.
    await part.locator('svg.box.new').click();
    expect(await detail(page).textContent()).toMatch(
      /^App\\Cache::warm\(\).*: only nginx-fpm \(unix\); 0 µs → /,
    );
    await buttons.last().click();
    expect(await texts(page)).toContain('App\\Old::sort()');
    await part.getByText('Functions as a table').click();
    expect((await part.locator('thead th').allTextContents()).slice(0, 5)).toEqual([
      ...['Function', 'apache', 'nginx-fpm (unix)', 'Difference', '99 % interval'],
    ]);
    expect(await part.textContent()).not.toMatch(/This version|Base|changed/i);
  });
});

test('the table has the same data, sorted by a click', async () => {
  const page = await open('why');
  const part = page.locator('.why').first();
  await part.getByText('Functions as a table').click();
  const names = () => part.locator('tbody th').allTextContents();
  expect((await names())[0]).toBe('App\\Repository::find()');
  expect(await part.locator('tbody tr').first().locator('td').allTextContents()).toEqual([
    ...['95 µs', '113 µs', '+18 µs', INTERVAL, '+18 µs', INTERVAL, 'yes'],
    ...['src/Repository.php:41', 'own code'],
  ]);
  await part.getByRole('button', { name: 'Base' }).last().click();
  expect((await names())[0]).toBe('Framework\\View::render()');
});

test('a hostile name is text: in the answer, the graph, its description, and the table', async () => {
  const page = await open('why-hostile');
  const shown =
    'App\\</script><img src=x onerror=alert(1)>|@octocat `#12` **x** [y](https://evil.example)::find()';
  expect(await page.locator('.answer').textContent()).toContain(`Most of it: ${shown} +18 µs of`);
  expect(await texts(page)).toContain(shown);
  await box(page, shown).click();
  expect(await detail(page).locator('bdi').allTextContents()).toEqual([shown, `${HOSTILE_NAMES.file}:41`]);
  await page.getByText('Functions as a table').click();
  expect(await page.locator('.why tbody th').first().textContent()).toBe(shown);
  expect(await page.locator('main img, .why b').count()).toBe(0);
  expect(opened?.troubles).toEqual([]);
});

test('without a script the functions are there', async () => {
  const page = await open('why', { javaScriptEnabled: false });
  expect(await page.getByText('The flame graphs are drawn by a script').isVisible()).toBe(true);
  expect(await page.locator('.culprits li').first().textContent()).toMatch(
    /^App\\Repository::find\(\) \+18 µs/,
  );
});
