import { type AskedParts, completeAsked } from './asked.ts';
import type { HistoryRecord } from './history-record.ts';

/** A count from run to run. If it is constant within each run, it needs no statistics: another number is a change. */
export interface CountTrend {
  variant: string;
  scenario: string;
  load: string;
  /** As in `Trend`. */
  apart: AskedParts;
  name: string;
  points: readonly CountPoint[];
  /** Indices of points that differ from the one before, both constant and of the same paths. */
  changes: readonly number[];
}

interface CountPoint {
  date: string;
  commit: string | null;
  value: number;
  constant: boolean;
  /** As in the record: the paths that it is the mean of. */
  paths?: string | undefined;
}

/** One for each variant, request and count, in the order in which they first came; the machine does not matter. */
export function findCountTrends(records: readonly HistoryRecord[]): CountTrend[] {
  const trends = new Map<string, CountTrend & { points: CountPoint[] }>();
  for (const record of completeAsked(records)) {
    const { date, commit, variant, label, scenario, load, request, apart } = record;
    for (const [name, number] of Object.entries(record.counts ?? {})) {
      const key = JSON.stringify([variant, scenario, load, request, name]);
      const known = trends.get(key) ?? {
        ...{ variant: label, scenario, load, apart, name },
        ...{ points: [], changes: [] },
      };
      known.points.push({ date, commit, ...number });
      trends.set(key, known);
    }
  }
  return [...trends.values()].map((trend) => {
    const points = trend.points.toSorted((a, b) => Date.parse(a.date) - Date.parse(b.date));
    const changes = points.flatMap(({ value, constant, paths }, i) => {
      const before = points[i - 1];
      const isAlike = paths === before?.paths || paths === undefined || before?.paths === undefined;
      return before?.constant && constant && isAlike && value !== before.value ? [i] : [];
    });
    return { ...trend, points, changes };
  });
}
