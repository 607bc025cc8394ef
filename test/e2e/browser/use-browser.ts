import type { Browser, BrowserContextOptions } from 'playwright-core';
import { afterAll, beforeAll, beforeEach } from 'vitest';
import { findChromium, NO_CHROMIUM, type Opened, openBrowser, openPage } from './chromium.ts';

let browser: Browser;
const pages: Opened[] = [];
/** The page that the running test opened last. */
export let opened: Opened | undefined;

/** For all tests of a file: a browser. Without Chromium they are skipped. Pages are closed after the test that opened them. */
export function useBrowser(): void {
  const program = findChromium();
  beforeAll(async () => {
    if (program) browser = await openBrowser(program);
  });
  afterAll(() => browser?.close());
  beforeEach((context) => {
    if (!program) context.skip(NO_CHROMIUM);
    return async () => {
      for (const page of pages.splice(0)) await page.close();
      opened = undefined;
    };
  });
}

/** Opens a page from a file, as `openPage` does. */
export async function openHere(html: string, options?: BrowserContextOptions): Promise<Opened> {
  opened = await openPage(browser, html, options);
  pages.push(opened);
  return opened;
}
