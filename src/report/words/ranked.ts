import { lacksOnlyRate } from '../../analyse/judge/compare.ts';
import { isMore, isTail } from '../../analyse/judge/rank.ts';
import type { Row, ScenarioSummary, Summary, Tuned } from '../../analyse/summary.ts';
import type { Estimate } from '../../stats/estimate.ts';
import { listNames, plural } from '../../text/plain.ts';
import { digits, estimated, held, ms, points } from './numbers.ts';

/** Makes a variant's label fit for where it is printed. */
export type Name = (label: string) => string;

/** The result in a sentence; it claims nothing that the intervals do not show. */
export function verdict(scenario: ScenarioSummary, name: Name): string {
  const { metric, rows, bases } = scenario;
  const amount = (row: Row) => amountIn(metric, row);
  const measure = metric === 'holds' ? 'sustained ' : metric === 'rps' ? '' : `${metric} `;
  const ranked = rows.filter((row) => row.state.kind === 'ranked');
  const isOnce = (row: Row) => row[metric]?.over !== 'instances';
  // The interval of a single ramp is that of its levels.
  const another = `another start may differ${metric === 'holds' ? '' : ' by about 1 %'}`;
  const [first, second] = ranked;
  if (!first) return 'No variant could be ranked.';
  if (!second) {
    const alone =
      rows.length > 1
        ? '; no other variant could be ranked'
        : bases.length > 0
          ? ''
          : '; there is nothing to compare it with';
    return `${name(first.label)}: ${measure}${amount(first)}${alone}.`;
  }
  if (scenario.best) {
    const limit = withoutBound(
      rows.filter((row) => row.state.kind === 'generator-bound'),
      name,
    );
    const lead = `${name(first.label)} ${BEST[metric]}: ${amount(first)}, ${distance(scenario, first, second)} ${name(second.label)} (${amount(second)}).`;
    return `${limit}${lead}${isOnce(first) ? ` Each was started only once; ${another}.` : ''}`;
  }
  const tied = ranked.filter((row) => row.state.kind === 'ranked' && row.state.rank === 1);
  const isBound = metric === 'holds' && tied.every((row) => row.holds?.kind === 'beyond');
  const isWhole = isBound && tied.every((row) => row.holds?.isWhole);
  const below = tied.filter((row) => isBelow(metric, row));
  const range = isWhole ? 'they sustained the whole ramp' : `${measure}${rangeOf(metric, tied)}`;
  // A bound has no spread, however often it was measured.
  const why = isWhole
    ? 'only a higher ramp can separate them'
    : isBound
      ? 'which are only lower bounds'
      : below.length > 0
        ? below.length < tied.length
          ? 'some of which sustained no rate of the ramp'
          : 'only a lower ramp can separate them'
        : tied.some((row) => metric === 'holds' && row.holds?.kind === 'beyond')
          ? 'some of which are only lower bounds'
          : isTail(metric) && tied.some(isOnce)
            ? `${tied.every(isOnce) ? 'each was' : 'some were'} started only once, ${ofUnknownTail(metric)}`
            : tied.some((row) => row[metric]?.half == null)
              ? 'measured too little to know their spread'
              : scenario.basis === 'paired'
                ? 'no paired test separates them'
                : tied.every(isOnce) && !tied.every((row) => overlaps(row[metric], tied[0]?.[metric]))
                  ? `each was started only once, and ${another}`
                  : 'their 95 % intervals overlap';
  return `No clear best between ${listNames(tied.map((row) => name(row.label)))}: ${range}, ${why}${behind(ranked.slice(tied.length), name)}.`;
}

/** `960–1,000 rps`, or `less than 5.00 to 40.0 rps` if one sustained not even the lowest rate of the ramp. */
function rangeOf(metric: ScenarioSummary['metric'], rows: readonly Row[]): string {
  const values = rows.map((row) => row[metric]?.value ?? 0);
  const [least, most] = [digits(Math.min(...values)), digits(Math.max(...values))];
  const unit = isMore(metric) ? 'rps' : 'ms';
  if (rows.some((row) => isBelow(metric, row)))
    return `less than ${least}${least === most ? '' : ` to ${most}`} ${unit}`;
  return `${least === most ? `about ${most}` : `${least}–${most}`} ${unit}`;
}

/** Whether it sustained nothing of a ramp: its number is the lowest rate, which was too much. */
function isBelow(metric: ScenarioSummary['metric'], { holds }: Pick<Row, 'holds'>): boolean {
  return metric === 'holds' && holds?.kind === 'below';
}

/** The ranked number as a bar shows it; null: nothing was sustained. */
export function drawnValue(metric: ScenarioSummary['metric'], row: Row): Estimate | null {
  return isBelow(metric, row) ? null : row[metric];
}

/** `With swoole left out, `: before the best where the load generator was the limit of others, whose place is open. */
export function withoutBound(bound: readonly { label: string }[], name: Name): string {
  return bound.length > 0 ? `With ${listNames(bound, ({ label }) => name(label))} left out, ` : '';
}

/** Advantage of the first in a ranking, by metric. */
export const BEST: Record<ScenarioSummary['metric'], string> = {
  ...{ rps: 'has the highest RPS', holds: 'sustains the highest rate' },
  ...{ p95: 'has the lowest p95', p99: 'has the lowest p99' },
};

/** Why p95 or p99 of one start decides nothing. */
export function ofUnknownTail(metric: Tuned['measure']): string {
  return `which does not show how ${metric} differs between starts`;
}

function amountIn(metric: ScenarioSummary['metric'], row: Row): string {
  if (metric === 'holds') return `${held(row.holds)} rps`;
  return `${estimated(row[metric])} ${metric === 'rps' ? 'rps' : 'ms'}`;
}

/** Whether the intervals as they are printed overlap, without what starts differ by. */
function overlaps(a: Estimate | null, b: Estimate | null | undefined): boolean {
  return !!a && !!b && Math.abs(a.value - b.value) <= (a.half ?? 0) + (b.half ?? 0);
}

/**
 * Those that do not share the first place. Each has one above it that is surely better, but not all above it need be: a
 * variant may differ surely from the third, and not from the second.
 */
function behind(rest: readonly Row[], name: Name): string {
  const [first] = rest;
  if (!first) return '';
  if (rest.length === 1) return `; ${name(first.label)} is surely behind at least one of them`;
  return `; ${plural(rest.length, 'other')} are each surely behind at least one of them`;
}

/** How far the first is ahead of the second: `11 % ahead of`, `2.4 times as much as`, `35 % below`. */
function distance(scenario: ScenarioSummary, first: Row, second: Row): string {
  const { metric } = scenario;
  const isBound = first.holds?.kind === 'beyond' || second.holds?.kind === 'below';
  const [a, b] = [first[metric]?.value ?? 0, second[metric]?.value ?? 0];
  const ratio = pairedRatio(scenario, first, second) ?? a / (b || 1);
  // Paired starts decide. The numbers over all starts can point the other way where a start lacks one of the two.
  if (isMore(metric) ? a >= b : a <= b)
    return `${metric === 'holds' && isBound ? 'at least ' : ''}${gapOf(metric, ratio)}`;
  return `in paired starts ${gapTowards(metric, ratio)}`;
}

/** The gap, or only its direction if the ratio points the other way. */
export function gapTowards(metric: ScenarioSummary['metric'], ratio: number): string {
  if (isMore(metric) ? ratio > 1 : ratio < 1) return gapOf(metric, ratio);
  return isMore(metric) ? 'ahead of' : 'below';
}

/** @param ratio the first ÷ the second */
export function gapOf(metric: ScenarioSummary['metric'], ratio: number): string {
  if (!isMore(metric)) return `${points(1 - ratio)} below`;
  return ratio >= 2 ? `${digits(ratio)} times as much as` : `${points(ratio - 1)} ahead of`;
}

/** From pairs of starts where the two were compared, so that the sentence and the table agree; else null. */
function pairedRatio({ metric, comparisons }: ScenarioSummary, a: Row, b: Row): number | null {
  const paired = (one: Row, other: Row) =>
    comparisons.find(
      ({ variant, reference, metric: of }) =>
        variant === one.variant && reference === other.variant && of === metric,
    )?.ratio;
  const back = paired(b, a);
  return paired(a, b) ?? (back ? 1 / back : null);
}

/** In what another variant is better than the first of the ranking; empty where nobody knows of anything. */
export function tradeOffs(scenario: ScenarioSummary, name: Name): string {
  return [tailVerdict(scenario, name), cpuVerdict(scenario, name)].filter(Boolean).join(' ');
}

/**
 * The verdict if the first by RPS answers its slowest requests later than another does:
 * `nginx-fpm has a lower p99 (37.4 ms), at a lower rate.`
 *
 * It is empty if the first is not the reference: the others are then compared with something else.
 */
function tailVerdict({ metric, rows, best, comparisons }: ScenarioSummary, name: Name): string {
  const first = rows.find(({ variant }) => variant === best);
  if (metric !== 'rps' || !first) return '';
  const faster = comparisons.filter(
    ({ against, reference, verdict }) =>
      against === 'reference' && reference === best && verdict === 'faster',
  );
  const found = (['p95', 'p99'] as const).flatMap((tail) => {
    const value = (row: Row) => row[tail]?.value ?? Infinity;
    // A sure ratio of paired starts need not show in the numbers over all starts.
    const isLower = (row: Row) =>
      value(row) < value(first) && ms(row[tail]?.value) !== ms(first[tail]?.value);
    const lower = rows.filter(
      (row) =>
        row.state.kind === 'ranked' &&
        faster.some(({ variant, metric: of }) => variant === row.variant && of === tail) &&
        ![first, row].some(({ doubtful }) => doubtful.includes(tail)) &&
        isLower(row),
    );
    const [lowest] = lower.sort((a, b) => value(a) - value(b));
    return lowest ? [{ row: lowest, text: `${tail} (${ms(lowest[tail]?.value)} ms)` }] : [];
  });
  return [...Map.groupBy(found, ({ row }) => row.label)]
    .map(
      ([label, own]) =>
        `${name(label)} has a lower ${listNames(own.map(({ text }) => text))}, at a lower rate.`,
    )
    .join(' ');
}

/** CPU per request if it shows more than the ranking does: it is the steadiest number there is. Else empty. */
function cpuVerdict({ rows, best, cheapest }: ScenarioSummary, name: Name): string {
  const row = rows.find(({ variant }) => variant === cheapest);
  if (!row || best === cheapest) return '';
  const others = rows.filter((other) => other.state.kind === 'ranked' && other !== row);
  const next = Math.min(...others.map((other) => other.cpuMsPerRequest?.value ?? Infinity));
  const own = row.cpuMsPerRequest?.value ?? 0;
  const saved = 1 - own / next;
  const gap = saved > 0 ? `, ${points(saved)} below the next` : ', by paired starts';
  const isLess = (other: Row) => lacksOnlyRate(other) && (other.cpuMsPerRequest?.value ?? Infinity) < own;
  const among = rows.some(isLess) ? 'Of the ranked variants, ' : '';
  return `${among}${name(row.label)} needs the least CPU per request: ${estimated(row.cpuMsPerRequest)} ms${gap}.`;
}

/** When a variant counts as surely better than another. */
export function placeRule({ scenarios }: Summary): string {
  if (scenarios.some(({ basis }) => basis === 'paired')) return 'by paired tests of fresh starts';
  const once = scenarios.filter(({ starts }) => starts === 1);
  const widened = once.some(({ metric }) => !isTail(metric)) ? ', even if another start differs by 1 %' : '';
  const untested = once.some(({ metric }) => isTail(metric))
    ? '; p95 and p99 of one start decide no place'
    : '';
  return `that is, whose intervals do not overlap${widened}${untested}`;
}
