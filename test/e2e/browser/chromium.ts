/** Chromium for tests that open pages, and what a page does that it should not. */
import { accessSync, constants, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { delimiter, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { makeFolder } from '../../fixtures/temporary.ts';

/** As Debian, Ubuntu and Google call it. */
const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];

/** Chromium on this machine, or null. */
export function findChromium(): string | null {
  const folders = (process.env.PATH ?? '').split(delimiter);
  const isProgram = (file: string) => {
    try {
      accessSync(file, constants.X_OK);
      return true;
    } catch {
      return false;
    }
  };
  return NAMES.flatMap((name) => folders.map((folder) => join(folder, name))).find(isProgram) ?? null;
}

/** Why tests that need it are skipped. */
export const NO_CHROMIUM = `there is no Chromium here (none of ${NAMES.join(', ')}); script/bootstrap --for test installs it from Debian`;

export function openBrowser(executablePath: string): Promise<Browser> {
  return chromium.launch({ executablePath });
}

/** A page with an account of what went wrong on it. */
export interface Opened {
  page: Page;
  /** Errors and warnings on the console, exceptions, refused by the policy, asked of the network. */
  troubles: string[];
  close(): Promise<void>;
}

/** Opens a page from a file, as somebody does who unpacked an artifact. */
export async function openPage(
  browser: Browser,
  html: string,
  options: BrowserContextOptions = {},
): Promise<Opened> {
  const folder = makeFolder();
  const file = join(folder, 'report.html');
  writeFileSync(file, html);
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
  const page = await context.newPage();
  page.setDefaultTimeout(120_000);
  const troubles: string[] = [];
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) troubles.push(message.text());
  });
  page.on('pageerror', (error) => troubles.push(error.message));
  page.on('dialog', (dialog) => {
    troubles.push(`a dialog: ${dialog.message()}`);
    dialog.dismiss();
  });
  page.on('request', (request) => {
    if (request.url() !== pathToFileURL(file).href) troubles.push(`asked for ${request.url()}`);
  });
  await page.goto(pathToFileURL(file).href);
  return {
    page,
    troubles,
    async close() {
      await context.close();
      rmSync(folder, { recursive: true });
    },
  };
}

/** Scrolls through the page, so that all that waits for it is drawn. */
export async function scrollThrough(page: Page): Promise<void> {
  const height = await page.evaluate(() => document.documentElement.scrollHeight);
  for (let y = 0; y <= height; y += 600) {
    await page.evaluate((top) => scrollTo(0, top), y);
    await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => setTimeout(done, 20))));
  }
  await page.evaluate(() => scrollTo(0, 0));
}

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** Serious and critical findings of axe, one line each. The page's policy blocks scripts, except a debugger's. */
export async function findBarriers(page: Page): Promise<string[]> {
  await page.evaluate(axe);
  return page.evaluate(async () => {
    const { axe } = window as unknown as { axe: { run(): Promise<{ violations: Violation[] }> } };
    interface Violation {
      id: string;
      impact: string;
      nodes: { target: string[]; failureSummary: string }[];
    }
    const { violations } = await axe.run();
    return violations
      .filter(({ impact }) => impact === 'serious' || impact === 'critical')
      .flatMap(({ id, nodes }) =>
        nodes.map(({ target, failureSummary }) => `${id}: ${target.join(' ')}: ${failureSummary}`),
      );
  });
}
