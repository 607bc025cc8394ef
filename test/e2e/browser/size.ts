// How long report.html takes to make, stage by stage, and to open, how much memory that needs, how large it gets.
//   node test/e2e/browser/size.ts     `bench/report/run.ts` measures the command as a whole, without a browser
import { spawnSync } from 'node:child_process';
import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Results } from '../../../src/results/results.ts';
import { sizes } from '../../fixtures/results/sizes.ts';
import { makeFolder } from '../../fixtures/temporary.ts';
import { findChromium, NO_CHROMIUM, openBrowser, openPage } from './chromium.ts';

/** A process of its own, so that its memory is that of the report alone. */
const MAKE = `
const [, folder, root] = process.argv;
const { writeFile } = await import('node:fs/promises');
const { readOutput } = await import(root + '/src/store/stored.ts');
const { htmlGroup, streamHtml } = await import(root + '/src/report/html/render.ts');
const { pageAssets } = await import(root + '/src/report/html/assets.ts');
pageAssets();
const times = [performance.now()];
const results = await readOutput(folder);
times.push(performance.now());
const group = htmlGroup(results);
times.push(performance.now());
await writeFile(folder + '/report.html', streamHtml([group]));
times.push(performance.now());
console.log(JSON.stringify([times, process.resourceUsage().maxRSS / 1024]));
`;

/** Writes the files that a run leaves. */
function write(folder: string, results: Results): void {
  writeFileSync(join(folder, 'results.json'), JSON.stringify(results));
  const lines = results.measurements.map((slice) => `${JSON.stringify(slice)}\n`);
  writeFileSync(join(folder, 'measurements.ndjson'), lines.join(''));
}

const program = findChromium();
if (!program) throw new Error(NO_CHROMIUM);
const browser = await openBrowser(program);
const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`;
console.log(
  '| run | results.json | read | analysed | rendered | memory | report.html | ready in Chromium | its memory |\n|---|--:|--:|--:|--:|--:|--:|--:|--:|',
);
for (const [name, make] of Object.entries(sizes)) {
  const folder = makeFolder();
  write(folder, make());
  const root = join(import.meta.dirname, '../../..');
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', MAKE, folder, root], {
    encoding: 'utf8',
  });
  if (!stdout) throw new Error(stderr);
  const [times, memory] = JSON.parse(stdout) as [number[], number];
  const spent = times.slice(1).map((time, i) => seconds(time - (times[i] as number)));
  const { page, close } = await openPage(browser, readFileSync(join(folder, 'report.html'), 'utf8'));
  const [ready, heap] = await page.evaluate(() => {
    const [entry] = performance.getEntriesByType('navigation') as unknown as [{ loadEventEnd: number }];
    const { memory } = performance as unknown as { memory: { usedJSHeapSize: number } };
    return [entry.loadEventEnd, memory.usedJSHeapSize] as const;
  });
  await close();
  const size = (file: string) => `${(statSync(join(folder, file)).size / 1e6).toFixed(1)} MB`;
  const cells = [
    ...[name, size('results.json'), ...spent, `${Math.round(memory)} MiB`],
    ...[size('report.html'), seconds(ready), `${Math.round(heap / 1048576)} MiB`],
  ];
  console.log(`| ${cells.join(' | ')} |`);
  rmSync(folder, { recursive: true });
}
await browser.close();
