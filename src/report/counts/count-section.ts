import type { CountChange, CountRow } from '../../analyse/counted.ts';
import type { ScenarioSummary } from '../../analyse/summary.ts';
import { describeCount } from '../../results/count-names.ts';
import {
  type Column,
  grid,
  left,
  right,
  type Section,
  section,
  type Text,
  variantColumn,
} from '../view/model.ts';
import { bothTitle } from '../words/changes.ts';
import { count, NOTHING } from '../words/numbers.ts';
import { bothCounts, countDelta, countRange, sideAmount } from './count-words.ts';
import { tellFloor } from './instruction-words.ts';

/** Counts per request: of both sides if there are two. */
export function countSection({ counts }: ScenarioSummary): Section[] {
  if (counts.length === 0) return [];
  const { change } = counts.find((row) => row.change !== null) ?? {};
  const columns: Column<CountRow>[] = [
    variantColumn,
    left('Count', ({ name }) => ({ text: describeCount(name).title })),
    ...(counts.some(({ endpoint }) => endpoint !== null)
      ? [left<CountRow>('Of', ({ endpoint }) => (endpoint === null ? 'all' : { name: endpoint }))]
      : []),
    ...(change ? compared(change) : [right<CountRow>('per request', loneAmount)]),
    right('starts', ({ side }) => count(side.instances)),
    right('repeats', ({ side }) => count(side.repeats)),
  ];
  return section('Counts per request', [grid('Counts per request', columns, counts), ...legendOf(counts)]);
}

const compared = ({ against }: CountChange): Column<CountRow>[] => [
  right(`${against === 'base' ? '' : `${bothTitle(against)}, `}per request`, ({ side, change, name }) =>
    change ? bothCounts(side, change, name) : loneAmount({ side, name }),
  ),
  right('Δ', ({ side, change, name }) => (change ? countDelta(side, change, name) : NOTHING)),
  right(
    '99 % interval',
    (row) => (row.change && countRange(row.change, row.name)) || tellFloor(row) || NOTHING,
  ),
  left('Verdict', ({ change }) => (change ? verdictText(change) : 'not compared')),
];

/** No verdict stands behind it. */
const loneAmount = ({ side, name }: Pick<CountRow, 'side' | 'name'>): Text =>
  side.failures > 0 ? `${sideAmount(side, name)}, some requests failed` : sideAmount(side, name);

function verdictText({ verdict, reasons }: NonNullable<CountRow['change']>): Text {
  switch (verdict) {
    case 'more':
      return { strong: 'more', tone: 'bad' };
    case 'fewer':
      return { strong: 'fewer', tone: 'good' };
    case 'same':
      return 'no change';
    default:
      return reasons.length > 0 ? ['cannot tell: ', { text: reasons.join('; ') }] : 'too noisy to tell';
  }
}

function legendOf(counts: readonly CountRow[]) {
  const hasFloor = counts.some(({ side }) => side.floorRatio !== undefined);
  return hasFloor ? [LEGEND, FLOOR] : [LEGEND];
}

const FLOOR = {
  kind: 'line',
  text: 'Instructions are those of PHP under callgrind: work, not time. Their floor is by how much equal counts differ. A change of up to 0.1 % counts as none.',
} as const;

const LEGEND = {
  kind: 'line',
  text: "Counted in a pass of its own after the verdict, with one client and one server at a time. A count without an interval was the same in all repeats, unless its verdict is 'cannot tell'. Other intervals are Student's t over fresh starts, or over repeats of one start.",
} as const;
