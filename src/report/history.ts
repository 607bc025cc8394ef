import type { CountTrend } from '../history/count-trend.ts';
import type { History } from '../history/file.ts';
import type { Trend } from '../history/trend-model.ts';
import { gridMarkdown, textMarkdown } from './format/markup.ts';
import {
  brokenLines,
  COUNT_HISTORY_METHOD,
  countHistory,
  HISTORY_METHOD,
  trendTables,
} from './view/sections/history-section.ts';

/** How each variant went on from run to run, as Markdown. */
export function renderHistory(
  trends: readonly Trend[],
  { corrupt }: Pick<History, 'corrupt'>,
  counts: readonly CountTrend[] = [],
): string {
  const broken = brokenLines(corrupt).map(textMarkdown);
  return [
    ...(trends.length + counts.length === 0 ? ['The history has no measurements.'] : []),
    ...trendTables(trends).map(({ title, grid }) => `${textMarkdown(title)}:\n\n${gridMarkdown(grid)}`),
    ...(trends.length > 0 ? [HISTORY_METHOD] : []),
    ...(counts.length > 0
      ? [
          `Counts per request, on whatever machine:\n\n${gridMarkdown(countHistory(counts))}`,
          COUNT_HISTORY_METHOD,
        ]
      : []),
    ...broken,
  ].join('\n\n');
}
