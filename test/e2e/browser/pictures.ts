// Makes the pictures of README.md from the fixture `base`: its golden comment, and its report in Chromium.
//   node test/e2e/browser/pictures.ts   (with a font that has emoji, such as Debian's fonts-noto-color-emoji)
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fixtures } from '../../fixtures/results/make.ts';
import { renderHtml } from '../../fixtures/results/render-html.ts';
import { summaryOf } from '../../fixtures/results/summaries.ts';
import { findChromium, NO_CHROMIUM, openBrowser, openPage } from './chromium.ts';
import { renderGitHub } from './markdown.ts';

const ROOT = resolve(import.meta.dirname, '../../..');
const STYLE = `
  body { font: 14px/1.5 "DejaVu Sans", "Noto Color Emoji", sans-serif; margin: 16px; color: #1f2328 }
  table { border-collapse: collapse } td, th { border: 1px solid #d1d9e0; padding: 4px 10px }
  code { background: #eff1f3; border-radius: 4px; padding: 1px 4px } details { margin: 6px 0 }`;

const program = findChromium();
if (!program) throw new Error(NO_CHROMIUM);
const browser = await openBrowser(program);

async function take(name: string, html: string, width: number, height?: number) {
  const { page, close } = await openPage(browser, html, { viewport: { width, height: height ?? 100 } });
  await page.screenshot({ path: join(ROOT, 'docs/images', name), fullPage: height === undefined });
  await close();
}

try {
  const comment = readFileSync(join(ROOT, 'src/report/format/__golden__/base-folded.md'), 'utf8');
  // The folded parts follow.
  const [head = ''] = comment.split('<details>');
  await take(
    'comment.png',
    `<!doctype html><meta charset="utf-8"><style>${STYLE}</style>${renderGitHub(head)}`,
    1100,
  );
  const { measurements } = (fixtures.base as NonNullable<typeof fixtures.base>)();
  await take('report.png', renderHtml([{ summary: summaryOf('base'), measurements }]), 1400, 860);
} finally {
  await browser.close();
}
