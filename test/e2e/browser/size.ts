// How long report.html takes to make and to open, how much memory that needs, how large it gets.
//   node test/e2e/browser/size.ts     prints the table of docs/reading-the-report.md
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Results } from '../../../src/results.ts';
import { makeResults } from '../../fixtures/results/make.ts';
import { makeProfile } from '../../fixtures/results/profile.ts';
import { findChromium, NO_CHROMIUM, openBrowser, openPage } from './chromium.ts';

const servers = (count: number) =>
  Array.from({ length: count }, (_, i) => ({
    ...{ id: `server-${i}@8.4`, label: `server ${i}`, runtime: `runtime-${i % 7}` },
    ...{ rps: 300 + i, capacity: 400 + 60 * i },
  }));

/** The same measured again under other scenarios. */
function repeat(results: Results, times: number): Results {
  const [facts] = results.plan.scenarios as [Results['plan']['scenarios'][number]];
  const names = Array.from({ length: times }, (_, i) => `scenario-${i}`);
  return {
    ...results,
    plan: {
      ...results.plan,
      scenarios: names.map((name) => ({ ...facts, name, title: `Scenario ${name}` })),
    },
    measurements: names.flatMap((scenario) => results.measurements.map((slice) => ({ ...slice, scenario }))),
  };
}

const cases: Record<string, () => Results> = {
  '10 variants, 12 slices each': () => makeResults({ servers: servers(10) }),
  '10 variants, 3 ramps of 5 minutes each': () =>
    makeProfile({ servers: servers(10), seconds: 300, instances: 3 }),
  '500 variants': () => makeResults({ servers: servers(500), instances: 1 }),
  '500 variants in 10 scenarios': () => repeat(makeResults({ servers: servers(500), instances: 1 }), 10),
};

/** A process of its own, so that its memory is that of the report alone. */
const MAKE = `
const [, folder, root] = process.argv;
const { writeFile } = await import('node:fs/promises');
const { readOutput } = await import(root + '/src/run/output.ts');
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

/** What a run leaves. */
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
for (const [name, make] of Object.entries(cases)) {
  const folder = mkdtempSync(join(tmpdir(), 'php-runtime-bench-size-'));
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
