import type { AskedParts } from '../../../history/asked.ts';
import type { CountTrend } from '../../../history/count-trend.ts';
import type { Corrupt } from '../../../history/file.ts';
import type { LevelChange, Trend, TrendMetric } from '../../../history/trend-model.ts';
import { describeCount } from '../../../results/count-names.ts';
import { plural } from '../../../text/plain.ts';
import { bothAmounts, countAmount } from '../../counts/count-words.ts';
import { levelOf, nounOf } from '../../words/changes.ts';
import { change, digits, NOTHING } from '../../words/numbers.ts';
import { type Column, type Grid, grid, left, right, type Text } from '../model.ts';

const TREND_NAMES: Record<TrendMetric, string> = {
  rps: 'RPS',
  p50: 'p50 ms',
  cpu: 'CPU ms/request',
};

/** `CPU ms/request`; beside a reference the numbers are ratios, which have no unit. */
export function trendName({ metric, reference }: Pick<Trend, 'metric' | 'reference'>): string {
  return reference === null ? TREND_NAMES[metric] : nounOf(metric);
}

/** Trends whose numbers may be looked at together. */
export interface TrendTable {
  title: Text;
  trends: readonly Trend[];
  grid: Grid;
}

/** How each variant went on from run to run: those beside each reference, and those of each machine. */
export function trendTables(trends: readonly Trend[]): TrendTable[] {
  const placeOf = ({ reference, points }: Trend) => reference ?? points[0]?.machine ?? '';
  const keyOf = (trend: Trend) => JSON.stringify([trend.reference === null, placeOf(trend)]);
  return [...Map.groupBy(trends, keyOf).values()].map((own) => {
    const [{ reference }] = own as [Trend];
    const place = placeOf(own[0] as Trend);
    return {
      title:
        reference === null
          ? ['On ', { text: place }]
          : ['Each number ÷ that of ', { name: place }, ' in the same run, on whatever machine'],
      trends: own,
      grid: grid('Trends', reference === null ? COLUMNS : COLUMNS.toSpliced(5, 0, MACHINES), own),
    };
  });
}

const scenarioColumn: Column<Pick<Trend, 'scenario' | 'load' | 'apart'>> = left(
  'Scenario',
  ({ scenario, load, apart }) => [{ name: scenario }, ' ', { text: load }, nameApart(apart)],
);

/** `, journey / /report`: only the parts in which trends of one variant, scenario and load differ. */
export function nameApart(apart: AskedParts): Text {
  return Object.entries(apart).flatMap(([part, value = '']) => [
    `, ${part} `,
    value === '' ? 'none' : { name: value },
  ]);
}

const nameColumn: Column<Pick<Trend, 'variant'>> = left('Variant', ({ variant }) => ({ name: variant }));
const drawn = (points: readonly { value: number }[]) => sparkline(points.map(({ value }) => value));
const linesOf = (lines: readonly Text[]): Text => (lines.length > 0 ? { lines } : NOTHING);

const COLUMNS: readonly Column<Trend>[] = [
  nameColumn,
  scenarioColumn,
  left('Metric', trendName),
  left('Trend', ({ points }) => drawn(points)),
  right('Runs', ({ points }) => String(points.length)),
  right('Now', nowOf),
  left('Changes', (trend) => linesOf(changeLines(trend))),
];

const MACHINES: Column<Trend> = right('Machines', ({ points }) =>
  String(new Set(points.map(({ machine }) => machine)).size),
);

export const HISTORY_METHOD =
  'Now is the mean since the last change. Changes are found with E-divisive and a permutation test at 1 % (Matteson and James, 2014), for each kind of machine. The interval is the 99 % interval of the ratio of the means after and before. A level has at least three runs. Runs with another app, journey or host, other headers or other settings of the app form a trend of their own. The other variants beside a reference show whether a variant or the reference has changed. Runs were not loaded side by side: before you act on a change, compare the two commits in one run (compare-to).';

/** So many changes of a count are shown, the newest. */
const TOLD = 10;

export const COUNT_HISTORY_METHOD = `Now is the number of the last run. A change is any other number than in the run before, if both are constant within their runs. Up to ${TOLD} changes are shown, the newest.`;

/** The level since the last change: `1.52 ×` for a ratio. */
export function nowOf({ levels, reference }: Trend): string {
  return `${digits(levels.at(-1) as number)}${reference === null ? '' : ' ×'}`;
}

/** The start of a level: `2026-03-16 at c10`. */
function whenOf({ date, commit }: Pick<Trend['points'][number], 'date' | 'commit'>): Text {
  return [date.slice(0, 10), commit === null ? '' : [' at ', { name: commit.slice(0, 10) }], ': '];
}

/** `2026-03-16 at c10: −9.8 % (99 % interval −10.6…−9.0)`: the first run of each new level. */
export function changeLines({ points, changes }: Trend): Text[] {
  return changes.map((change) => [whenOf(points[change.at] as Trend['points'][number]), tellChange(change)]);
}

/** With a ratio the reference may have changed instead: then by how much that did. */
function tellChange({ ratio, interval, by }: LevelChange): Text {
  const turned = by === 'reference';
  const range =
    interval && turned ? { ...interval, low: 1 / interval.high, high: 1 / interval.low } : interval;
  const found = ratio === null ? null : change(turned ? 1 / ratio : ratio, range);
  return [
    turned ? 'the reference, not this: ' : '',
    { strong: found?.value ?? NOTHING },
    found?.interval && interval ? ` (${levelOf(interval)} ${found.interval})` : '',
    by === 'unclear' ? ', or the reference the other way' : '',
  ];
}

/** The numbers that a trend is drawn from. */
export function runGrid(trend: Trend): Grid {
  const columns: Column<Trend['points'][number] & { variant: string }>[] = [
    left('Run', ({ date }) => date.slice(0, 16).replace('T', ' ')),
    left('Commit', ({ commit }) => (commit === null ? NOTHING : { name: commit.slice(0, 10) })),
    left('Machine', ({ machine }) => ({ name: machine })),
    { ...right(trendName(trend), ({ value }) => digits(value)), isMain: true },
    right('±', ({ half }) => (half === null ? NOTHING : digits(half))),
  ];
  const rows = trend.points.map((point) => ({ ...point, variant: '' }));
  return { ...grid('Numbers', columns, rows), isHeaded: true };
}

/** Counts per request from run to run. */
export function countHistory(trends: readonly CountTrend[]): Grid {
  return { ...grid('Counts per request', COUNT_COLUMNS, trends), isHeaded: true };
}

const COUNT_COLUMNS: readonly Column<CountTrend>[] = [
  nameColumn,
  scenarioColumn,
  left('Count', ({ name }) => ({ text: describeCount(name).title })),
  left('Trend', ({ points }) => drawn(points)),
  right('Runs', ({ points }) => String(points.length)),
  {
    ...right('Now', ({ points, name }: CountTrend) => countAmount(points.at(-1)?.value ?? 0, name)),
    isMain: true,
  },
  left('Changes', ({ points, changes, name }) =>
    linesOf(
      changes.slice(-TOLD).map((at) => {
        const [before, now] = points.slice(at - 1, at + 1) as [
          CountTrend['points'][number],
          CountTrend['points'][number],
        ];
        return [whenOf(now), { strong: bothAmounts(before.value, now.value, name) }];
      }),
    ),
  ),
];

/** Lines of a history that could not be read. */
export function brokenLines(corrupt: readonly Corrupt[]): Text[] {
  const [first] = corrupt;
  if (!first) return [];
  const count = plural(corrupt.length, 'line');
  return [
    [
      `${count} of the history could not be read, and ${corrupt.length === 1 ? 'was' : 'were'} left out; the first is line ${first.line}: `,
      { text: first.why },
    ],
  ];
}

const BARS = '▁▂▃▄▅▆▇█';
/** Bars that fit into a cell. */
const WIDEST = 24;

/** The last values between their smallest and largest. */
export function sparkline(values: readonly number[]): string {
  const shown = values.slice(-WIDEST);
  const [low, high] = [Math.min(...shown), Math.max(...shown)];
  // Less than 1 % apart is a flat line, not the noise made large.
  const span = Math.max(high - low, 0.01 * high) || 1;
  return shown
    .map((value) => BARS[Math.min(BARS.length - 1, Math.floor(((value - low) / span) * BARS.length))])
    .join('');
}
