import type { Summary } from '../../../analyse/summary.ts';
import { listNames } from '../../../text/plain.ts';
import { type Names, nounOf } from '../../words/changes.ts';
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

/** Variants that could not be compared, and why; at most one sentence. */
export function tellMissing(rows: readonly ChangeRow[], summary: Summary, medium: Names): string[] {
  const { compareTo } = summary.plan;
  if (compareTo?.reason)
    return [`Not compared with ${targetOf(summary, medium)}: ${medium.text(compareTo.reason)}.`];
  const uncompared = rows.filter(({ kind }) => kind === 'uncompared');
  const missing = [
    ...onceEach(uncompared, (row) => because(row, rows, medium)),
    ...withoutTwin(rows, summary, medium),
  ];
  if (missing.length === 0) return [];
  const [first] = rows;
  const target = first ? counterpart(first.comparison, summary, medium) : targetOf(summary, medium);
  return [`Not compared with ${target}: ${listNames(missing)}.`];
}

function targetOf({ plan: { compareTo } }: Summary, { name }: Names): string {
  return compareTo?.given === 'base' ? 'the base' : name(compareTo?.given ?? '');
}

/** `apache (base) failed: it was not built` beside the name. */
function because(of: ChangeRow, all: readonly ChangeRow[], { text }: Names): string {
  const { name, row, comparison } = of;
  const [reason = ''] = comparison.reasons;
  const label = row?.label ?? '';
  const own = reason.startsWith(`${label} failed: `) ? reason.slice(label.length + 1) : reason;
  return own ? `${name} (${placeAmong(of, all)}${text(own)})` : name;
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
  return variants
    .filter(({ id, ref }) => ref === null && !compared.has(id))
    .map(({ label }) => `${name(label)} (no counterpart)`);
}
