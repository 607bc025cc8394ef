import { leadsOf } from '../analyse/gates.ts';
import type { GateResult, GuardCounts, Row, ScenarioSummary, Summary } from '../analyse/summary.ts';
import type { Comparison, Variant } from '../results/results.ts';
import { list, plural } from '../text/plain.ts';
import {
  bothNumbers,
  levelOf,
  type Medium,
  markOf,
  type Named,
  nounOf,
  type Told,
  tell,
  tellAmount,
} from './changes.ts';
import { atMost, type Change, change } from './numbers.ts';

type Kind = Comparison['against'];

/** What a scenario's Δ column shows: of every variant the comparison in the metric that fits the situation. */
export interface Deltas {
  kind: Kind;
  /** Null where not all are in the same metric. */
  metric: Comparison['metric'] | null;
  /** Id of what all are compared with; null where each has its own. */
  reference: string | null;
  /** An interval that is shown, for its level. */
  level: Comparison['interval'];
  /** Whether both sides' numbers are worth a column: among runtimes they stand in the table, older results have none. */
  hasBoth: boolean;
  /** One of those shown, to name the counterpart by. */
  sample: Comparison;
  of(row: Row): Delta | null;
}

export interface Delta {
  comparison: Comparison;
  /** Null where the number would mislead: what was measured there is not fit to be compared. */
  change: Change | null;
  /** Both sides' numbers; empty where the change is not shown. */
  both: string;
  /** Empty where nothing was tested. */
  mark: string;
}

/**
 * The other ref where there is one, else an earlier run, else the reference; null when nothing was compared. Beside
 * knees a change of latency from the reference would only tell of how far the ramp went.
 */
export function deltasOf({ comparisons, basis, rows, metric: ranking }: ScenarioSummary): Deltas | null {
  const leads = [...leadsOf(comparisons)].filter(
    ({ against }) => ranking !== 'holds' || against !== 'reference',
  );
  const kind = (['base', 'earlier', 'reference'] as const).find((kind) =>
    leads.some(({ against, ratio }) => against === kind && (kind !== 'reference' || ratio !== null)),
  );
  const shown = leads.filter(({ against }) => against === kind);
  const [first] = shown;
  if (!kind || !first) return null;
  const metric = shown.every((other) => other.metric === first.metric) ? first.metric : null;
  const isFit = ({ ratio, verdict }: Comparison, { state }: Row) =>
    ratio !== null && (state.kind === 'ranked' || verdict !== 'inconclusive');
  // Too few starts to test: the ranking went by other means, and says what is sure.
  const isTested = kind !== 'reference' || basis === 'paired';
  const of = new Map(shown.map((comparison) => [comparison.variant, comparison]));
  const bothOf = (row: Row) => {
    const comparison = of.get(row.variant);
    return comparison && isFit(comparison, row) ? bothNumbers(comparison) : '';
  };
  return {
    ...{ kind, metric, sample: first },
    hasBoth: kind !== 'reference' && rows.some((row) => bothOf(row) !== ''),
    level: isTested ? (shown.find(({ interval }) => interval)?.interval ?? null) : null,
    reference: kind === 'reference' ? first.reference : null,
    of(row) {
      const comparison = of.get(row.variant);
      if (!comparison) return null;
      const { ratio, interval } = comparison;
      const noun = metric === null ? `${nounOf(comparison.metric)} ` : '';
      return {
        comparison,
        change: ratio !== null && isFit(comparison, row) ? change(ratio, isTested ? interval : null) : null,
        both: bothOf(row),
        mark: isTested && isMeasured(comparison) ? noun + markOf(comparison) : '',
      };
    },
  };
}

/** What a comparison is made with, by name: `main`, the label of the reference, the earlier run. */
export function counterpart(
  { against, reference }: Pick<Comparison, 'against' | 'reference'>,
  summary: Summary,
  { name }: Medium,
): string {
  const { plan } = summary;
  const variant = findVariant(summary, reference);
  if (against === 'base') return name(plan.compareTo?.ref ?? variant?.ref ?? 'base');
  if (against === 'earlier') return plan.compareTo ? name(plan.compareTo.ref) : 'the earlier run';
  return name(variant?.label ?? reference);
}

const byId = new WeakMap<readonly Variant[], ReadonlyMap<string, Variant>>();

/** By its id. It is asked for in each line of a report, so it is not looked for each time. */
export function findVariant({ variants }: Summary, id: string): Variant | undefined {
  const known = byId.get(variants) ?? new Map(variants.map((variant) => [variant.id, variant]));
  byId.set(variants, known);
  return known.get(id);
}

/** With several scenarios it says in which. */
function nameIt(found: Comparison, summary: Summary, medium: Medium): Named {
  const label = findVariant(summary, found.variant)?.label ?? found.variant;
  const where = summary.scenarios.length > 1 ? ` in ${medium.name(found.scenario)}` : '';
  // Beside the name a reason need not begin with it again.
  const reasons = found.reasons.map((reason) =>
    reason.startsWith(`${label}: `) || reason.startsWith(`${label} failed`)
      ? reason.slice(label.length).replace(/^:? /, '')
      : reason,
  );
  return {
    comparison: { ...found, reasons },
    subject: medium.name(label) + where,
    against: counterpart(found, summary, medium),
  };
}

/**
 * What changed against the other ref or the earlier run, in words, most important first; empty where nothing was to
 * be compared with.
 */
export function headline(summary: Summary, medium: Medium): Told[] {
  const { compareTo } = summary.plan;
  if (compareTo?.reason) {
    const target = compareTo.given === 'base' ? 'base' : medium.name(compareTo.given);
    return [{ kind: 'missing', text: `Not compared with ${target}: ${medium.text(compareTo.reason)}.` }];
  }
  const leads = summary.scenarios.flatMap(({ comparisons }) =>
    [...leadsOf(comparisons)].filter(({ against }) => against !== 'reference'),
  );
  const named = leads.map((comparison) => nameIt(comparison, summary, medium));
  const told = tell(
    named.filter(({ comparison }) => isMeasured(comparison)),
    medium,
  );
  const missing = [
    ...named
      .filter(({ comparison }) => !isMeasured(comparison))
      .map(({ subject, comparison: { reasons } }) => because(subject, reasons[0], medium)),
    ...(compareTo
      ? withoutTwin(summary, leads).map((label) => because(medium.name(label), 'no counterpart', medium))
      : []),
  ];
  if (missing.length === 0) return told;
  const [first] = leads;
  const target = first ? counterpart(first, summary, medium) : medium.name(compareTo?.ref ?? '');
  return [...told, { kind: 'missing', text: `Not compared with ${target}: ${list(missing)}.` }];
}

/** Whether there was anything to compare: what failed was not measured beside the other. */
function isMeasured({ pairs, verdict }: Comparison): boolean {
  return pairs > 0 || verdict !== 'inconclusive';
}

function because(subject: string, reason: string | undefined, { text }: Medium): string {
  return reason ? `${subject} (${text(reason)})` : subject;
}

/** Labels of those that the other side does not have. */
function withoutTwin({ variants }: Summary, leads: readonly Comparison[]): string[] {
  const compared = new Set(leads.map(({ variant }) => variant));
  return variants.filter(({ id, ref }) => ref === null && !compared.has(id)).map(({ label }) => label);
}

export interface GateSentence {
  state: 'failed' | 'passed' | 'open';
  /** `Gate slower > 3% failed: …` in parts, so that the verdict can stand out. */
  gate: string;
  verdict: string;
  because: string;
}

/** What became of each `fail-on`, in the order they were given. */
export function tellGates(summary: Summary, medium: Medium): GateSentence[] {
  return summary.gates.map((result) => ({
    gate: `Gate ${medium.name(result.gate.source)}`,
    ...tellGate(result, summary, medium),
  }));
}

function tellGate({ checks }: GateResult, summary: Summary, medium: Medium): Omit<GateSentence, 'gate'> {
  const named = (wanted: (check: GateResult['checks'][number]) => boolean) =>
    checks.filter(wanted).map(({ comparison }) => nameIt(comparison, summary, medium));
  const subjects = (found: readonly Named[]) => list(found.map(({ subject }) => subject));
  const failed = named((check) => check.failed);
  const open = named(({ judged }) => !judged);
  if (checks.length === 0) return openGate('there is nothing to hold it against');
  if (open.length === checks.length) return openGate(`inconclusive for ${subjects(open)}`);
  const rest = open.length > 0 ? `; could not be judged for ${subjects(open)}` : '';
  if (failed.length === 0)
    return { state: 'passed', verdict: 'passed', because: `nothing is surely beyond it${rest}` };
  const [first] = failed as [Named, ...Named[]];
  const because =
    failed.length === 1
      ? `${first.subject} is surely beyond it, ${tellAmount(first.comparison)}`
      : `${subjects(failed)} are surely beyond it`;
  return { state: 'failed', verdict: 'failed', because: because + rest };
}

function openGate(because: string): Omit<GateSentence, 'gate'> {
  return { state: 'open', verdict: 'could not be judged', because };
}

/** `CPU per request`, or what each is in. */
export function deltaTitle({ metric }: Deltas): string {
  return metric === null ? 'Δ' : `Δ ${nounOf(metric)}`;
}

/** What Δ stands for: `Δ is the change of CPU per request from main (4c0f362), with its 99 % interval`. */
export function deltaLegend(deltas: Deltas, summary: Summary, medium: Medium): string {
  const { kind, metric, level, sample } = deltas;
  const { compareTo } = summary.plan;
  const commit = kind === 'base' && compareTo?.commit ? ` (${compareTo.commit.slice(0, 7)})` : '';
  const interval = level ? `, with its ${levelOf(level)}` : '';
  const of = metric === null ? '' : ` of ${nounOf(metric)}`;
  return `Δ is the change${of} from ${counterpart(sample, summary, medium)}${commit}${interval}`;
}

/**
 * The smallest change that this run would have found, and what its guards saw:
 * `every comparison judged here would have found a change of 1.3 % or more (95 % power); no guard fired in 144 slices`.
 */
export function findable({ detectable, guards }: ScenarioSummary, { kind }: Deltas): string {
  const found = kind === 'earlier' ? null : detectable[kind];
  const from =
    found === null
      ? []
      : [`every comparison judged here would have found a change of ${atMost(found)} or more (95 % power)`];
  return [...from, tellGuards(guards)].join('; ');
}

/** `guards fired in 3 of 144 slices (foreign CPU 2, stall 1), 6 pairs of slices left out` */
function tellGuards({ slices, disturbed, foreignCpu, steal, stall, dropped }: GuardCounts): string {
  const causes = Object.entries({ 'foreign CPU': foreignCpu, steal, stall })
    .filter(([, found]) => found > 0)
    .map(([name, found]) => `${name} ${found}`);
  const fired =
    disturbed === 0
      ? `no guard fired in ${plural(slices, 'slice')}`
      : `guards fired in ${disturbed} of ${plural(slices, 'slice')} (${causes.join(', ')})`;
  if (dropped === 0) return fired;
  // Where no guard fired, only that can be why.
  const why = disturbed === 0 ? ', as one of the two failed or was void' : '';
  return `${fired}, ${plural(dropped, 'pair')} of slices left out${why}`;
}
