import { leadsOf } from '../../../analyse/judge/gates.ts';
import type { GateCheck, Row, ScenarioSummary, Summary } from '../../../analyse/summary.ts';
import type { Comparison, Gate } from '../../../results/results.ts';
import type { Names } from '../../words/changes.ts';
import { findVariant } from '../../words/verdicts.ts';

/** One comparison with the base, and what it means for somebody who has to decide. */
export interface ChangeRow {
  kind: ChangeKind;
  comparison: Comparison;
  /** The label, fit for the medium; with several scenarios `where` is the name of its own. */
  name: string;
  where: string;
  /** Its RPS, where that is not what the verdict goes by. */
  rps: Comparison | null;
  /** The gate that it was checked against: of several the one that failed, or the strictest. */
  gate: (GateCheck & { gate: Gate }) | null;
  row: Row | null;
  /** The row of what it was compared with. */
  other: Row | null;
}

/** In the order of the table: what has to be acted on comes first. */
const KINDS = ['beyond', 'failed', 'slower', 'noisy', 'uncompared', 'faster', 'same'] as const;
export type ChangeKind = (typeof KINDS)[number];

export type Mark = 'bad' | 'warn' | 'open' | 'good';

export const MARKS: Record<ChangeKind, Mark> = {
  ...{ beyond: 'bad', failed: 'bad', slower: 'warn', noisy: 'open', uncompared: 'open' },
  ...{ faster: 'good', same: 'good' },
};

/** Comparisons that decide verdicts or that gates name, against the other ref or an earlier run: worst first. */
export function changeRows(summary: Summary, medium: Names): ChangeRow[] {
  const gates = gatesOf(summary);
  const rows = summary.scenarios.flatMap((scenario) => rowsOf(scenario, summary, gates, medium));
  return rows.sort(
    (a, b) => KINDS.indexOf(a.kind) - KINDS.indexOf(b.kind) || sizeOf(b.comparison) - sizeOf(a.comparison),
  );
}

/** Texts on rows, each once for a variant: names that are cut may look alike. */
export function onceEach<T extends Pick<ChangeRow, 'comparison'>>(
  rows: readonly T[],
  tell: (row: T) => string,
): string[] {
  const texts = rows.map((row): [string, string] => {
    const text = tell(row);
    return [JSON.stringify([row.comparison.variant, text]), text];
  });
  return [...new Map(texts).values()];
}

function rowsOf(
  { facts, comparisons, rows, bases }: ScenarioSummary,
  summary: Summary,
  gates: ReadonlyMap<Comparison, ChangeRow['gate']>,
  medium: Names,
): ChangeRow[] {
  const changes = comparisons.filter(({ against }) => against !== 'reference');
  const leads = leadsOf(changes);
  const byId = new Map([...rows, ...bases].map((row) => [row.variant, row]));
  const rates = new Map(
    changes.flatMap((one) => (one.metric === 'rps' && !one.primary ? [[one.variant, one]] : [])),
  );
  return changes
    .filter((one) => leads.has(one) || one.primary || gates.get(one)?.gate.metric != null)
    .map((comparison) => {
      const { variant, reference, metric } = comparison;
      const gate = gates.get(comparison) ?? null;
      const row = byId.get(variant) ?? null;
      return {
        ...{ kind: kindOf(comparison, gate, row), comparison, gate, row },
        other: byId.get(reference) ?? null,
        name: medium.name(findVariant(summary, variant)?.label ?? variant),
        where: summary.scenarios.length > 1 ? medium.name(facts.name) : '',
        rps: metric === 'cpu' || metric === 'services' ? (rates.get(variant) ?? null) : null,
      };
    });
}

function kindOf(comparison: Comparison, gate: ChangeRow['gate'], row: Row | null): ChangeKind {
  const { verdict, pairs } = comparison;
  if (gate?.failed) return 'beyond';
  if (row?.state.kind === 'failed') return 'failed';
  if (verdict === 'slower' || verdict === 'faster') return verdict;
  if (verdict === 'no-difference') return 'same';
  return pairs > 0 ? 'noisy' : 'uncompared';
}

/** For each comparison the gate that matters most. */
function gatesOf({ gates }: Summary): Map<Comparison, ChangeRow['gate']> {
  const found = new Map<Comparison, NonNullable<ChangeRow['gate']>>();
  for (const { gate, checks } of gates) {
    for (const check of checks) {
      const known = found.get(check.comparison);
      const says = { ...check, gate };
      if (!known || weight(says) > weight(known)) found.set(check.comparison, says);
    }
  }
  return found;
}

function weight({ failed, gate }: NonNullable<ChangeRow['gate']>): number {
  return (failed ? 1000 : 0) - gate.above;
}

/** The size of a change. The size of an unsure one means little: it stays in the order of the plan. */
function sizeOf({ ratio, verdict }: Comparison): number {
  return verdict === 'inconclusive' ? 0 : Math.abs(Math.log(ratio ?? 1));
}
