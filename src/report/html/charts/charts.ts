import { readPool, sum } from '../../../analyse/rows/pool.ts';
import type { ScenarioSummary } from '../../../analyse/summary.ts';
import { QUANTILES } from '../../../results/quantiles.ts';
import type { Measurement, Variant } from '../../../results/results.ts';
import type { Estimate } from '../../../stats/estimate.ts';
import { total } from '../../../stats/histogram.ts';
import { plural } from '../../../text/plain.ts';
import { atLeast, bytes, duration, estimated, ms } from '../../words/numbers.ts';
import type { Chart, DotChart, DotRow, DotView, LineChart } from './chart.ts';
import { levelCharts } from './levels.ts';
import { round } from './thin.ts';
import { timeCharts } from './times.ts';
import { byVariant, type Numbers } from './variant-numbers.ts';

/** Everything that is drawn of one scenario; what was not measured has no chart. */
export function chartsOf(
  scenario: ScenarioSummary,
  measurements: readonly Measurement[],
  numbers: Numbers,
  serverCpus: number,
): Chart[] {
  const slices = measurements.filter(
    (slice) => slice.scenario === scenario.facts.name && slice.outcome !== 'void',
  );
  const good = slices.filter((slice) => slice.outcome === 'ok');
  return [
    ...levelCharts(scenario, good, numbers, serverCpus),
    sliceDots(scenario, good, numbers),
    cpuDots(scenario, good, numbers),
    percentileCurve(good, numbers),
    ...timeCharts(slices, numbers),
  ].filter((chart) => chart !== null);
}

function sliceDots(
  { rows, bases, metric }: ScenarioSummary,
  slices: readonly Measurement[],
  numbers: Numbers,
): DotChart | null {
  // The rate of a whole ramp is that of its middle, whoever answers.
  const first = metric === 'holds' ? 'p99' : metric;
  const order = [first, 'rps', ...QUANTILES] as const;
  const groups = byVariant(slices);
  const keys = [...new Set(order)];
  const views = keys.map((key): DotView => {
    const isRps = key === 'rps';
    return {
      name: isRps ? 'RPS' : key,
      axis: isRps ? { label: 'requests per second', unit: 'rps' } : { label: `${key}, ms`, unit: 'ms' },
      rows: [...rows, ...bases].flatMap((row) => {
        const own = groups.get(row.variant) ?? [];
        const value = (slice: Measurement) =>
          isRps ? slice.achievedRps : (slice.latency?.[`${key}Ms`] ?? null);
        const isBound = isRps && row.state.kind === 'generator-bound';
        return toRow(numbers, row.variant, own, value, row[key], isBound);
      }),
    };
  });
  return ifAny({
    kind: 'dots',
    id: 'slices',
    title: 'Every slice',
    note: 'A dot is a slice of load, a line of dots a fresh start, the bar the number of the table with its 95 % interval. Dots that differ by start show differences between starts.',
    views,
  });
}

function cpuDots(
  { rows, bases }: ScenarioSummary,
  slices: readonly Measurement[],
  numbers: Numbers,
): DotChart | null {
  const groups = byVariant(slices);
  return ifAny({
    kind: 'dots',
    id: 'cpu-per-request',
    title: 'CPU per request',
    note: 'CPU time of the server’s container ÷ requests: the steadiest number, hardly touched by the load generator.',
    views: [
      {
        name: 'CPU per request',
        axis: { label: 'ms of CPU per request', unit: 'ms' },
        rows: [...rows, ...bases].flatMap((row) => {
          const own = groups.get(row.variant) ?? [];
          const value = ({ cpu }: Measurement) =>
            cpu?.perRequestUs == null ? null : cpu.perRequestUs / 1000;
          return toRow(numbers, row.variant, own, value, row.cpuMsPerRequest);
        }),
      },
    ],
  });
}

/** @param isBound the number is only a lower bound */
function toRow(
  numbers: Numbers,
  variant: string,
  slices: readonly Measurement[],
  read: (slice: Measurement) => number | null,
  estimate: Estimate | null,
  isBound = false,
): DotRow[] {
  const starts = new Map<number, number[]>();
  for (const slice of slices) {
    const value = read(slice);
    if (value !== null) starts.set(slice.instance, [...(starts.get(slice.instance) ?? []), round(value)]);
  }
  const number = numbers.get(variant);
  if (starts.size === 0 || number === undefined) return [];
  const sorted = [...starts].sort(([a], [b]) => a - b);
  return [
    {
      variant: number,
      starts: sorted.map(([, values]) => values),
      instances: sorted.map(([instance]) => instance),
      value: estimate && round(estimate.value),
      half: estimate?.half == null || isBound ? null : round(estimate.half),
      text: estimate && isBound ? atLeast(estimate.value) : estimated(estimate),
    },
  ];
}

function ifAny(chart: DotChart): DotChart | null {
  const views = chart.views
    .filter((view) => view.rows.length > 0)
    .map((view) => ({ ...view, rows: view.rows.toSorted((a, b) => a.variant - b.variant) }));
  return views.length > 0 ? { ...chart, views } : null;
}

/** The points at which the curve is read: evenly over the nines, which gives the tail its share. */
const NINES = Array.from({ length: 41 }, (_, i) => i / 10);
/** A percentile wants this many samples beyond it. */
const BEYOND = 10;

function percentileCurve(slices: readonly Measurement[], numbers: Numbers): LineChart | null {
  const groups = byVariant(slices);
  const lines = [...numbers].flatMap(([variant, number]) => {
    const own = groups.get(variant) ?? [];
    const n = sum(own, (slice) => total(slice.histogram));
    if (n === 0) return [];
    // Rising, so the rest of them lies beyond as well.
    const known = NINES.filter((nines) => nines <= 0.31 || n * 10 ** -nines >= BEYOND);
    const read = readPool(own);
    const y = NINES.map((nines, i) =>
      i < known.length ? round(read(100 * (1 - 10 ** -nines)) as number) : null,
    );
    return [{ variant: number, name: '', x: 0, y }];
  });
  const longest = Math.max(0, ...lines.map(({ y }) => y.findLastIndex((value) => value !== null) + 1));
  if (longest === 0) return null;
  return {
    kind: 'lines',
    id: 'percentiles',
    title: 'Response time by percentile',
    note: 'All requests of a variant together, with the slowest ones on the right. A curve ends where fewer than ten requests lie beyond.',
    x: { label: 'percentile', unit: 'nines' },
    xs: [NINES.slice(0, longest)],
    views: [
      {
        name: 'Response time',
        y: { label: 'response time, ms', unit: 'ms', log: true },
        lines: lines.map((line) => ({ ...line, y: line.y.slice(0, longest) })),
      },
    ],
  };
}

/** The charts of the variants as such, whatever the load. */
export function variantCharts(variants: readonly Variant[], numbers: Numbers): Chart[] {
  const noStart = { instances: [], half: null };
  const one = (of: (variant: Variant) => number | undefined, text: (value: number) => string): DotRow[] =>
    variants.flatMap((variant) => {
      const [value, number] = [of(variant), numbers.get(variant.id)];
      if (value === undefined || number === undefined) return [];
      return [{ ...noStart, variant: number, starts: [[round(value)]], value: null, text: text(value) }];
    });
  const cold = variants.flatMap((variant): DotRow[] => {
    const number = numbers.get(variant.id);
    const sorted = [...(variant.coldStart?.timesMs ?? variant.coldStartMs)].sort((a, b) => a - b);
    if (number === undefined || sorted.length === 0) return [];
    const middle =
      ((sorted[(sorted.length - 1) >> 1] as number) + (sorted[sorted.length >> 1] as number)) / 2;
    const text = `${ms(middle)} ms of ${plural(sorted.length, 'start')}`;
    return [{ ...noStart, variant: number, starts: [sorted.map(round)], value: round(middle), text }];
  });
  const chart = ifAny({
    kind: 'dots',
    id: 'cold-start',
    title: 'Cold start',
    note: 'From the start of the container to the first answer with status 2xx: each start a dot, the bar their median.',
    views: [
      { name: 'Cold start', axis: { label: 'ms', unit: 'ms' }, rows: cold },
      {
        name: 'Image size',
        axis: { label: 'size of the image', unit: 'bytes' },
        rows: one(({ image }) => image?.sizeBytes, bytes),
      },
      {
        name: 'Build time',
        axis: { label: 'seconds', unit: 'seconds' },
        rows: one(({ image }) => image?.buildSeconds, duration),
      },
    ],
  });
  return chart ? [chart] : [];
}
