/** A load that several k6 processes share: none of it is made twice, none is missing, and what they measured adds up. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { loadedFromMs, sliceId } from '../../src/run/load/k6.ts';
import { mergeSummaries } from '../../src/run/load/merge-summaries.ts';
import { readLatency } from '../../src/run/measure/latency.ts';
import { bucketOf, total } from '../../src/stats/histogram.ts';
import { removeAll, startArena } from './docker.ts';
import { type Generated, generate, makeBatch, type Site, serveSlowly } from './generators.ts';

const PERCENTS = [50, 90, 95, 99, 99.9];
let arena: string;
let site: Site;
beforeAll(async () => {
  arena = await startArena();
  site = await serveSlowly(arena, 18_900);
});
afterAll(removeAll);

function mergeAll(parts: readonly Generated[]) {
  return mergeSummaries(parts.map(({ summary }) => ({ summary, aheadMs: 0 })));
}

/** Samples between two of k6's percentiles, of which there is one each 0.25 %, are guessed: each lies within so many places. */
const guessed = (samples: number) => Math.ceil(1 + (0.25 / 100) * samples);

/** The samples on both sides of a percentile, by k6's definition, and so many places further. */
function around(sorted: readonly number[], p: number, places: number): [least: number, most: number] {
  const index = (p / 100) * (sorted.length - 1);
  const at = (i: number) => sorted[Math.min(Math.max(i, 0), sorted.length - 1)] as number;
  return [at(Math.floor(index) - places), at(Math.ceil(index) + places)];
}

test('percentiles merged from four generators are those of all their requests, as near as histograms know', async () => {
  const batch = makeBatch('vus(8, 3s)', { name: 'closed' });
  const parts = await generate(arena, batch, site.port, 4);
  const id = sliceId(batch.slices[0] as (typeof batch.slices)[number]);
  const merged = mergeAll(parts);
  const all = parts.flatMap(({ latencies }) => latencies).sort((a, b) => a - b);
  const { latency, histogram } = readLatency(merged, `slice:${id}`);
  expect(total(histogram)).toBe(all.length);
  expect(merged.metrics[`http_reqs{slice:${id}}`]?.count).toBe(all.length);
  const places = parts.reduce((sum, { latencies }) => sum + guessed(latencies.length), 0);
  for (const p of PERCENTS) {
    const found = latency?.[`p${String(p).replace('.', '_')}Ms` as 'p99Ms'] ?? 0;
    const [least, most] = around(all, p, places);
    expect(bucketOf(found), `p${p}: ${found} below ${least}`).toBeGreaterThanOrEqual(bucketOf(least) - 1);
    expect(bucketOf(found), `p${p}: ${found} above ${most}`).toBeLessThanOrEqual(bucketOf(most) + 1);
  }
  expect(latency?.minMs).toBe(all[0]);
  expect(latency?.maxMs).toBe(all.at(-1));
  // Each has two of the eight clients, and has made requests with them.
  for (const { summary } of parts) expect(summary.metrics.vus_max?.max).toBe(2);
  // They begin together: no further apart than what a busy machine delays a process by.
  const starts = parts.map(({ summary }) => summary.metrics[`bench_slice_start{slice:${id}}`]?.min ?? 0);
  expect(Math.min(...starts)).toBeGreaterThan(0);
  const wereReady = parts.every(({ summary, startAtMs }) => loadedFromMs(summary) - startAtMs < 1000);
  if (wereReady) expect(Math.max(...starts) - Math.min(...starts)).toBeLessThan(1000);
});

test.each([
  ['a count of requests', 'requests(1001, 8)', 1001],
  ['a rate', 'const(101, 12s)', 1212],
  ['a ramp', 'line(20, 60, 12s)', 480],
])('%s is shared by four, and the server sees each request once', async (_, load, wanted) => {
  const before = await site.count();
  const batch = makeBatch(load, { name: load.replace(/\W/g, '-'), maxVus: 40 });
  const parts = await generate(arena, batch, site.port, 4);
  const each = parts.map(({ latencies }) => latencies.length);
  const sent = each.reduce((sum, n) => sum + n, 0);
  // The engine copies a container's output to its log by itself.
  await expect.poll(async () => (await site.count()) - before).toBe(sent);
  const id = sliceId(batch.slices[0] as (typeof batch.slices)[number]);
  const merged = mergeAll(parts);
  const dropped = merged.metrics['dropped_iterations{scenario:lane0}']?.count ?? 0;
  expect(merged.metrics[`http_reqs{slice:${id}}`]?.count).toBe(sent);
  // At the ends k6 may round: one request for each generator. What a busy machine would send behind the end is neither sent nor
  // dropped: at the ramp's end, a fifth is due in 1.7 s. A share that nobody makes is a quarter.
  const isCount = load.startsWith('requests');
  expect(sent + dropped).toBeLessThanOrEqual(wanted + (isCount ? 0 : 4));
  expect(sent + dropped).toBeGreaterThanOrEqual(wanted * (isCount ? 1 : 0.8));
  // The wait for the common start is no part of the load.
  for (const { summary, startAtMs } of parts)
    expect(loadedFromMs(summary) - startAtMs).toBeGreaterThanOrEqual(0);
  if (!isCount) expect(Math.min(...each)).toBeGreaterThanOrEqual(0.5 * Math.max(...each));
});
