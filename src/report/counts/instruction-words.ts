import type { CountRow } from '../../analyse/counted.ts';
import type { ScenarioSummary } from '../../analyse/summary.ts';
import { type Names, tellAmount } from '../words/changes.ts';

/** The words on instructions: a page does more work, or less. It is never called slower. */

const FIVE = { minimumSignificantDigits: 5, maximumSignificantDigits: 5 };

/** `15.743 M`: five digits, so that a change of 0.1 % is seen. */
export function millions(value: number): string {
  return `${(value / 1e6).toLocaleString('en', FIVE)} M`;
}

/** `floor 0.0095 %`; empty where there is none. */
export function tellFloor({ side: { floorRatio } }: CountRow): string {
  return floorRatio === undefined ? '' : `floor ${Number((floorRatio * 100).toPrecision(2))} %`;
}

/** `/ does more work: instructions 15.743 M → 15.823 M per request (+0.51 %, floor 0.0095 %)` */
export function tellWork(row: CountRow, both: string, medium: Names): string {
  const { endpoint, change } = row;
  const who = endpoint === null ? 'the app' : medium.name(endpoint);
  const what = {
    more: 'does more work',
    fewer: 'does less work',
    same: 'does the same work',
    inconclusive: '',
  };
  const verdict = what[change?.verdict ?? 'inconclusive'] || 'cannot be judged';
  const found = [percentOf(change?.ratio ?? null), tellFloor(row)].filter(Boolean).join(', ');
  return `${who} ${verdict}: instructions ${both} per request${found && ` (${found})`}`;
}

function percentOf(ratio: number | null): string {
  if (ratio === null) return '';
  const percent = ((ratio - 1) * 100).toFixed(2);
  return `${percent.startsWith('-') ? percent.replace('-', '−') : `+${percent}`} %`;
}

/** The verdict on CPU per request, if it surely changed in the other direction. */
export function contradictCpu({ name, variant, change }: CountRow, { comparisons }: ScenarioSummary): string {
  if (name !== 'instructions' || change === null) return '';
  const cpu = comparisons.find(
    (one) => one.metric === 'cpu' && one.variant === variant && one.reference === change.reference,
  );
  const isOpposite =
    (change.verdict === 'more' && cpu?.verdict === 'faster') ||
    (change.verdict === 'fewer' && cpu?.verdict === 'slower');
  return cpu && isOpposite ? `, although ${tellAmount(cpu)}` : '';
}
