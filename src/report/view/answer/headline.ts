import { isTooNoisy } from '../../../analyse/judge/compare.ts';
import { isWithin } from '../../../analyse/judge/gates.ts';
import type { Summary } from '../../../analyse/summary.ts';
import type { CompareMetric, Comparison } from '../../../results/results.ts';
import { listNames, plural } from '../../../text/plain.ts';
import { levelOf, nounOf } from '../../words/changes.ts';
import { atMost, change } from '../../words/numbers.ts';
import { describeFailure } from '../../words/unranked.ts';
import { counterpart } from '../../words/verdicts.ts';
import type { Medium } from '../medium.ts';
import { hasNumber, limitOf, rangeOf } from './amounts.ts';
import { type ChangeKind, type ChangeRow, MARKS, type Mark, onceEach } from './changerows.ts';
import { tellUncompared } from './missing.ts';

export interface Headline {
  mark: Mark;
  /** One sentence without its full stop, which names its metric. */
  headline: string;
  /** How sure it is, in sentences. */
  sure: readonly string[];
}

/** Did it get slower, by how much, how sure. */
export function headlineOf(rows: readonly ChangeRow[], summary: Summary, medium: Medium): Headline {
  const of = (...kinds: ChangeKind[]) => rows.filter(({ kind }) => kinds.includes(kind));
  const noisy = tellNoisy(of('noisy'), summary, medium);
  const [beyond] = of('beyond');
  if (beyond) {
    const others = of('beyond').length - 1;
    const rest = more(others, `${others === 1 ? 'exceeds' : 'exceed'} the limit`);
    const headline = `${effect(beyond, medium)} (limit: ${limitOf(beyond)})${rest}`;
    return { mark: 'bad', headline, sure: [sureOf(beyond), ...noisy] };
  }
  const failed = of('failed');
  if (failed.length > 0)
    return { mark: 'bad', headline: tellFailed(failed), sure: [...tellReasons(failed, medium), ...noisy] };
  const [slower] = of('slower');
  if (slower) {
    const rest = more(of('slower').length - 1, 'worse');
    const headline = `${effect(slower, medium)} (${limitWords(slower, summary)})${rest}`;
    return { mark: MARKS.slower, headline, sure: [sureOf(slower), ...noisy] };
  }
  return goodOrOpen(of('faster', 'same'), rows, summary, medium);
}

function goodOrOpen(
  judged: readonly ChangeRow[],
  rows: readonly ChangeRow[],
  summary: Summary,
  medium: Medium,
): Headline {
  const noisy = rows.filter(({ kind }) => kind === 'noisy');
  const sure = tellNoisy(noisy, summary, medium);
  const [first] = judged;
  if (first) {
    // With several metrics or scenarios a variant has several rows.
    const isOnePerVariant = new Set(rows.map(({ comparison }) => comparison.variant)).size === rows.length;
    const whole = plural(rows.length, isOnePerVariant ? 'variant' : 'result');
    const part =
      rows.length > judged.length ? ` ${isOnePerVariant ? 'on' : 'in'} ${judged.length} of ${whole}` : '';
    if (first.kind === 'same') return { mark: 'good', headline: tellSame(judged, medium) + part, sure };
    const rest = more(judged.filter(({ kind }) => kind === 'faster').length - 1, 'better');
    return { mark: 'good', headline: effect(first, medium) + rest, sure: [sureOf(first), ...sure] };
  }
  if (noisy.length === 0) return { mark: 'open', headline: tellUncompared(rows, summary, medium), sure };
  const metrics = listNames([...new Set(noisy.map(({ comparison }) => nounOf(comparison.metric)))]);
  const start = noisy.every(({ comparison }) => isTooNoisy(comparison)) ? 'Too noisy to tell' : 'Cannot tell';
  const subject = medium.subject.replace(/^T/, 't');
  return { mark: 'open', headline: `${start} whether ${subject} affects ${metrics}`, sure };
}

/** `; 2 more results exceed the limit` */
function more(count: number, what: string): string {
  return count > 0 ? `; ${plural(count, 'more result')} ${what}` : '';
}

function tellSame(same: readonly ChangeRow[], medium: Medium): string {
  const metrics = [...new Set(same.map(({ comparison }) => nounOf(comparison.metric)))];
  const margins = same.flatMap(({ comparison }) => comparison.margin ?? []);
  const above = margins.length === same.length ? ` by more than ${atMost(Math.max(...margins))}` : '';
  return `${medium.subject} does not affect ${metrics.join(' or ')}${above}`;
}

function tellFailed(failed: readonly ChangeRow[]): string {
  const [first] = failed;
  const state = first?.row?.state;
  const same = failed.every(
    ({ row }) => row?.state.kind === 'failed' && state?.kind === 'failed' && row.state.stage === state.stage,
  );
  const names = listNames(onceEach(failed, ({ name }) => name));
  return `${names} ${same && state?.kind === 'failed' ? describeFailure(state) : 'failed'}`;
}

/** Why they failed, once for all of one reason. */
function tellReasons(failed: readonly ChangeRow[], medium: Medium): string[] {
  const reasons = failed.flatMap(({ row }) => (row?.state.kind === 'failed' ? [row.state.reason] : []));
  const shown = [...new Set(reasons)].slice(0, NAMED).map((reason) => medium.text(reason).replace(/\.$/, ''));
  return shown.length > 0 ? [`Reason: ${shown.join('; ')}.`] : [];
}

function limitWords(row: ChangeRow, { plan }: Summary): string {
  if (!row.gate) return plan.gates.length > 0 ? 'no limit applies' : 'no limit is set';
  return isWithin(row.comparison, row.gate.gate.above)
    ? `within the limit of ${limitOf(row)}`
    : `limit: ${limitOf(row)}, maybe exceeded`;
}

/** `This PR makes apache use 4.8 % more CPU per request` */
function effect(row: ChangeRow, medium: Medium): string {
  const where = row.where ? ` in ${row.where}` : '';
  return `${medium.subject} makes ${row.name}${where} ${effectOf(row.comparison)}`;
}

/** Effect of the change, in words: `use 4.8 % more CPU per request`. */
export function effectOf({ metric, ratio, interval }: Comparison): string {
  if (ratio === null) return `change in ${nounOf(metric)}`;
  const { value } = change(ratio, interval);
  const { verb, noun, more, less } = EFFECTS[metric];
  if (value.startsWith('×')) return `${verb} ${value.slice(1)} times ${TIMES[metric]}`;
  return `${verb} ${value.replace(/^[+−]/, '')} ${ratio >= 1 ? more : less} ${noun}`;
}

const use = (noun: string) => ({ verb: 'use', more: 'more', less: 'less', noun });
const respond = (point: string) => ({
  ...{ verb: 'take', more: 'longer', less: 'less time', noun: `to respond (${point})` },
});
const EFFECTS: Record<CompareMetric, { verb: string; more: string; less: string; noun: string }> = {
  rps: { verb: 'serve', more: 'more', less: 'fewer', noun: 'requests per second' },
  ...{ p50: respond('p50'), p95: respond('p95'), p99: respond('p99') },
  ...{ cpu: use('CPU per request'), memory: use('memory'), services: use('CPU of services per request') },
};
const TIMES: Record<CompareMetric, string> = {
  rps: 'as many requests per second',
  ...{ p50: 'as long to respond (p50)', p95: 'as long to respond (p95)', p99: 'as long to respond (p99)' },
  ...{ cpu: 'as much CPU per request', memory: 'as much memory' },
  services: 'as much CPU of services per request',
};

/** `Certain enough to act on: all of the 99 % interval (+4.1 to +5.6 %) exceeds the limit.` */
function sureOf({ kind, comparison }: ChangeRow): string {
  const { interval } = comparison;
  if (!interval) return '';
  const range = rangeOf(comparison);
  if (kind === 'beyond')
    return `Certain enough to act on: all of the ${levelOf(interval)} (${range}) exceeds the limit.`;
  return `The ${levelOf(interval)} is ${range}, all of it ${kind === 'slower' ? 'worse' : 'better'} than no change.`;
}

/** So many are given with their numbers. */
const NAMED = 3;

/** `Too noisy to tell: nginx-fpm (tcp) +2.8 % CPU per request (−2.3 to +8.2 %).` A reason is shown with it. */
function tellNoisy(noisy: readonly ChangeRow[], summary: Summary, medium: Medium): string[] {
  const told = noisy.map((row) => {
    const [reason] = row.comparison.reasons;
    const { comparison } = row;
    const { ratio, interval, metric } = comparison;
    const numbers =
      ratio !== null && hasNumber(row, row.comparison)
        ? [
            `${change(ratio, interval).value} ${nounOf(metric)}${interval ? ` (${rangeOf(row.comparison)})` : ''}`,
          ]
        : [];
    const name = row.where ? `${row.name} in ${row.where}` : row.name;
    const text = [name, ...numbers].join(' ');
    const start = isTooNoisy(comparison) ? 'Too noisy to tell' : 'Cannot tell';
    const end = reason ? `: ${shortReason(reason, row, summary, medium)}.` : '.';
    return { comparison, start: `${start}${reason ? ' for' : ':'}`, end, text };
  });
  const groups = Map.groupBy(told, ({ start, end }) => JSON.stringify([start, end]));
  const sentences = [...groups.values()].map((same) => {
    const [{ start, end }] = same as [(typeof told)[number]];
    const all = onceEach(same, ({ text }) => text);
    const shown = all.slice(0, NAMED);
    const left = all.length - shown.length;
    const names = listNames(left > 0 ? [...shown, `${left} more`] : shown);
    return `${start} ${names}${end}`;
  });
  const left = sentences.length - NAMED;
  return left > 0 ? [...sentences.slice(0, NAMED), `The table has ${left} more.`] : sentences;
}

/** Beside its name a reason need not begin with it again. `in main: wrong answers`: several variants can share it. */
function shortReason(
  reason: string,
  { row, other, comparison }: ChangeRow,
  summary: Summary,
  medium: Medium,
): string {
  const [own, base] = [row, other].map((side) => (side ? `${side.label}: ` : null));
  if (own && reason.startsWith(own)) return medium.text(reason.slice(own.length));
  if (base && comparison.against === 'base' && reason.startsWith(base))
    return `in ${counterpart(comparison, summary, medium)}: ${medium.text(reason.slice(base.length))}`;
  return medium.text(reason);
}
