/**
 * Prints how windows vary in recorded comparisons of equal sides, for `anchors.ts`: node bench/noise/anchor.ts FILE….
 * SDs of ln(head ÷ base) between pairs of starts of one block, by treatment, and what guards saw.
 */
import { mean, quantile, sampleStandardDeviation } from 'simple-statistics';
import { readLines } from '../power/data.ts';
import { TREATMENTS } from '../power/series.ts';
import { readStarts } from './recorded.ts';
import type { Simulated } from './worlds.ts';

const found = new Map<string, Simulated[]>();
for (const line of process.argv.slice(2).flatMap(readLines)) {
  if (line.kind !== 'comparison') continue;
  const starts = readStarts(line);
  if (starts) found.set(line.treatment, [...(found.get(line.treatment) ?? []), starts]);
}
console.log(
  '| treatment | number | comparisons | blocks | mean | SD within a comparison | CPU of others | steal | stalled |',
);
console.log('| --- | --- | --: | --: | --: | --: | --: | --: | --: |');
for (const [treatment, all] of found) {
  for (const kind of ['duets', 'cpu', 'rps'] as const) {
    const blocks = all.map((one) => one[kind].flat());
    const values = blocks.flat();
    if (values.length < 2) continue;
    const variance = blocks
      .filter(({ length }) => length > 1)
      .map((own) => ({
        df: own.length - 1,
        of: sampleStandardDeviation(own.map(({ diff }) => diff)) ** 2,
      }));
    const df = variance.reduce((sum, one) => sum + one.df, 0);
    const sd = Math.sqrt(variance.reduce((sum, one) => sum + one.of * one.df, 0) / df);
    const percent = (share: number) => `${(100 * share).toFixed(2)} %`;
    const range = (of: number[], limit: number) =>
      `${percent(quantile(of, 0.5) * limit)} (${percent(quantile(of, 0.95) * limit)})`;
    const cells = [
      `${treatment}${TREATMENTS[treatment as keyof typeof TREATMENTS].slowdown > 0 ? ' (injected)' : ''}`,
      kind,
      all.length,
      values.length,
      percent(mean(values.map(({ diff }) => diff))),
      percent(sd),
      range(
        values.map(({ foreign }) => foreign),
        0.1,
      ),
      range(
        values.map(({ steal }) => steal),
        0.01,
      ),
      percent(values.filter(({ stall }) => stall > 1).length / values.length),
    ];
    console.log(`| ${cells.join(' | ')} |`);
  }
}
