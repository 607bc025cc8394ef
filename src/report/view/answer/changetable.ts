import { isWithin } from '../../../analyse/judge/gates.ts';
import type { Summary } from '../../../analyse/summary.ts';
import type { Comparison } from '../../../results/results.ts';
import { bothNumbers, describeVerdict, levelOf, nounOf } from '../../words/changes.ts';
import { change, NOTHING } from '../../words/numbers.ts';
import { counterpart } from '../../words/verdicts.ts';
import type { Medium } from '../medium.ts';
import type { Cell, Head, Table, Tone } from '../table.ts';
import { hasNumber, limitOf, rangeOf } from './amounts.ts';
import { type ChangeRow, MARKS } from './changerows.ts';
import { showsRate } from './notes.ts';

type Column = Head & { cell: (row: ChangeRow) => Cell | string };

/** Changes, worst first, one row for each variant and scenario. */
export function changeTable(rows: readonly ChangeRow[], summary: Summary, medium: Medium): Table {
  const columns = columnsOf(rows, summary, medium);
  return {
    columns: columns.map(({ key, title, align }) => ({ key, title, align })),
    rows: rows.map((row) => ({
      variant: row.comparison.variant,
      cells: columns.map(({ cell }) => {
        const found = cell(row);
        return typeof found === 'string' ? { text: found } : found;
      }),
    })),
  };
}

function columnsOf(rows: readonly ChangeRow[], summary: Summary, medium: Medium): Column[] {
  const left = (key: string, title: string, cell: Column['cell']): Column => ({
    ...{ key, title, align: 'left', cell },
  });
  const right = (key: string, title: string, cell: Column['cell']): Column => ({
    ...{ key, title, align: 'right', cell },
  });
  const [first] = rows;
  if (!first) return [];
  const metrics = new Set(rows.map(({ comparison }) => comparison.metric));
  const metric = metrics.size === 1 ? nounOf(first.comparison.metric) : '';
  const other = counterpart(first.comparison, summary, medium);
  const both = `${other} → ${medium.now}`;
  const level = rows.find(({ comparison }) => comparison.interval)?.comparison.interval;
  const limits = new Set(rows.flatMap((row) => (row.gate ? [limitOf(row)] : [])));
  const limit = limits.size === 1 ? ` ${[...limits][0]}` : '';
  const numbers = [
    right('both', metric ? `${metric}, ${both}` : both, (row) => fitting(row, row.comparison, bothNumbers)),
    right('change', 'Change', changeCell),
    left('interval', level ? levelOf(level) : 'Interval', (row) => fitting(row, row.comparison, rangeOf)),
  ];
  return [
    left('mark', '', (row) => toned(medium.marks[MARKS[row.kind]], row, false)),
    left('label', 'Variant', ({ name }) => name),
    ...(first.where ? [left('scenario', 'Scenario', ({ where }: ChangeRow) => where)] : []),
    ...(metric ? [] : [left('metric', 'Metric', ({ comparison }: ChangeRow) => nounOf(comparison.metric))]),
    ...(rows.some((row) => hasNumber(row, row.comparison)) ? numbers : []),
    left('verdict', 'Verdict', verdictCell),
    ...(limits.size > 0 ? [left('limit', `Limit${limit}`, (row) => limitCell(row, limit === ''))] : []),
    ...(showsRate(rows)
      ? [right('rps', `RPS, ${both}`, (row: ChangeRow) => fitting(row, row.rps, bothNumbers))]
      : []),
  ];
}

const TONES: Partial<Record<ChangeRow['kind'], Tone>> = {
  ...{ beyond: 'bad', failed: 'bad', slower: 'bad', faster: 'good' },
};

function toned(text: string, { kind }: ChangeRow, strong: boolean): Cell {
  const tone = TONES[kind];
  return { text, ...(strong && { strong }), ...(tone && { tone }) };
}

function isSure({ kind }: ChangeRow): boolean {
  return kind === 'beyond' || kind === 'slower' || kind === 'faster';
}

function fitting(
  row: ChangeRow,
  comparison: Comparison | null,
  tell: (comparison: Comparison) => string,
): string {
  return (comparison && hasNumber(row, comparison) && tell(comparison)) || NOTHING;
}

function changeCell(row: ChangeRow): Cell {
  const { ratio, interval } = row.comparison;
  if (ratio === null || !hasNumber(row, row.comparison)) return { text: NOTHING };
  return toned(change(ratio, interval).value, row, isSure(row));
}

function verdictCell(row: ChangeRow): Cell {
  const { kind, comparison } = row;
  switch (kind) {
    case 'failed':
      return toned('failed', row, true);
    case 'uncompared':
      return { text: 'not compared' };
    default:
      return toned(describeVerdict(comparison), row, isSure(row));
  }
}

/** State of the limit: `exceeded`, `maybe exceeded`, `not exceeded`, `cannot tell`; with its own limit if limits differ. */
function limitCell(row: ChangeRow, own: boolean): Cell {
  if (!row.gate) return { text: NOTHING };
  const { failed, judged, gate } = row.gate;
  const isKept = row.kind === 'faster' || isWithin(row.comparison, gate.above);
  const words = failed ? 'exceeded' : !judged ? 'cannot tell' : isKept ? 'not exceeded' : 'maybe exceeded';
  return toned(own ? `${limitOf(row)}: ${words}` : words, row, failed);
}
