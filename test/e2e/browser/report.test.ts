// report.html in Chromium: what people do with it, and that nothing of it goes wrong.
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { compareAcross } from '../../../src/analyse/judge/across-shards.ts';
import { htmlGroup } from '../../../src/report/html/render.ts';
import type { Results } from '../../../src/results/results.ts';
import { fixtures, makeResults } from '../../fixtures/results/make.ts';
import { ramp } from '../../fixtures/results/profile.ts';
import { renderHtml } from '../../fixtures/results/render-html.ts';
import { shardedRun } from '../../fixtures/results/sharded.ts';
import { findBarriers, scrollThrough } from './chromium.ts';
import { opened, openHere, useBrowser } from './use-browser.ts';

const pages: Record<string, () => string> = {
  ...Object.fromEntries(
    Object.entries(fixtures).map(([name, make]) => [name, () => renderHtml([htmlGroup(make())])]),
  ),
  ramp: () => renderHtml([htmlGroup(ramp())]),
  sharded: () => renderHtml(shardedRun().map(htmlGroup), compareAcross(shardedRun())),
  groups: () => renderHtml([fixtures.quick, ramp].map((make) => htmlGroup((make as () => Results)()))),
};

useBrowser();

async function open(name: string, options?: Parameters<typeof openHere>[1]): Promise<Page> {
  const html = pages[name]?.();
  if (html === undefined) throw new Error(`no page ${name}`);
  return (await openHere(html, options)).page;
}

/** How many pixels of a chart's canvas are not empty, or how many dots it has. */
function ink(page: Page, chart: string): Promise<number> {
  return page.locator(`[data-chart="${chart}"]`).evaluate((figure) => {
    const canvas = figure.querySelector('canvas');
    if (!canvas) return figure.querySelectorAll('circle').length;
    const { data } = (canvas.getContext('2d') as CanvasRenderingContext2D).getImageData(
      0,
      0,
      canvas.width,
      canvas.height,
    );
    // Colour: grid and text are grey.
    let inked = 0;
    for (let i = 0; i < data.length; i += 4) {
      const [r = 0, g = 0, b = 0, alpha = 0] = data.slice(i, i + 4);
      if (alpha > 100 && Math.max(r, g, b) - Math.min(r, g, b) > 60) inked++;
    }
    return inked;
  });
}

describe.each(['quick', 'mixed', 'journey', 'base', 'hostile', 'ramp', 'groups'])(
  'the page of %s',
  (name) => {
    test('has no error, no barrier and nothing beyond its side, light and dark, wide and narrow', async () => {
      const page = await open(name, { colorScheme: 'light' });
      const height = () => page.evaluate(() => document.documentElement.scrollHeight);
      // What comes into view moves nothing: a click would go astray.
      const before = await height();
      await scrollThrough(page);
      expect(await height()).toBe(before);
      await page.evaluate(() => {
        for (const details of document.querySelectorAll('details')) details.open = true;
      });
      expect(await findBarriers(page)).toEqual([]);
      await page.emulateMedia({ colorScheme: 'dark' });
      expect(await findBarriers(page)).toEqual([]);
      for (const width of [768, 390]) {
        await page.setViewportSize({ width, height: 900 });
        await scrollThrough(page);
        expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width);
      }
      expect(opened?.troubles).toEqual([]);
    });

    test('every chart draws, and has its data as a table', async () => {
      const page = await open(name);
      await scrollThrough(page);
      const charts = page.locator('figure.chart');
      expect(await charts.count()).toBeGreaterThan(4);
      for (const chart of await charts.all()) {
        const id = (await chart.getAttribute('data-chart')) as string;
        const scope = page.locator(`figure:has(#${await chart.getAttribute('aria-labelledby')})`);
        const drawn = await scope.evaluate((figure) => {
          const canvas = figure.querySelector('canvas');
          return canvas ? canvas.width * canvas.height : figure.querySelectorAll('circle').length;
        });
        expect(drawn, id).toBeGreaterThan(0);
        await scope.locator('details.data summary').click();
        // Filled once it is open.
        await scope.locator('details.data tbody tr').first().waitFor();
      }
    });
  },
);

test('of several machines: whether it got slower is on the first screen, before their ranking', async () => {
  const page = await open('sharded');
  const [headline, ranking] = await Promise.all(
    [page.locator('.answer .verdict'), page.locator('.across')].map((one) => one.boundingBox()),
  );
  expect(await page.locator('.answer').count()).toBe(1);
  expect(headline?.y).toBeLessThan(300);
  expect(ranking?.y).toBeGreaterThan(headline?.y as number);
  expect(await findBarriers(page)).toEqual([]);
});

test('every chart of a ramp shows its lines', async () => {
  const page = await open('ramp');
  await scrollThrough(page);
  const ids = await page
    .locator('figure.chart')
    .evaluateAll((all) => all.map((one) => one.dataset.chart as string));
  expect(ids).toHaveLength(10);
  for (const id of ids) expect(await ink(page, id), id).toBeGreaterThan(id === 'slices' ? 5 : 2);
  for (const id of ['offered-answered', 'load-levels', 'latency-time', 'percentiles'])
    expect(await ink(page, id), id).toBeGreaterThan(500);
});

describe('the ranking', () => {
  const labels = (page: Page) =>
    page.locator('[data-sortable]').first().locator('tbody th bdi').allTextContents();
  const head = (page: Page, title: string) =>
    page.locator('[data-sortable]').first().getByRole('button', { name: title });

  test('is sorted by a click on a column, turned by the next, and as it was after a third', async () => {
    const page = await open('quick');
    const ranked = ['apache', 'nginx-fpm (unix)', 'nginx-fpm (tcp)'];
    expect(await labels(page)).toEqual(ranked);
    await head(page, 'Memory').click();
    expect(await labels(page)).toEqual(['nginx-fpm (tcp)', 'nginx-fpm (unix)', 'apache']);
    await head(page, 'Memory').click();
    expect(await labels(page)).toEqual(['apache', 'nginx-fpm (unix)', 'nginx-fpm (tcp)']);
    const column = page.getByRole('columnheader', { name: 'Memory' }).first();
    expect(await column.getAttribute('aria-sort')).toBe('ascending');
    await head(page, 'Memory').click();
    expect(await labels(page)).toEqual(ranked);
    expect(await column.getAttribute('aria-sort')).toBeNull();
  });

  test('is sorted by the keyboard alone', async () => {
    const page = await open('quick');
    for (let i = 0; i < 30; i++) {
      await page.keyboard.press('Tab');
      if ((await page.evaluate(() => document.activeElement?.textContent)) === 'Variant') break;
    }
    await page.keyboard.press('Enter');
    expect(await labels(page)).toEqual(['apache', 'nginx-fpm (tcp)', 'nginx-fpm (unix)']);
    await page.keyboard.press('Enter');
    expect(await labels(page)).toEqual(['nginx-fpm (unix)', 'nginx-fpm (tcp)', 'apache']);
  });

  test('keeps what is not ranked, and what failed, apart', async () => {
    const page = await open('mixed');
    expect(await labels(page)).toEqual(['apache', 'nginx-fpm (unix)']);
    expect(
      await page.getByRole('region', { name: 'The load generator was the limit' }).innerText(),
    ).toContain('≥');
    expect(await page.getByRole('region', { name: 'Not ranked' }).locator('tbody tr').count()).toBe(2);
    const failed = await page.locator('ul.failed').innerText();
    expect(failed).toContain('failed to build');
    // Not one of its answers was right.
    expect(failed).toContain('fails-all');
  });

  test('is grouped by model if wanted', async () => {
    const page = await open('mixed');
    expect(await page.locator('tr.model').count()).toBe(0);
    await page.getByLabel('Group by model').check();
    expect(await page.locator('[data-sortable] tr.model').allTextContents()).toEqual([
      'per-request',
      'long-lived',
      'per-request',
    ]);
  });
});

test('a narrow window keeps the names in sight, and no interval goes below nothing', async () => {
  const servers = [1, 16].map((workers) => ({ id: `nginx-fpm@8.4[workers=${workers}]`, rps: 300 }));
  const results = makeResults({ servers, instances: 1 });
  // Two slices that have little to do with each other: the interval is wider than the number.
  results.measurements = results.measurements.filter(({ block }) => block < 2);
  for (const slice of results.measurements) slice.achievedRps = slice.block === 0 ? 100 : 500;
  const { page } = await openHere(renderHtml([htmlGroup(results)]), {
    viewport: { width: 390, height: 900 },
  });
  await scrollThrough(page);
  const dots = page.locator('[data-chart="slices"]');
  expect(await dots.locator('.dot-value').first().textContent()).toMatch(/^300 ± \d,\d{3}$/);
  expect(await dots.locator('.dot-axis text').first().textContent()).toBe('0');
  expect(await dots.locator('.interval').first().getAttribute('x1')).toBe('0.00%');
  const name = page.locator('[data-sortable] tbody th').first();
  const moved = await name.evaluate((cell) => {
    const table = cell.closest('.scroll') as HTMLElement;
    table.scrollLeft = table.scrollWidth;
    return [cell.getBoundingClientRect().left - table.getBoundingClientRect().left, table.scrollLeft];
  });
  expect(moved[0]).toBeCloseTo(0, 0);
  expect(moved[1]).toBeGreaterThan(100);
});

describe('filters', () => {
  test('by runtime hide the rest from tables and charts, and say how many are left', async () => {
    const page = await open('quick');
    await scrollThrough(page);
    const before = await ink(page, 'percentiles');
    await page.getByLabel('Runtime').selectOption('apache');
    expect(await page.locator('[data-sortable] tbody tr').count()).toBe(1);
    expect(await page.locator('.legend').first().locator('.chip').allTextContents()).toEqual(['apache']);
    expect(await page.getByRole('status').textContent()).toBe('1 of 3 variants');
    expect(await ink(page, 'percentiles')).toBeLessThan(before * 0.6);
    await page.getByLabel('Runtime').selectOption('');
    expect(await page.locator('[data-sortable] tbody tr').count()).toBe(3);
  });

  test('by a part of the name, and together with others', async () => {
    const page = await open('mixed');
    await page.getByRole('searchbox').fill('FA');
    expect(await page.locator('[data-sortable] tbody tr').allTextContents()).toHaveLength(1);
    const failed = page.locator('ul.failed > li').filter({ visible: true });
    expect(await failed.allInnerTexts()).toEqual([expect.stringContaining('fails-all')]);
    await page.getByLabel('Runtime').selectOption('broken');
    expect(await page.getByRole('status').textContent()).toBe('1 of 7 variants');
  });

  test('hide errors of variants that are hidden, and what they answered', async () => {
    const page = await open('mixed');
    await page.evaluate(() => {
      for (const details of document.querySelectorAll('details')) details.open = true;
    });
    const shown = (tag: string) => page.locator(`${tag}[data-variant]`).filter({ visible: true }).count();
    await page.getByRole('searchbox').fill('fails-fast');
    for (const tag of ['p', 'pre']) expect(await shown(tag), tag).toBeGreaterThan(0);
    await page.getByRole('searchbox').fill('apache');
    for (const tag of ['p', 'pre']) expect(await shown(tag), tag).toBe(0);
  });

  test('by scenario hide the others', async () => {
    const results = fixtures.quick?.() as Results;
    const [facts] = results.plan.scenarios;
    results.plan.scenarios.push({
      ...(facts as (typeof results.plan.scenarios)[number]),
      name: 'b',
      title: 'Second',
    });
    results.measurements.push(...results.measurements.map((slice) => ({ ...slice, scenario: 'b' })));
    const { page } = await openHere(renderHtml([htmlGroup(results)]));
    expect(await page.locator('[data-scenario]:visible').count()).toBe(2);
    await page.getByRole('combobox', { name: 'Scenario' }).selectOption('Second');
    expect(await page.locator('[data-scenario]:visible h2').allTextContents()).toEqual(['Second']);
  });
});

describe('charts', () => {
  test('leave out a variant that is switched off, and draw it again', async () => {
    const page = await open('quick');
    await scrollThrough(page);
    const [lines, dots] = [await ink(page, 'percentiles'), await ink(page, 'slices')];
    const chip = page.locator('.legend').first().getByRole('button', { name: 'apache' });
    await chip.click();
    await expect.poll(() => chip.getAttribute('aria-pressed')).toBe('false');
    await expect.poll(() => ink(page, 'percentiles')).toBeLessThan(lines * 0.85);
    await expect.poll(() => ink(page, 'slices')).toBe((dots * 2) / 3);
    await chip.click();
    await expect.poll(() => ink(page, 'percentiles')).toBe(lines);
    await page.getByRole('button', { name: 'None' }).first().click();
    await expect.poll(() => page.locator('[data-chart="slices"] .empty').count()).toBe(1);
    await page.getByRole('button', { name: 'All' }).first().click();
    await expect.poll(() => ink(page, 'slices')).toBe(dots);
  });

  test('show values under the mouse, of lines and of dots', async () => {
    const page = await open('ramp');
    await scrollThrough(page);
    const plot = page.locator('[data-chart="latency-time"] .plot');
    await plot.hover();
    const tip = plot.locator('.tooltip');
    await expect.poll(() => tip.locator('div').count()).toBe(6);
    expect(await tip.innerText()).toMatch(/^\d[\d.]* s\n[\s\S]*apache, start 1\n[\d.,]+ ms/);
    const dots = page.locator('[data-chart="slices"]');
    await dots.locator('circle').first().hover();
    await expect.poll(() => dots.locator('.tooltip').innerText()).toMatch(/start 1[\s\S]* ms$/);
    await page.mouse.move(0, 0);
    await expect.poll(() => dots.locator('.tooltip').isVisible()).toBe(false);
  });

  test('are read by the keyboard, aloud', async () => {
    const page = await open('ramp');
    await scrollThrough(page);
    const plot = page.locator('[data-chart="rate-time"] .plot');
    await plot.focus();
    await page.keyboard.press('Home');
    await page.keyboard.press('ArrowRight');
    const said = plot.locator('[aria-live]');
    await expect.poll(() => said.textContent()).toMatch(/^1 s: .*apache, start 1 25.0 rps/);
    // Keys of the browser stay its own.
    const isLeft = await plot.evaluate((element) =>
      element.dispatchEvent(new KeyboardEvent('keydown', { key: 'End', ctrlKey: true, cancelable: true })),
    );
    expect(isLeft).toBe(true);
    await page.keyboard.press('Escape');
    await expect.poll(() => plot.locator('.tooltip').isVisible()).toBe(false);
    const dots = page.locator('[data-chart="slices"] .plot');
    await dots.focus();
    await page.keyboard.press('ArrowRight');
    await expect.poll(() => dots.locator('[aria-live]').textContent()).toMatch(/^start 1.*: .+ ms$/);
    await page.keyboard.press('Escape');
    await expect.poll(() => dots.locator('.tooltip').isVisible()).toBe(false);
  });

  test('name each start by its number, and no start for what is of none', async () => {
    const results = fixtures.quick?.() as Results;
    for (const slice of results.measurements) if (slice.instance === 1) slice.outcome = 'failed';
    const { page } = await openHere(renderHtml([htmlGroup(results)]));
    await scrollThrough(page);
    const read = async (chart: string) => {
      const figure = page.locator(`[data-chart="${chart}"]`);
      await figure.locator('summary').click();
      await figure.locator('tbody tr').first().waitFor();
      const cells = (await figure.locator('tbody tr').allInnerTexts()).map((row) => row.split('\t')[1]);
      await figure.locator('.plot').focus();
      await page.keyboard.press('End');
      return { cells, said: () => figure.locator('[aria-live]').textContent() };
    };
    const slices = await read('slices');
    expect(new Set(slices.cells)).toEqual(new Set(['1', '3']));
    await expect.poll(slices.said).toMatch(/^start 3, 4 of 4: /);
    const cold = await read('cold-start');
    for (const cell of cold.cells) expect(cell).toMatch(/ ms$/);
    await expect.poll(cold.said).toMatch(/^3 of 3: /);
    await page.locator('[data-chart="cold-start"]').getByRole('button', { name: 'Build time' }).click();
    await page.locator('[data-chart="cold-start"] .plot').focus();
    await page.keyboard.press('End');
    await expect.poll(cold.said).toMatch(/^Build time: /);
  });

  test('change what they show', async () => {
    const page = await open('ramp');
    await scrollThrough(page);
    const chart = page.locator('[data-chart="resources-time"]');
    expect(await chart.locator('.axis-label').first().textContent()).toBe('CPUs in use');
    await chart.getByRole('button', { name: 'Memory' }).click();
    await expect
      .poll(() => chart.locator('.axis-label').first().textContent())
      .toBe('memory of the container');
    await chart.locator('summary').click();
    await expect.poll(() => chart.locator('tbody td').first().textContent()).toMatch(/ MiB$/);
  });

  test('show response time, CPU and memory against the load', async () => {
    const page = await open('ramp');
    await scrollThrough(page);
    const chart = page.locator('[data-chart="load-levels"]');
    expect(await chart.locator('.axis-label.below').textContent()).toBe('offered, requests per second');
    for (const [name, axis] of [
      ['p95', 'p95, ms'],
      ['CPU in use', 'share of the servers’ CPUs'],
      ['Memory', 'memory of the container'],
    ] as const) {
      await chart.getByRole('button', { name, exact: true }).click();
      expect(await chart.locator('.axis-label').first().textContent()).toBe(axis);
      expect(await ink(page, 'load-levels'), name).toBeGreaterThan(500);
    }
  });

  test('mark the knee of those that gave in', async () => {
    const page = await open('ramp');
    await scrollThrough(page);
    const marks = page.locator('[data-chart="offered-answered"] .marks');
    expect(await marks.textContent()).toMatch(
      /^Highest sustained rate: .*nginx-fpm 6\d\d ± \d+ rps.*apache 4\d\d ± \d+ rps$/,
    );
  });

  test('follow the theme', async () => {
    const page = await open('ramp', { colorScheme: 'light' });
    await scrollThrough(page);
    const pixels = () =>
      page
        .locator('[data-chart="percentiles"] canvas')
        .evaluate((canvas) => (canvas as HTMLCanvasElement).toDataURL());
    const light = await pixels();
    await page.emulateMedia({ colorScheme: 'dark' });
    await expect.poll(pixels).not.toBe(light);
  });
});

test('text of others stays text: names, errors, the title', async () => {
  const page = await open('hostile');
  await scrollThrough(page);
  expect(opened?.troubles).toEqual([]);
  expect(await page.locator('img, h1 h1, a[href^="http"]').count()).toBe(0);
  const label = 'a|b @octocat <img src=x onerror=alert(1)> [x](https://evil.example) `code` #1';
  expect(await page.locator('[data-sortable] bdi').first().textContent()).toBe(label);
  expect(await page.locator('.chip').first().textContent()).toBe(label);
  expect(await page.locator('[data-sortable] bdi').nth(1).textContent()).toBe('日本語サーバーred');
});

test('names from right to left do not turn the numbers beside them', async () => {
  const results = makeResults({
    servers: [
      { id: 'a@8.4', label: 'خادم سريع', rps: 2300 },
      { id: 'b@8.4', label: '빠른 서버', rps: 1900 },
    ],
  });
  const { page } = await openHere(renderHtml([htmlGroup(results)]));
  await scrollThrough(page);
  expect(await page.locator('.verdict').textContent()).toMatch(/^خادم سريع has the highest RPS: 2,/);
  // The name stands left of what follows it, as in any other sentence.
  const [name, verdict] = await Promise.all([
    page.locator('.verdict bdi').first().boundingBox(),
    page.locator('.verdict').boundingBox(),
  ]);
  expect(name?.x).toBeCloseTo(verdict?.x ?? -1, 0);
  expect(await page.locator('.legend').first().locator('.chip').allTextContents()).toEqual([
    'خادم سريع',
    '빠른 서버',
  ]);
});

test('500 variants stay usable: rows by the page, ten of them drawn, each to be found', async () => {
  const servers = Array.from({ length: 500 }, (_, i) => ({
    ...{ id: `s${i}@8.4`, label: `server ${i}`, rps: 200 + i, runtime: `r${i % 7}` },
  }));
  const { page } = await openHere(renderHtml([htmlGroup(makeResults({ servers, instances: 1 }))]));
  await scrollThrough(page);
  expect(opened?.troubles).toEqual([]);
  const rows = page.locator('[data-sortable]').first().locator('tbody tr');
  expect(await rows.count()).toBe(50);
  expect(await page.locator('[data-chart="slices"] .dot-row:not(.dot-axis)').count()).toBe(10);
  // On paper nothing can be asked for.
  await page.evaluate(() => dispatchEvent(new Event('beforeprint')));
  expect(await rows.count()).toBe(500);
  await page.evaluate(() => dispatchEvent(new Event('afterprint')));
  expect(await rows.count()).toBe(50);
  await page.locator('.more-rows').first().click();
  expect(await rows.count()).toBe(250);
  await page.getByRole('searchbox').fill('server 123');
  expect(await rows.count()).toBe(1);
  expect(await page.locator('[data-chart="slices"] .dot-row:not(.dot-axis)').count()).toBe(1);
});

test('on paper nothing is hidden behind a switch, and charts are light', async () => {
  const page = await open('ramp', { colorScheme: 'dark' });
  await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
  await page.evaluate(() => dispatchEvent(new Event('beforeprint')));
  expect(await page.locator('figure canvas').count()).toBe(7);
  expect(await page.locator('.filters').isVisible()).toBe(false);
  const card = await page.evaluate(() =>
    getComputedStyle(document.documentElement).getPropertyValue('--card').trim(),
  );
  expect(card).toBe('#ffffff');
  // Lines are on a canvas; whose they are must be on paper, too.
  const printed = await page
    .locator('.swatch')
    .evaluateAll((all) => all.map((swatch) => getComputedStyle(swatch).printColorAdjust));
  expect(new Set(printed)).toEqual(new Set(['exact']));
  const pdf = await page.pdf();
  expect(pdf.length).toBeGreaterThan(20_000);
});

test('on paper no table is wider than the page', async () => {
  // A4 with margins of a centimetre.
  const page = await open('base', { viewport: { width: 718, height: 1000 } });
  await page.emulateMedia({ media: 'print' });
  const widths = await page
    .locator('table:visible')
    .evaluateAll((all) => all.map((table) => Math.round(table.getBoundingClientRect().width)));
  expect(widths.length).toBeGreaterThan(4);
  expect(Math.max(...widths)).toBe(718);
});

test('without a script the tables are there', async () => {
  const page = await open('quick', { javaScriptEnabled: false });
  expect(await page.locator('[data-sortable] tbody tr').count()).toBe(3);
  const notes = page.getByText('The charts are drawn by a script');
  expect(await notes.count()).toBe(2);
  for (const note of await notes.all()) expect(await note.isVisible()).toBe(true);
});
