import type { CompareMetric, Comparison } from '../results/results.ts';
import { list } from '../text/plain.ts';
import { atMost, bytesOfBoth, change, digits } from './numbers.ts';

/** Makes text of others fit for where it is printed: names in code where there is such a thing, and running text. */
export interface Medium {
  name: (label: string) => string;
  text: (text: string) => string;
}

type Verdict = Comparison['verdict'];

/** What a metric is called beside a number. */
const NOUNS: Record<CompareMetric, string> = {
  rps: 'RPS',
  p50: 'p50',
  p95: 'p95',
  p99: 'p99',
  cpu: 'CPU per request',
  memory: 'memory',
  services: 'CPU of services per request',
};

export function nounOf(metric: CompareMetric): string {
  return NOUNS[metric];
}

/** `slower`, `p99 faster`, `more CPU per request`, `less memory`. */
function differenceOf({ metric, verdict }: Comparison): string {
  const worse = verdict === 'slower';
  if (metric === 'cpu' || metric === 'memory' || metric === 'services')
    return `${worse ? 'more' : 'less'} ${NOUNS[metric]}`;
  return `${metric === 'rps' ? '' : `${metric} `}${worse ? 'slower' : 'faster'}`;
}

/** The verdict on any metric in words of its own: `more CPU per request`, `no difference above 1.2 %`. */
export function describeVerdict(comparison: Comparison): string {
  switch (comparison.verdict) {
    case 'no-difference':
      return noDifference([comparison]);
    case 'inconclusive':
      return ['inconclusive', couldHaveSeen([comparison])].filter(Boolean).join(': ');
    default:
      return differenceOf(comparison);
  }
}

/** The verdict on the primary metric in a word or two beside its number; without colour it still says which it is. */
export function markOf({ verdict, margin }: Comparison): string {
  switch (verdict) {
    case 'no-difference':
      return margin === null ? '= no difference' : `= within ${atMost(margin)}`;
    case 'inconclusive':
      return '? inconclusive';
    default:
      return verdict;
  }
}

/** `no difference above 1.2 %`; of several the least that holds for all. */
function noDifference(comparisons: readonly Comparison[]): string {
  const margins = comparisons.map(({ margin }) => margin);
  if (margins.includes(null)) return 'no difference';
  return `no difference above ${atMost(Math.max(...(margins as number[])))}`;
}

/** `could have seen ≥ 2.4 %`; of several the least that would have been seen in all; empty where that is not known. */
function couldHaveSeen(comparisons: readonly Comparison[]): string {
  const all = comparisons.map(({ detectable }) => detectable);
  if (all.includes(null)) return '';
  return `could have seen ≥ ${atMost(Math.max(...(all as number[])))}`;
}

/** What is compared with what, by names; made fit for printing by the medium. */
export interface Named {
  comparison: Comparison;
  /** `apache`, or with several scenarios: `apache` in `json`. */
  subject: string;
  /** `main`, `apache`, the earlier run. */
  against: string;
}

/** A sentence, and what it is about. */
export interface Told {
  kind: Verdict | 'missing';
  text: string;
}

/** What is worth reading first stands first: sure differences, the bad ones before the good ones. */
const ORDER: readonly Verdict[] = ['slower', 'faster', 'inconclusive', 'no-difference'];

/**
 * What came of comparisons in a few sentences, one for each kind of verdict, most important first. Metric and
 * counterpart are named where they are not clear from the sentence before.
 */
export function tell(named: readonly Named[], medium: Medium): Told[] {
  let last: Pick<Comparison, 'metric'> & { against: string } = { metric: 'memory', against: '' };
  return ORDER.flatMap((verdict) => {
    const found = named.filter(({ comparison }) => comparison.verdict === verdict);
    const group = verdict === 'slower' || verdict === 'faster' ? found.sort(largestFirst) : found;
    const [first] = group;
    if (!first) return [];
    const known = group.every(
      ({ comparison, against }) => comparison.metric === last.metric && against === last.against,
    );
    const text = sentence(group as [Named, ...Named[]], known, medium);
    last = { metric: first.comparison.metric, against: first.against };
    return [{ kind: verdict, text }];
  });
}

function largestFirst({ comparison: a }: Named, { comparison: b }: Named): number {
  const size = ({ ratio }: Comparison) => Math.abs(Math.log(ratio ?? 1));
  return size(b) - size(a);
}

/** Of those in a group that differ surely, these many are given with their numbers. */
const WITH_NUMBERS = 3;

function sentence(group: readonly [Named, ...Named[]], known: boolean, medium: Medium): string {
  const [first] = group;
  const comparisons = group.map(({ comparison }) => comparison);
  const metrics = [...new Set(comparisons.map(({ metric }) => NOUNS[metric]))];
  const subjects = list(group.map(({ subject }) => subject));
  const { verdict } = first.comparison;
  switch (verdict) {
    case 'no-difference':
      return known
        ? `${subjects}: ${noDifference(comparisons)}.`
        : `${subjects}: ${noDifference(comparisons)} from ${first.against} in ${list(metrics)}.`;
    case 'inconclusive':
      return inconclusive(group, known ? '' : ` in ${list(metrics)} against ${first.against}`, medium);
    default: {
      if (group.length === 1)
        return `${first.subject} is ${verdict} than ${first.against}: ${amount(first.comparison, metrics)}.`;
      const shown = group.length > WITH_NUMBERS + 1 ? group.slice(0, WITH_NUMBERS) : group;
      const parts = shown.map(({ subject, comparison }, i) => {
        const noun = i === 0 || metrics.length > 1 ? [NOUNS[comparison.metric]] : [];
        return `${subject} (${amount(comparison, noun, true)})`;
      });
      const left = group.length - shown.length;
      const start = verdict === 'slower' ? 'Slower' : 'Faster';
      return `${start} than ${first.against}: ${list(left > 0 ? [...parts, `${left} others`] : parts)}.`;
    }
  }
}

/** `CPU per request +4.8 % (99 % interval +3.9…+5.7 %)`; inside brackets `+4.8 %, 99 % interval +3.9…+5.7 %`. */
function amount({ ratio, interval }: Comparison, nouns: readonly string[], inside = false): string {
  if (ratio === null) return 'by how much is not known';
  const found = change(ratio, interval);
  const value = [...nouns, found.value].join(' ');
  if (!interval) return value;
  const unit = found.value.endsWith('%') ? ' %' : '';
  const range = `${levelOf(interval)} ${found.interval}${unit}`;
  return inside ? `${value}, ${range}` : `${value} (${range})`;
}

/**
 * With what was measured all the same, and the reason of all, or each with its own; the first reason of several, the details
 * have the rest.
 */
function inconclusive(group: readonly Named[], where: string, medium: Medium): string {
  const reasonOf = ({ comparison }: Named) => medium.text(comparison.reasons[0] ?? '');
  const seen = couldHaveSeen(group.map(({ comparison }) => comparison));
  const own = group.some((named) => reasonOf(named) !== reasonOf(group[0] as Named));
  const amounts = group.map(({ comparison }) =>
    comparison.ratio === null ? '' : amount(comparison, [], true),
  );
  const [only] = group.length === 1 ? amounts : [];
  const subjects = list(
    group.map((named, i) => {
      const inside = [only ? '' : amounts[i], own ? reasonOf(named) : ''].filter(Boolean).join('; ');
      return inside ? `${named.subject} (${inside})` : named.subject;
    }),
  );
  const shared = own ? '' : reasonOf(group[0] as Named);
  const why = [only, seen, shared].filter(Boolean).join('; ');
  return `Inconclusive for ${subjects}${where}${why ? `: ${why}` : ''}.`;
}

/** `CPU per request +4.8 % (99 % interval +3.9…+5.7 %)` */
export function tellAmount(comparison: Comparison): string {
  return amount(comparison, [NOUNS[comparison.metric]]);
}

/** Both sides' numbers, the other side's first: `0.412 → 0.431 ms`; empty where they are not known. */
export function bothNumbers({ metric, values }: Pick<Comparison, 'metric' | 'values'>): string {
  if (!values) return '';
  const { reference, variant } = values;
  if (metric === 'memory') return bytesOfBoth(reference, variant);
  const [scale, unit] =
    metric === 'rps' ? [1, 'rps'] : [metric === 'cpu' || metric === 'services' ? 1000 : 1, 'ms'];
  return `${digits(reference / scale)} → ${digits(variant / scale)} ${unit}`;
}

/** What stands over them: `base → head`. */
export function bothTitle(against: Comparison['against']): string {
  return { base: 'base → head', earlier: 'earlier → now', reference: 'reference → variant' }[against];
}

/** `99 % interval` */
export function levelOf({ level }: NonNullable<Comparison['interval']>): string {
  return `${Number((level * 100).toFixed(1))} % interval`;
}
