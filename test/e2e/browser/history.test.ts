// The page of a history, as somebody opens it. SHOTS=folder keeps pictures of it.
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Trend } from '../../../src/history/trend-model.ts';
import { renderHistoryPage } from '../../../src/report/html/html-history.ts';
import { findBarriers } from './chromium.ts';
import { openHere, useBrowser } from './use-browser.ts';

useBrowser();

const NAMES = ['apache@8.4', '</svg><script>alert(1)</script>', 'שרת־ווב', '伺服器[工作=4]'];

const trends = NAMES.map((variant, i): Trend => {
  // Half of them beside another.
  const reference = i < NAMES.length / 2 ? (NAMES.at(-1) as string) : null;
  const values = [400, 404, 398, 401, 360, 361, 358, 359];
  return {
    ...{ variant, scenario: variant, load: 'vus(8, 1s)', reference, metric: 'rps' },
    apart: { journey: variant },
    points: values.map((value, i) => ({
      ...{ date: `2026-03-0${i + 1}T05:00:00Z`, run: `r${i}`, commit: variant, value, half: 5 },
      machine: `Xeon ${variant}`,
    })),
    changes: [{ at: 4, ratio: 0.9, interval: { low: 0.88, high: 0.92, level: 0.99 }, by: null }],
    levels: [400.8, 359.5],
  };
});

test.each([
  [390, 'light'],
  [880, 'dark'],
  [1280, 'light'],
] as const)('draws every trend, %d px wide, %s, without a trouble', async (width, colorScheme) => {
  const html = renderHistoryPage(trends, { corrupt: [{ line: 3, why: '<b>' }] });
  const { page, troubles } = await openHere(html, {
    viewport: { width, height: 900 },
    colorScheme,
  });
  if (process.env.SHOTS) {
    await page.screenshot({ path: join(process.env.SHOTS, `history-${width}.png`), fullPage: true });
  }
  expect(await page.locator('svg.trend').count()).toBe(NAMES.length);
  expect(await page.locator('svg.trend').first().locator('text').allTextContents()).toEqual([
    ...['409', '353'],
    ...['2026-03-01', '2026-03-08'],
  ]);
  for (const svg of await page.locator('svg.trend').all()) {
    const { width: wide = 0, height: high = 0 } = (await svg.boundingBox()) ?? {};
    expect(wide).toBeGreaterThan(0.7 * width - 100);
    expect(high).toBeGreaterThan(50);
  }
  const names = await page.locator('h3 bdi:first-child').allTextContents();
  expect(names).toEqual(NAMES);
  await page.locator('summary').first().click();
  expect(await page.locator('details[open] tbody tr').count()).toBe(8);
  expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true);
  expect(await findBarriers(page)).toEqual([]);
  expect(troubles).toEqual([]);
});
