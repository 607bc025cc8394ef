import { median } from 'simple-statistics';
import type { Variant } from '../../results/results.ts';
import { halfInterval } from '../../stats/estimate.ts';
import { bytes, count, digits, duration, estimated, NOTHING } from './numbers.ts';

/** A line of the table of cold starts. */
export interface ColdStartRow {
  variant: string;
  label: string;
  median: string;
  /** With its 95 % interval. */
  mean: string;
  range: string;
  starts: string;
  size: string;
  build: string;
}

/** Fastest first; empty where none was timed by itself. */
export function startsOf(variants: readonly Variant[]): ColdStartRow[] {
  const timed = variants.flatMap((variant) =>
    variant.coldStart && variant.coldStart.timesMs.length > 0
      ? [{ ...variant, timesMs: variant.coldStart.timesMs, ms: median(variant.coldStart.timesMs) }]
      : [],
  );
  return timed
    .sort((a, b) => a.ms - b.ms)
    .map(({ id, label, timesMs, ms, image }) => ({
      ...{ variant: id, label, median: digits(ms) },
      mean: estimated({
        value: timesMs.reduce((sum, time) => sum + time, 0) / timesMs.length,
        ...{ half: halfInterval(timesMs), over: 'instances', n: timesMs.length },
      }),
      range: `${digits(Math.min(...timesMs))}–${digits(Math.max(...timesMs))}`,
      starts: count(timesMs.length),
      size: image ? bytes(image.sizeBytes) : NOTHING,
      build: image ? duration(image.buildSeconds) : NOTHING,
    }));
}

/** Meaning of the start times. */
export function startsLegend(variants: readonly Variant[]): string {
  const timed = variants.filter(({ coldStart }) => coldStart);
  const found = timed[0]?.coldStart;
  if (!found) return '';
  const both = timed.some(({ front }) => front) ? ' and its proxy' : '';
  return `from the request to start a new container${both} to the first answer with status 2xx to GET ${found.path}, in ms. ${found.tool} timed one start at a time. The time includes what the engine needs to start a container`;
}
