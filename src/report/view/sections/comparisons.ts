import type { Summary } from '../../../analyse/summary.ts';
import type { Comparison } from '../../../results/results.ts';
import {
  bothNumbers,
  bothTitle,
  describeVerdict,
  levelOf,
  type NamedComparison,
  type Names,
  nounOf,
} from '../../words/changes.ts';
import { atMost, change, NOTHING } from '../../words/numbers.ts';
import { counterpart } from '../../words/verdicts.ts';
import { type Column, type Grid, grid, left, right, type Text, variantColumn } from '../model.ts';

export const TOGETHER =
  '“Both at once”: both sides were loaded together, each by half of the clients, so that what disturbed the machine met both. Sharing its caches blurs a change; the interval allows for that.';

/** Comparisons with the same kind of counterpart. */
export interface Compared extends Pick<NamedComparison, 'against'> {
  kind: Comparison['against'];
  grid: Grid;
}

const KINDS = ['base', 'earlier', 'reference'] as const;

/** `metrics`: it represents so many, none of which could be compared. */
type Line = Comparison & { label: string; metrics?: number };

/**
 * Tables of comparisons, one for each kind of them that there is.
 *
 * @param isFull false: without what each rests on
 */
export function compareTables(
  shown: readonly Comparison[],
  summary: Summary,
  names: Names,
  isFull = true,
): Compared[] {
  const labels = new Map(summary.variants.map(({ id, label }) => [id, label]));
  return KINDS.flatMap((kind) => {
    const own = foldUncompared(shown.filter(({ against }) => against === kind));
    const [first] = own;
    if (!first) return [];
    const lines = own.map((one): Line => ({ ...one, label: labels.get(one.variant) ?? one.variant }));
    const columns = isFull ? [...columnsOf(lines), ...DETAILS] : columnsOf(lines);
    return [
      {
        ...{ kind, against: counterpart(first, summary, names) },
        grid: { ...grid(`Compared with ${TARGETS[kind]}`, columns, lines), isHeaded: true },
      },
    ];
  });
}

const TARGETS = { base: 'the base', earlier: 'the earlier run', reference: 'the reference' };

/** A variant that failed was compared in no metric, each time for one reason: one row shows it. */
function foldUncompared(comparisons: readonly Comparison[]): (Comparison & Pick<Line, 'metrics'>)[] {
  return [...Map.groupBy(comparisons, ({ variant }) => variant).values()].flatMap((own) => {
    const [first] = own;
    const why = ({ reasons }: Comparison) => reasons.join('\n');
    if (!first || own.length === 1) return own;
    if (own.some((row) => row.ratio !== null || why(row) !== why(first))) return own;
    return { ...first, metrics: own.length };
  });
}

function columnsOf(lines: readonly Line[]): Column<Line>[] {
  const interval = lines.find((line) => line.interval)?.interval;
  // Nothing is paired with an earlier run.
  const pairsOf = lines[0]?.against === 'earlier' ? '' : 'pairs of ';
  const changeOf = ({ ratio, interval }: Line) => (ratio === null ? null : change(ratio, interval));
  return [
    variantColumn,
    left('Metric', (line) => (line.metrics ? `all ${line.metrics}` : metricOf(line))),
    right(bothTitle(lines[0]?.against ?? 'base'), (line) => bothNumbers(line) || NOTHING),
    { ...right('Δ', (line: Line) => changeOf(line)?.value ?? NOTHING), isMain: true },
    right(interval ? levelOf(interval) : 'interval', (line) => changeOf(line)?.interval || NOTHING),
    left('picture of the interval', (line) => ({ range: line }), { isPicture: true }),
    left('Verdict', verdictCell, { long: true }),
    right(`${pairsOf}starts`, ({ pairs }) => String(pairs)),
    right(`${pairsOf}slices`, ({ slices }) => String(slices)),
  ];
}

const DETAILS: readonly Column<Line>[] = [
  right('left out', ({ dropped }) => String(dropped)),
  right('spread of starts', ({ spread }) => (spread === null ? NOTHING : `${(spread * 100).toFixed(2)} %`)),
  right('p, corrected', ({ adjustedP }) => (adjustedP === null ? NOTHING : probability(adjustedP))),
  right('detectable', ({ detectable }) => (detectable === null ? NOTHING : `≥ ${atMost(detectable)}`)),
];

function verdictCell(line: Line): Text {
  const { primary, verdict, reasons } = line;
  const words = describeVerdict(line);
  const why: Text = reasons.length > 0 ? ['; ', { text: reasons.join('; ') }] : '';
  if (verdict !== 'slower' && verdict !== 'faster') return [words, why];
  const tone = verdict === 'slower' ? 'bad' : 'good';
  return [primary ? { strong: words, tone } : `${words} (note)`, why];
}

function probability(p: number): string {
  return p < 0.0001 ? '< 0.0001' : p.toPrecision(2);
}

/** The metric, and how it was come by where that is another way than the others'. */
function metricOf({ metric, how }: Comparison): string {
  return how === 'together' ? `${nounOf(metric)}, both at once` : nounOf(metric);
}
