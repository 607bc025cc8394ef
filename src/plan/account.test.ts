import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { parseConfig } from '../config/parse.ts';
import { plan } from './plan.ts';
import { batchMs, DRAIN_MS, retime } from './timeline/timeline.ts';

const root = new URL('../..', import.meta.url).pathname;
const cpus = [0, 1].map((cpu) => ({ cpu, core: cpu }));

/** Seconds of a plan by what they go into, once the first batch has shown how long requests take. */
function account(flags: readonly string[]) {
  const { instances } = plan(parseConfig({ flags, cwd: root, packageRoot: root }), cpus);
  const found = { load: 0, warmup: 0, gaps: 0, firstDrains: 0, processes: 0 };
  for (const { index, batches } of instances) {
    batches.forEach((batch, i) => {
      const isFirst = index === 0 && i === 0;
      const sum = (isWarmup: boolean) =>
        batch.slices.reduce((ms, slice) => ms + (slice.warmup === isWarmup ? (slice.durationMs ?? 0) : 0), 0);
      const [load, warmup] = [sum(false), sum(true)];
      const rest = batchMs(isFirst ? batch : retime(batch, DRAIN_MS)) - load - warmup;
      found.load += load / 1000;
      found.warmup += warmup / 1000;
      found[isFirst ? 'firstDrains' : 'gaps'] += rest / 1000;
      found.processes++;
    });
  }
  return found;
}

test('four fifths of 4 variants × 10 blocks are load, and the docs say what the rest is', () => {
  const flags = ['--app', 'plain', '--runtimes', 'apache,nginx-fpm,caddy-fpm,unit', '--scenarios', 'quick'];
  const found = account([...flags, '--blocks', '10', '--instances', '6']);
  expect(found).toEqual({
    ...{ load: 240, warmup: 24, firstDrains: 0.5, processes: 13 },
    gaps: expect.closeTo(14.45, 6),
  });
  const docs = readFileSync(new URL('../../docs/method.md', import.meta.url), 'utf8');
  const rows = [
    ...docs.matchAll(/^\| (?:measured load|warm-up:|gaps behind|drains of|13 k6|fresh starts,).*$/gm),
  ];
  const seconds = rows.map(([row]) => Number(row.split('|')[2]));
  expect(seconds).toEqual([
    ...[found.load, found.warmup, Number(found.gaps.toFixed(2)), found.firstDrains],
    // BATCH_SECONDS; INSTANCE_SECONDS, START_SECONDS and RUN_SECONDS of plan.ts.
    ...[found.processes * 0.4, 6 * (0.5 + 4 * 0.25) + 1.5],
  ]);
  const whole = seconds.reduce((sum, value) => sum + value, 0);
  expect(docs).toContain(
    `That is ${Math.round(whole)} s, of which ${Math.round((100 * found.load) / whole)} % is load`,
  );
  expect(found.load / whole).toBeGreaterThan(0.8);
});
