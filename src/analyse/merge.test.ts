import { expect, test } from 'vitest';
import { makeResults } from '../../test/fixtures/results/make.ts';
import { renderMarkdown } from '../report/markdown.ts';
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

const again = (change?: (results: Results) => void) =>
  run('a', (results) => {
    results.run.id = 'run-a-again';
    change?.(results);
  });

test('the starts of two runs of one variant are different instances', () => {
  const [merged] = mergeResults([run('a'), again()]);
  const { scenarios, warnings } = analyse(merged as Results);
  expect(scenarios[0]?.rows[0]?.rps).toMatchObject({ over: 'instances', n: 6 });
  expect(scenarios[0]?.starts).toBe(6);
  expect(warnings.map(({ code }) => code)).toEqual(['merged-runs']);
  expect(merged?.variants).toHaveLength(1);
  expect(merged?.variants[0]?.coldStartMs).toHaveLength(6);
});

test('a run that is given twice counts once', () => {
  expect(mergeResults([run('a'), run('a')])).toEqual([run('a')]);
  const [merged] = mergeResults([run('a'), again(), run('a')]);
  expect(merged?.run.id).toBe('run-a-again + run-a');
  expect(merged?.measurements).toHaveLength(2 * run('a').measurements.length);
});

const two = (seed: number, ids = ['a', 'b']) =>
  makeResults({
    servers: ids.map((id) => ({ id, rps: 60 })),
    seed,
    // The image of a variant is the same in both.
    change: ({ run, variants }) => {
      run.id = `run-${seed}`;
      for (const { image, id } of variants) if (image) image.id = `sha256:${id}`;
    },
  });

test('comparisons are made anew, within the starts of each run', () => {
  const [merged] = mergeResults([two(1), two(2)]);
  const [comparison] = analyse(merged as Results).scenarios[0]?.comparisons ?? [];
  expect(comparison).toMatchObject({ variant: 'b', reference: 'a', pairs: 6, slices: 24, reasons: [] });
});

test('variants that never were in one run are not compared', () => {
  const [merged] = mergeResults([two(1, ['a', 'c']), two(2, ['b', 'c'])]);
  const comparisons = analyse(merged as Results).scenarios[0]?.comparisons ?? [];
  const of = (id: string) => comparisons.find(({ variant, metric }) => variant === id && metric === 'rps');
  expect(of('b')).toMatchObject({ pairs: 0, ratio: null, reasons: ['not measured side by side'] });
  expect(of('c')).toMatchObject({ pairs: 3, reasons: ['3 pairs of fresh starts, 4 needed'] });
});

test('gates of all runs hold', () => {
  const gate = (source: string) => ({ source, metric: null, above: 0.03, scenario: null, variant: null });
  const gated = (id: string, ...sources: string[]) =>
    run(id, ({ plan }) => Object.assign(plan, { gates: sources.map(gate) }));
  const [merged] = mergeResults([gated('a', 'x'), gated('b', 'x', 'y')]);
  expect(merged?.plan.gates.map(({ source }) => source)).toEqual(['x', 'y']);
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
  expect(mergeResults([run('a'), again(change)])).toHaveLength(2);
});

test('one run stays what it is', () => {
  const results = run('a');
  expect(mergeResults([results])).toEqual([results]);
});

test('the seed and the command of each run are kept, so that it can be repeated', () => {
  const given = (seed: number, app: string) => {
    const results = two(seed);
    results.run.command = ['run', '--app', app];
    return results;
  };
  const inTwoSteps = mergeResults([...mergeResults([given(1, 'a'), given(2, 'b')]), given(3, 'a')]);
  const [merged] = inTwoSteps as [Results];
  expect(merged.run.merged?.map(({ seed }) => seed)).toEqual([1, 2, 3]);
  expect(merged.run.merged?.map(({ command }) => command.at(-1))).toEqual(['a', 'b', 'a']);
  const text = renderMarkdown(analyse(merged));
  expect(text).toContain('random order (seeds 1, 2, 3)');
  expect(text).toMatch(/^run --app a\nrun --app b$/m);
  expect(renderMarkdown(analyse(two(1)))).toContain('random order (seed 1)');
});
