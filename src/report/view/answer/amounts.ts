import type { Comparison } from '../../../results/results.ts';
import { givenPercent } from '../../../text/percent.ts';
import { change } from '../../words/numbers.ts';
import { isFit } from '../../words/verdicts.ts';
import type { ChangeRow } from './changerows.ts';

/** `+4.1 to +5.6 %`; empty where there is none. */
export function rangeOf({ ratio, interval }: Pick<Comparison, 'ratio' | 'interval'>): string {
  if (ratio === null || !interval) return '';
  const found = change(ratio, interval);
  const unit = found.value.endsWith('%') ? ' %' : '';
  return found.interval.replace('…', ' to ') + unit;
}

/** The limit of its gate, unrounded: `3 %`, `2.25 %`; empty where it has none. */
export function limitOf({ gate }: ChangeRow): string {
  return gate ? givenPercent(gate.gate.above) : '';
}

/** Whether it has a number to show. A side that failed or answered wrongly gives none. */
export function hasNumber({ row, other }: ChangeRow, comparison: Comparison | null): boolean {
  return comparison !== null && isFit(comparison, [row, other]);
}
