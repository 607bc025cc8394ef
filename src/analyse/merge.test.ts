import { expect, test } from 'vitest';
import { makeResults } from '../../test/fixtures/results/make.ts';
import type { Results } from '../results.ts';
import { analyse } from './analyse.ts';
import { mergeResults } from './merge.ts';

const run = (id: string, change?: (results: Results) => void) =>
  makeResults({
    servers: [{ id, rps: 500 }],
    change(results) {
      results.run.id = `run-${id}`;
      change?.(results);
    },
  });

test('runs on one machine become one table, which says that it was put together', () => {
  const merged = mergeResults([run('a'), run('b')]);
  expect(merged).toHaveLength(1);
  const summary = analyse(merged[0] as Results);
  expect(summary.scenarios[0]?.rows.map((row) => row.variant).sort()).toEqual(['a', 'b']);
  expect(summary.run.id).toBe('run-a + run-b');
  expect(summary.warnings[0]?.code).toBe('merged-runs');
});

test('the starts of two runs of one variant are different instances', () => {
  const [merged] = mergeResults([run('a'), run('a')]);
  expect(analyse(merged as Results).scenarios[0]?.rows[0]?.rps).toMatchObject({ over: 'instances', n: 6 });
  expect(merged?.variants).toHaveLength(1);
  expect(merged?.variants[0]?.coldStartMs).toHaveLength(6);
});

test.each<[string, (results: Results) => void]>([
  ['other machine', ({ host }) => Object.assign(host, { cpuModel: 'other' })],
  ['other CPU layout', ({ plan }) => Object.assign(plan.cpus, { server: [0] })],
  [
    'other load under the same name',
    ({ plan }) => Object.assign(plan.scenarios[0] as object, { load: 'vus(9, 1s)' }),
  ],
  [
    'other image under the same name',
    ({ variants }) => Object.assign(variants[0]?.image as object, { id: 'sha256:0' }),
  ],
])('%s: kept apart', (_, change) => {
  expect(mergeResults([run('a'), run('a', change)])).toHaveLength(2);
});

test('one run stays what it is', () => {
  const results = run('a');
  expect(mergeResults([results])).toEqual([results]);
});
