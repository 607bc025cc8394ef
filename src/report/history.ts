import type { Corrupt, History } from '../history/file.ts';
import type { Change, Trend, TrendMetric } from '../history/trend.ts';
import { levelOf } from './changes.ts';
import { code, escapeMarkdown } from './escape.ts';
import { type Column, table } from './markup.ts';
import { change, digits, NOTHING } from './numbers.ts';
import { plural } from './text.ts';

export const TREND_NAMES: Record<TrendMetric, string> = {
  rps: 'RPS',
  p50: 'p50 ms',
  cpu: 'CPU ms/request',
};

/** How each variant went on from run to run, as Markdown. */
export function renderHistory(trends: readonly Trend[], { corrupt }: Pick<History, 'corrupt'>): string {
  if (trends.length === 0) return ['The history holds no measurements.', ...broken(corrupt)].join('\n\n');
  const columns: Column<Trend>[] = [
    { title: 'Variant', cell: ({ variant }) => code(variant) },
    { title: 'Scenario', cell: ({ scenario, load }) => `${code(scenario)} ${escapeMarkdown(load)}` },
    { title: 'Metric', cell: ({ metric }) => TREND_NAMES[metric] },
    { title: 'Trend', cell: ({ points }) => sparkline(points.map(({ value }) => value)) },
    { title: 'Runs', right: true, cell: ({ points }) => String(points.length) },
    { title: 'Now', right: true, cell: ({ levels }) => digits(levels.at(-1) as number) },
    {
      title: 'Changes',
      cell: (trend) => trend.changes.map((at) => describeChange(trend, at)).join('<br>') || NOTHING,
    },
  ];
  const machines = [...new Set(trends.map(({ machine }) => machine))];
  return [
    ...machines.map((machine) => {
      const own = trends.filter((trend) => trend.machine === machine);
      return `On ${escapeMarkdown(machine)}:\n\n${table(columns, own)}`;
    }),
    HISTORY_METHOD,
    ...broken(corrupt),
  ].join('\n\n');
}

export const HISTORY_METHOD =
  'Now is the mean since the last change. Changes are found by E-divisive with a permutation test at 1 % (Matteson and James, 2014), with the 99 % interval of the ratio of the means behind and before; at least three runs make a level. Runs were not loaded side by side: before you act on a change, compare the two commits in one run (compare-to).';

/** `2026-03-16 since c10: −9.8 % (−10.6…−9.0 %)`: the first run of the new level. */
export function describeChange({ points }: Trend, { at, ratio, interval }: Change): string {
  const { date, commit } = points[at] as Trend['points'][number];
  const found = ratio === null ? null : change(ratio, interval);
  const range = found?.interval && interval ? ` (${levelOf(interval)} ${found.interval})` : '';
  const since = commit === null ? '' : ` at ${code(commit.slice(0, 10))}`;
  return `${date.slice(0, 10)}${since}: **${found?.value ?? NOTHING}**${range}`;
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
