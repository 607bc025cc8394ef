import type { CountTrend } from '../history/count-trend.ts';
import type { Corrupt, History } from '../history/file.ts';
import type { LevelChange, Trend, TrendMetric } from '../history/trend-model.ts';
import { plural } from '../text/plain.ts';
import { renderCountHistory } from './counts/count-history.ts';
import { code, escapeMarkdown } from './format/escape.ts';
import { type MarkdownColumn, table } from './format/markup.ts';
import { levelOf } from './words/changes.ts';
import { change, digits, NOTHING } from './words/numbers.ts';

export const TREND_NAMES: Record<TrendMetric, string> = {
  rps: 'RPS',
  p50: 'p50 ms',
  cpu: 'CPU ms/request',
};

/** How each variant went on from run to run, as Markdown. */
export function renderHistory(
  trends: readonly Trend[],
  { corrupt }: Pick<History, 'corrupt'>,
  counts: readonly CountTrend[] = [],
): string {
  if (trends.length === 0) return ['The history has no measurements.', ...broken(corrupt)].join('\n\n');
  const columns: MarkdownColumn<Trend>[] = [
    { title: 'Variant', cell: ({ variant }) => code(variant) },
    { title: 'Scenario', cell: ({ scenario, load }) => `${code(scenario)} ${escapeMarkdown(load)}` },
    { title: 'Metric', cell: ({ metric }) => TREND_NAMES[metric] },
    { title: 'Trend', cell: ({ points }) => sparkline(points.map(({ value }) => value)) },
    { title: 'Runs', right: true, cell: ({ points }) => String(points.length) },
    { title: 'Now', right: true, cell: nowOf },
    {
      title: 'Changes',
      cell: (trend) => trend.changes.map((at) => describeChange(trend, at)).join('<br>') || NOTHING,
    },
  ];
  return [
    ...sectionsOf(trends).map(({ reference, machine, trends }) => {
      const head =
        reference === null
          ? `On ${escapeMarkdown(machine)}:`
          : `Each number ÷ that of ${code(reference)} in the same run, on whatever machine:`;
      return `${head}\n\n${table(reference === null ? columns : columns.toSpliced(5, 0, MACHINES), trends)}`;
    }),
    renderCountHistory(counts, sparkline),
    HISTORY_METHOD,
    ...broken(corrupt),
  ]
    .filter(Boolean)
    .join('\n\n');
}

const MACHINES: MarkdownColumn<Trend> = {
  title: 'Machines',
  right: true,
  cell: ({ points }) => String(new Set(points.map(({ machine }) => machine)).size),
};

/** Trends whose numbers may be looked at together. */
export interface TrendSection {
  /** What each number is divided by; null: they are absolute, and of `machine`. */
  reference: string | null;
  machine: string;
  trends: readonly Trend[];
}

export function sectionsOf(trends: readonly Trend[]): TrendSection[] {
  const placeOf = ({ reference, points }: Trend) =>
    reference === null ? { reference, machine: points[0]?.machine ?? '' } : { reference, machine: '' };
  const keyOf = (trend: Trend) => JSON.stringify(placeOf(trend));
  return [...new Set(trends.map(keyOf))].map((key) => {
    return { ...JSON.parse(key), trends: trends.filter((trend) => keyOf(trend) === key) };
  });
}

export const HISTORY_METHOD =
  'Now is the mean since the last change. Changes are found with E-divisive and a permutation test at 1 % (Matteson and James, 2014), for each kind of machine. The interval is the 99 % interval of the ratio of the means after and before. A level has at least three runs. The other variants beside a reference show whether a variant or the reference has changed. Runs were not loaded side by side: before you act on a change, compare the two commits in one run (compare-to).';

/** A change in words: what stands before its size, its size, its interval, what stands behind them. */
export interface Told {
  whose: string;
  value: string;
  range: string;
  doubt: string;
}

/** Of a ratio it may be the other side that has changed: then by how much that did. */
export function tellChange({ ratio, interval, by }: LevelChange): Told {
  const turned = by === 'reference';
  const turn = (value: number) => (turned ? 1 / value : value);
  const found =
    ratio === null
      ? null
      : change(
          turn(ratio),
          interval && (turned ? { ...interval, low: 1 / interval.high, high: 1 / interval.low } : interval),
        );
  return {
    whose: turned ? 'the reference, not this: ' : '',
    value: found?.value ?? NOTHING,
    range: found?.interval && interval ? ` (${levelOf(interval)} ${found.interval})` : '',
    doubt: by === 'unclear' ? ', or the reference the other way' : '',
  };
}

/** `2026-03-16 at c10: −9.8 % (99 % interval −10.6…−9.0)`: the first run of the new level. */
export function describeChange({ points }: Trend, change: LevelChange): string {
  const { date, commit } = points[change.at] as Trend['points'][number];
  const { whose, value, range, doubt } = tellChange(change);
  const since = commit === null ? '' : ` at ${code(commit.slice(0, 10))}`;
  return `${date.slice(0, 10)}${since}: ${whose}**${value}**${range}${doubt}`;
}

/** The level since the last change: `1.52 ×` for a ratio. */
export function nowOf({ levels, reference }: Trend): string {
  return `${digits(levels.at(-1) as number)}${reference === null ? '' : ' ×'}`;
}

const BARS = '▁▂▃▄▅▆▇█';
/** Bars that fit into a cell. */
const WIDEST = 24;

/** The last values between their smallest and largest. */
export function sparkline(values: readonly number[]): string {
  const shown = values.slice(-WIDEST);
  const [low, high] = [Math.min(...shown), Math.max(...shown)];
  // Less than 1 % apart is a flat line, not the noise made large.
  const span = Math.max(high - low, 0.01 * high);
  return shown
    .map((value) => BARS[Math.min(BARS.length - 1, Math.floor(((value - low) / span) * BARS.length))])
    .join('');
}

function broken(corrupt: readonly Corrupt[]): string[] {
  if (corrupt.length === 0) return [];
  const [first] = corrupt;
  return [
    `${plural(corrupt.length, 'line')} of the history could not be read, and ${corrupt.length === 1 ? 'was' : 'were'} left out; the first is line ${first?.line}: ${escapeMarkdown(first?.why ?? '')}`,
  ];
}
