import { isTooNoisy } from '../../analyse/judge/compare.ts';
import { eachQuantile } from '../../results/quantiles.ts';
import type { CompareMetric, Comparison } from '../../results/results.ts';
import { atMost, bytesOfBoth, change, digits } from './numbers.ts';

/** Makes text of others fit for where it is printed: names in code where there is such a thing, and running text. */
export interface Names {
  name: (label: string) => string;
  text: (text: string) => string;
}

/** Name of a metric beside a number. */
const NOUNS: Record<CompareMetric, string> = {
  rps: 'RPS',
  ...eachQuantile((quantile) => quantile),
  cpu: 'CPU per request',
  memory: 'memory',
  services: 'CPU of services per request',
};

export function nounOf(metric: CompareMetric): string {
  return NOUNS[metric];
}

/** The verdict on any metric, the same words for all: `worse`, `better`, `no change above 1.2 %`, `too noisy to tell`. */
export function describeVerdict(comparison: Comparison): string {
  const { verdict, margin } = comparison;
  switch (verdict) {
    case 'no-difference':
      return margin === null ? 'no change' : `no change above ${atMost(margin)}`;
    case 'inconclusive':
      return isTooNoisy(comparison) ? 'too noisy to tell' : 'cannot tell';
    default:
      return verdict === 'slower' ? 'worse' : 'better';
  }
}

/** The verdict on the primary metric in a word or two beside its number; without colour it still shows which it is. */
export function markOf({ verdict, margin }: Comparison): string {
  switch (verdict) {
    case 'no-difference':
      return margin === null ? '= no difference' : `= within ${atMost(margin)}`;
    case 'inconclusive':
      return '? cannot tell';
    default:
      return verdict;
  }
}

/** A comparison with the names of both sides, formatted for the medium. */
export interface NamedComparison {
  comparison: Comparison;
  /** `apache`, or with several scenarios: `apache` in `json`. */
  subject: string;
  /** `main`, `apache`, the earlier run. */
  against: string;
}

/** `CPU per request +4.8 % (99 % interval +3.9…+5.7 %)` */
export function tellAmount({ metric, ratio, interval }: Comparison): string {
  if (ratio === null) return 'by an unknown amount';
  const found = change(ratio, interval);
  const value = `${NOUNS[metric]} ${found.value}`;
  if (!interval) return value;
  const unit = found.value.endsWith('%') ? ' %' : '';
  return `${value} (${levelOf(interval)} ${found.interval}${unit})`;
}

/** Both sides' numbers, the base first: `0.412 → 0.431 ms`; empty where they are not known. */
export function bothNumbers({ metric, values }: Pick<Comparison, 'metric' | 'values'>): string {
  if (!values) return '';
  const { reference, variant } = values;
  if (metric === 'memory') return bytesOfBoth(reference, variant);
  const [scale, unit] =
    metric === 'rps' ? [1, 'rps'] : [metric === 'cpu' || metric === 'services' ? 1000 : 1, 'ms'];
  return `${digits(reference / scale)} → ${digits(variant / scale)} ${unit}`;
}

/** Title of the column with both numbers: `base → head`. */
export function bothTitle(against: Comparison['against']): string {
  return { base: 'base → head', earlier: 'earlier → now', reference: 'reference → variant' }[against];
}

/** `99 % interval` */
export function levelOf({ level }: NonNullable<Comparison['interval']>): string {
  return `${Number((level * 100).toFixed(1))} % interval`;
}
