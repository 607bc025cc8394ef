import type { Summary } from '../../../analyse/summary.ts';
import { listNames } from '../../../text/plain.ts';
import { type Names, nounOf } from '../../words/changes.ts';
import { describeFailure } from '../../words/unranked.ts';
import { counterpart } from '../../words/verdicts.ts';
import { type ChangeRow, onceEach } from './changerows.ts';

/** Whether the checkout is its own base, as on the default branch: there is nothing to compare, and nothing is wrong. */
export function isOwnBase({
  plan,
  warnings,
  variants,
}: Pick<Summary, 'plan' | 'warnings' | 'variants'>): boolean {
  const isSame = warnings.some(({ code, variant }) => code === 'same-as-base' && variant === null);
  // One machine may lack the base that another has measured.
  const isMeasured = variants.some(({ ref }) => ref !== null);
  return isSame && !isMeasured && (plan.compareTo?.reason ?? null) !== null;
}

/** Variants that could not be compared, and why, in two parts of a sentence. */
interface Missing {
  /** `Not compared with main` */
  start: string;
  because: string;
}

/** So many reasons are given. */
const NAMED = 3;

/** Null where all was compared. */
export function tellMissing(rows: readonly ChangeRow[], summary: Summary, medium: Names): Missing | null {
  const start = tellUncompared(rows, summary, medium);
  const { compareTo } = summary.plan;
  if (compareTo?.reason) return { start, because: medium.text(compareTo.reason) };
  const uncompared = rows.filter(({ kind }) => kind === 'uncompared');
  const alike = Map.groupBy(uncompared, (row) => because(row, rows, summary, medium));
  const without = withoutTwin(rows, summary, medium);
  const [reason] = alike.keys();
  // The table has their names.
  if (reason && alike.size === 1 && uncompared.length === rows.length && without.length === 0)
    return { start, because: reason };
  const missing = [...alike].map(([why, own]) => {
    const names = listNames(onceEach(own, ({ name }) => name));
    return why ? `${names} (${why})` : names;
  });
  const all = [...missing, ...(without.length > 0 ? [`${listNames(without)} (no counterpart)`] : [])];
  const left = all.length - NAMED;
  const shown = left > 0 ? [...all.slice(0, NAMED), `${left} more`] : all;
  return shown.length > 0 ? { start, because: shown.join('; ') } : null;
}

/** `Not compared with main` */
export function tellUncompared(rows: readonly ChangeRow[], summary: Summary, medium: Names): string {
  const { compareTo } = summary.plan;
  const [first] = rows;
  if (first && !compareTo?.reason)
    return `Not compared with ${counterpart(first.comparison, summary, medium)}`;
  return `Not compared with ${compareTo?.given === 'base' ? 'the base' : medium.name(compareTo?.given ?? '')}`;
}

/** `main failed to build: composer install failed`, or what the comparison gives as its reason. */
function because(of: ChangeRow, all: readonly ChangeRow[], summary: Summary, medium: Names): string {
  const { row, other, comparison } = of;
  const [reason = ''] = comparison.reasons;
  const [own, base] = [row, other].map((side) => `${side?.label ?? ''} failed: `) as [string, string];
  if (other?.state.kind === 'failed' && reason.startsWith(base)) {
    const target = counterpart(comparison, summary, medium);
    const why = medium.text(reason.slice(base.length));
    return `${placeAmong(of, all)}${target} ${describeFailure(other.state)}: ${why}`;
  }
  const text = reason.startsWith(own) ? reason.slice(own.indexOf(' failed: ') + 1) : reason;
  return text && `${placeAmong(of, all)}${medium.text(text)}`;
}

/** The metric, or the scenario, of one that was not compared where others of the variant were; else empty. */
function placeAmong({ comparison, where }: ChangeRow, all: readonly ChangeRow[]): string {
  const compared = all.filter(
    (row) => row.kind !== 'uncompared' && row.comparison.variant === comparison.variant,
  );
  if (compared.some((row) => row.where === where)) return `${nounOf(comparison.metric)}: `;
  return compared.length > 0 ? `${where}: ` : '';
}

/** Those that the other ref does not have. */
function withoutTwin(rows: readonly ChangeRow[], { plan, variants }: Summary, { name }: Names): string[] {
  if (!plan.compareTo) return [];
  const compared = new Set(rows.map(({ comparison }) => comparison.variant));
  return variants.filter(({ id, ref }) => ref === null && !compared.has(id)).map(({ label }) => name(label));
}
