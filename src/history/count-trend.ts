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
  points: readonly { date: string; commit: string | null; value: number; constant: boolean }[];
  /** Indices of points that differ from the one before, both constant. */
  changes: readonly number[];
}

/** One for each variant, request and count, in the order in which they first came; the machine does not matter. */
export function findCountTrends(records: readonly HistoryRecord[]): CountTrend[] {
  const trends = new Map<string, CountTrend & { points: CountTrend['points'][number][] }>();
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
    const changes = points.flatMap(({ value, constant }, i) => {
      const before = points[i - 1];
      return before?.constant && constant && value !== before.value ? [i] : [];
    });
    return { ...trend, points, changes };
  });
}
