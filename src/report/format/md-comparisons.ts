import { leadsOf } from '../../analyse/judge/gates.ts';
import type { ScenarioSummary, Summary } from '../../analyse/summary.ts';
import { REPOSITORY_URL } from '../../project.ts';
import type { Comparison } from '../../results/results.ts';
import { compareTables, TOGETHER } from '../view/sections/comparisons.ts';
import { code, escapeMarkdown } from './escape.ts';
import { gridMarkdown } from './markup.ts';

/**
 * All that was compared in a scenario, then how it was decided; empty where nothing was.
 *
 * @param all false: only the metric that the verdict goes by and what differs surely in others
 */
export function renderComparisons(scenario: ScenarioSummary, summary: Summary, all: boolean): string {
  const { comparisons } = scenario;
  const leads = leadsOf(comparisons);
  const isSure = ({ verdict }: Comparison) => verdict === 'slower' || verdict === 'faster';
  const shown = comparisons.filter((comparison) => all || leads.has(comparison) || isSure(comparison));
  const tables = compareTables(shown, summary, { name: code, text: escapeMarkdown }).map(
    ({ against, grid }) => `Against ${against}:\n\n${gridMarkdown(grid)}`,
  );
  const together = shown.some(({ how }) => how === 'together') ? [TOGETHER] : [];
  return tables.length > 0 ? [...tables, ...together, decided(summary, shown)].join('\n\n') : '';
}

/** The page that describes the rule. */
export function methodUrl({ tool }: Pick<Summary, 'tool'>): string {
  return docsUrl(tool.version, 'method');
}

/** A page of the documentation of this version. */
export function docsUrl(
  version: string,
  page: 'method' | 'reading-the-report' | 'comparing',
  anchor = '',
): string {
  // In Markdown a parenthesis ends a link.
  const escaped = encodeURIComponent(version).replace(
    /[!'()*~_]/g,
    (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `${REPOSITORY_URL}/blob/v${escaped}/docs/${page}.md${anchor && `#${anchor}`}`;
}

const UNPAIRED =
  "Starts of this run and of an earlier one are not paired: their interval is Welch's, over logarithms, and they get no verdict.";
const PAIRED =
  "Fresh starts of the two are paired; Student's t over the logarithms of their ratios gives the interval. Tests of the judged metric are corrected for multiple comparisons (Holm). A difference in another metric is a *note*. Few of all notes are wrong (Benjamini–Hochberg), but measure again before you rely on one.";

function decided(summary: Summary, shown: readonly Comparison[]): string {
  const isTested = shown.some(({ detectable }) => detectable !== null);
  const found = isTested ? ' A change as large as *detectable* is found in 95 of 100 runs.' : '';
  const isEarlier = ({ against }: Comparison) => against === 'earlier';
  return [
    ...(shown.every(isEarlier) ? [] : [`${PAIRED}${found}`]),
    ...(shown.some(isEarlier) ? [UNPAIRED] : []),
    `[The method](${methodUrl(summary)}).`,
  ].join(' ');
}
