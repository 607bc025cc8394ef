import { mean } from 'simple-statistics';
import { findChangePoints } from '../analyse/changepoints.ts';
import { welch } from '../analyse/earlier.ts';
import type { Comparison } from '../results.ts';
import type { HistoryRecord } from './record.ts';

/** How one number of one variant went on, from run to run on machines of one kind. */
export interface Trend {
  variant: string;
  scenario: string;
  load: string;
  /** `Intel Xeon, 4 CPUs`: absolute numbers of others are not comparable. */
  machine: string;
  metric: TrendMetric;
  /** In the order of time. */
  points: readonly TrendPoint[];
  changes: readonly Change[];
  /** The mean of each stretch between changes (geometric), one more than there are changes. */
  levels: readonly number[];
}

export type TrendMetric = 'rps' | 'p50' | 'cpu';

export interface TrendPoint {
  date: string;
  run: string;
  commit: string | null;
  value: number;
  /** Half of the run's own 95 % interval. */
  half: number | null;
}

/** From which point on it is another level, and by how much: behind ÷ before, with the 99 % interval (Welch). */
export interface Change extends Pick<Comparison, 'ratio' | 'interval'> {
  at: number;
}

const METRICS: Record<TrendMetric, (record: HistoryRecord) => HistoryRecord['rps']> = {
  // Where k6 was the limit, RPS is k6's.
  rps: ({ state, rps, load }) => (state === 'ranked' && isClosed(load) ? rps : null),
  p50: ({ state, p50Ms, load }) => (state === 'ranked' && !isClosed(load) ? p50Ms : null),
  cpu: ({ state, cpuMsPerRequest }) =>
    state === 'ranked' || state === 'generator-bound' ? cpuMsPerRequest : null,
};

/** At a given rate RPS is the rate. */
const isClosed = (load: string) => /\b(vus|requests)\(/.test(load);

/** The trends that a history holds, by scenario, variant and machine in the order in which they first came. */
export function findTrends(records: readonly HistoryRecord[]): Trend[] {
  const groups = new Map<string, HistoryRecord[]>();
  for (const record of records) {
    const { variant, scenario, load, machine } = record;
    const key = JSON.stringify([scenario, load, variant, machine]);
    groups.set(key, [...(groups.get(key) ?? []), record]);
  }
  return [...groups.values()].flatMap((group) =>
    (Object.keys(METRICS) as TrendMetric[]).flatMap((metric) => trendOf(group, metric)),
  );
}

function trendOf(group: readonly HistoryRecord[], metric: TrendMetric): Trend[] {
  const points = group
    .flatMap((record): TrendPoint[] => {
      const number = METRICS[metric](record);
      const { date, run, commit } = record;
      return number && number.value > 0
        ? [{ date, run, commit, value: number.value, half: number.half }]
        : [];
    })
    .sort((a, b) => Date.parse(a.date) - Date.parse(b.date));
  const [first] = group;
  if (!first || points.length === 0) return [];
  const values = points.map(({ value }) => value);
  const starts = [0, ...findChangePoints(values.map(Math.log))];
  const levels = starts.map((start, i) => values.slice(start, starts[i + 1]));
  const changes = starts.slice(1).map((at, i): Change => {
    const { ratio, interval } = welch(levels[i + 1] as number[], levels[i] as number[]);
    return { at, ratio, interval };
  });
  const { label, scenario, load, machine } = first;
  return [
    {
      ...{ variant: label, scenario, load, metric, points, changes },
      machine: `${machine.cpu}, ${machine.serverCpus} of ${machine.cpus} CPUs`,
      levels: levels.map((level) => Math.exp(mean(level.map(Math.log)))),
    },
  ];
}
