import { leadsOf } from '../../analyse/judge/gates.ts';
import type { ScenarioSummary, Summary } from '../../analyse/summary.ts';
import { REPOSITORY_URL } from '../../project.ts';
import type { Comparison } from '../../results/results.ts';
import { bothNumbers, bothTitle, describeVerdict, levelOf, nounOf } from '../words/changes.ts';
import { atMost, change, NOTHING } from '../words/numbers.ts';
import { counterpart } from '../words/verdicts.ts';
import { code, escapeMarkdown } from './escape.ts';
import { type MarkdownColumn, table } from './markup.ts';

const KINDS = ['base', 'earlier', 'reference'] as const;

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
  const tables = KINDS.flatMap((kind) => {
    const own = foldUncompared(shown.filter(({ against }) => against === kind));
    const [first] = own;
    if (!first) return [];
    const other = counterpart(first, summary, { name: code, text: escapeMarkdown });
    return [`Against ${other}:\n\n${table(columnsOf(summary, own), own)}`];
  });
  const together = shown.some(({ how }) => how === 'together') ? [TOGETHER] : [];
  return tables.length > 0 ? [...tables, ...together, decided(summary)].join('\n\n') : '';
}

/** A variant that failed was compared in no metric, each time for one reason: one row says so. */
function foldUncompared(comparisons: readonly Comparison[]): Row[] {
  const rows = new Map<string, Row[]>();
  for (const one of comparisons) rows.set(one.variant, [...(rows.get(one.variant) ?? []), one]);
  return [...rows.values()].flatMap((own) => {
    const [first] = own;
    const why = (row: Row) => row.reasons.join('\n');
    if (!first || own.length === 1) return own;
    if (own.some((row) => row.ratio !== null || why(row) !== why(first))) return own;
    return { ...first, metrics: own.length };
  });
}

/** `metrics`: it represents so many, none of which could be compared. */
type Row = Comparison & { metrics?: number };

function columnsOf({ variants }: Summary, shown: readonly Row[]): MarkdownColumn<Row>[] {
  const right = (title: string, cell: (comparison: Row) => string): MarkdownColumn<Row> => ({
    title,
    right: true,
    cell,
  });
  const labels = new Map(variants.map(({ id, label }) => [id, label]));
  const interval = shown.find((comparison) => comparison.interval)?.interval;
  const changeOf = ({ ratio, interval }: Comparison) => (ratio === null ? null : change(ratio, interval));
  const optional = (value: number | null, say: (value: number) => string) =>
    value === null ? NOTHING : say(value);
  return [
    { title: 'Variant', cell: ({ variant }) => code(labels.get(variant) ?? variant) },
    { title: 'Metric', cell: (row) => (row.metrics ? `all ${row.metrics}` : metricOf(row)) },
    right(bothTitle(shown[0]?.against ?? 'base'), (comparison) => bothNumbers(comparison) || NOTHING),
    right('Δ', (comparison) => changeOf(comparison)?.value ?? NOTHING),
    right(
      interval ? levelOf(interval) : 'interval',
      (comparison) => changeOf(comparison)?.interval || NOTHING,
    ),
    { title: 'Verdict', cell: verdictCell },
    right('pairs of starts', ({ pairs }) => String(pairs)),
    right('pairs of slices', ({ slices }) => String(slices)),
    right('left out', ({ dropped }) => String(dropped)),
    right('spread of starts', ({ spread }) => optional(spread, (sd) => `${(sd * 100).toFixed(2)} %`)),
    right('p, corrected', ({ adjustedP }) => optional(adjustedP, probability)),
    right('detectable', ({ detectable }) => optional(detectable, (share) => `≥ ${atMost(share)}`)),
  ];
}

function verdictCell(comparison: Comparison): string {
  const { primary, verdict, reasons } = comparison;
  const words = describeVerdict(comparison);
  const why = reasons.length > 0 ? `; ${escapeMarkdown(reasons.join('; '))}` : '';
  if (verdict !== 'slower' && verdict !== 'faster') return words + why;
  return (primary ? `**${words}**` : `${words} (note)`) + why;
}

function probability(p: number): string {
  return p < 0.0001 ? '&lt; 0.0001' : p.toPrecision(2);
}

/** The metric, and how it was come by where that is another way than the others'. */
export function metricOf({ metric, how }: Pick<Comparison, 'metric' | 'how'>): string {
  return how === 'together' ? `${nounOf(metric)}, both at once` : nounOf(metric);
}

export const TOGETHER =
  '“Both at once”: both sides were loaded together, each by half of the clients, so that what disturbed the machine met both. Sharing its caches blurs a change; the interval allows for that.';

/** Where the rule is written down. */
export function methodUrl({ tool }: Pick<Summary, 'tool'>): string {
  return docsUrl(tool.version, 'method');
}

/** A page of the documentation of this version. */
export function docsUrl(version: string, page: 'method' | 'reading-the-report'): string {
  // In Markdown a parenthesis ends a link.
  const escaped = encodeURIComponent(version).replace(
    /[!'()*~_]/g,
    (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `${REPOSITORY_URL}/blob/v${escaped}/docs/${page}.md`;
}

function decided(summary: Summary): string {
  return `Fresh starts of the two are paired and loaded in turn; Student's t over the logarithms of their ratios gives the interval. Tests of the metric that a verdict goes by are corrected for their number (Holm). A difference in another metric is a *note*. Few of all notes are wrong (Benjamini–Hochberg), but measure again before you rely on one. [The method](${methodUrl(summary)}).`;
}
