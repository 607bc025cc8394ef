import type { CountCheck } from '../../analyse/counted.ts';
import { isCost, lacksOnlyRate } from '../../analyse/judge/compare.ts';
import { leadsOf } from '../../analyse/judge/gates.ts';
import { outcomeOf } from '../../analyse/outcome.ts';
import type { GateResult, GuardCounts, Row, ScenarioSummary, Summary } from '../../analyse/summary.ts';
import type { Comparison, Variant } from '../../results/results.ts';
import { listNames, plural } from '../../text/plain.ts';
import { tellCount } from '../counts/count-words.ts';
import { levelOf, markOf, type NamedComparison, type Names, nounOf, tellAmount } from './changes.ts';
import { atMost, type ChangeText, change } from './numbers.ts';

/** Δ column of a ranking: each variant against the reference, in the metric that ranks. */
export interface Deltas {
  /** Null where not all are in the same metric. */
  metric: Comparison['metric'] | null;
  /** Id of what all are compared with. */
  reference: string;
  /** An interval that is shown, for its level. */
  level: Comparison['interval'];
  /** One of those shown, to name the reference by. */
  sample: Comparison;
  of(row: Row): Delta | null;
}

interface Delta {
  comparison: Comparison;
  /** Null where the number would mislead: what was measured there is not fit to be compared. */
  change: ChangeText | null;
  /** Empty where nothing was tested. */
  mark: string;
}

/** Whether the number of a comparison is fit to be shown: where one side answered wrongly it would mislead. */
export function isFit({ ratio, verdict, metric }: Comparison, sides: readonly (Row | null)[]): boolean {
  const isSound = (row: Row | null) =>
    row === null ||
    row.state.kind === 'ranked' ||
    row.state.kind === 'base' ||
    (isCost(metric) && lacksOnlyRate(row));
  return ratio !== null && (verdict !== 'inconclusive' || sides.every(isSound));
}

/**
 * Null when nothing was compared with the reference. Beside saturation points a change of latency would only show how far
 * the ramp went.
 */
export function deltasOf({ comparisons, rows, basis, metric: ranking }: ScenarioSummary): Deltas | null {
  const shown = [...leadsOf(comparisons)].filter(({ against }) => against === 'reference');
  const [first] = shown;
  if (!first || ranking === 'holds' || shown.every(({ ratio }) => ratio === null)) return null;
  const metric = shown.every((other) => other.metric === first.metric) ? first.metric : null;
  // Too few starts to test: the ranking went by other means, and shows what is sure.
  const isTested = basis === 'paired';
  const other = rows.find(({ variant }) => variant === first.reference) ?? null;
  const of = new Map(shown.map((comparison) => [comparison.variant, comparison]));
  return {
    ...{ metric, sample: first, reference: first.reference },
    level: isTested ? (shown.find(({ interval }) => interval)?.interval ?? null) : null,
    of(row) {
      const comparison = of.get(row.variant);
      if (!comparison) return null;
      const { ratio, interval } = comparison;
      const noun = metric === null ? `${nounOf(comparison.metric)} ` : '';
      return {
        comparison,
        change:
          ratio !== null && isFit(comparison, [row, other])
            ? change(ratio, isTested ? interval : null)
            : null,
        mark: isTested && isMeasured(comparison) ? noun + markOf(comparison) : '',
      };
    },
  };
}

/** Name of a comparison's counterpart: `main`, the label of the reference, the earlier run. */
export function counterpart(
  { against, reference }: Pick<Comparison, 'against' | 'reference'>,
  summary: Summary,
  { name }: Names,
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

/** With several scenarios it names the scenario. */
function nameIt(found: Comparison, summary: Summary, medium: Names): NamedComparison {
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

/** Whether there was anything to compare: what failed was not measured beside the other. */
function isMeasured({ pairs, verdict }: Comparison): boolean {
  return pairs > 0 || verdict !== 'inconclusive';
}

interface GateSentence {
  state: 'failed' | 'passed' | 'open';
  /** `Limit slower > 3% exceeded: …` in parts, so that the verdict can stand out. */
  gate: string;
  verdict: string;
  because: string;
}

/** Result of each `fail-on`, in the order given. */
export function tellGates(summary: Summary, medium: Names): GateSentence[] {
  return summary.gates.map((result) => ({
    gate: `Limit ${medium.name(result.gate.source)}`,
    ...tellGate(result, summary, medium),
  }));
}

function tellGate(result: GateResult, summary: Summary, medium: Names): Omit<GateSentence, 'gate'> {
  const { checks } = result;
  if (result.gate.count !== undefined) return tellCountGate(result, summary, medium);
  const named = (wanted: (check: GateResult['checks'][number]) => boolean) =>
    checks.filter(wanted).map(({ comparison }) => nameIt(comparison, summary, medium));
  const subjects = (found: readonly NamedComparison[]) => listNames(found.map(({ subject }) => subject));
  const failed = named((check) => check.failed);
  const open = named(({ judged }) => !judged);
  if (result.isCovered) return { state: 'passed', verdict: 'checks nothing', because: COVERED };
  if (checks.length === 0) return withoutChecks(result, summary, 'there is nothing to compare');
  if (open.length === checks.length) return openGate(`no verdict for ${subjects(open)}`);
  const rest = open.length > 0 ? `; no verdict for ${subjects(open)}` : '';
  if (failed.length === 0)
    return { state: 'passed', verdict: 'not exceeded', because: `no variant surely exceeds it${rest}` };
  const [first] = failed as [NamedComparison, ...NamedComparison[]];
  const because =
    failed.length === 1 ? `${first.subject}, ${tellAmount(first.comparison)}` : subjects(failed);
  return { state: 'failed', verdict: 'exceeded', because: because + rest };
}

function tellCountGate(result: GateResult, summary: Summary, medium: Names): Omit<GateSentence, 'gate'> {
  const { counts } = result;
  const nameCheck = ({ row, scenario }: CountCheck) => {
    const where = summary.scenarios.length > 1 ? ` in ${medium.name(scenario)}` : '';
    return `${medium.name(row.label)}${where}${row.endpoint === null ? '' : ` on ${medium.name(row.endpoint)}`}`;
  };
  const open = counts.filter(({ judged }) => !judged);
  const names = (found: readonly CountCheck[]) => listNames([...new Set(found.map(nameCheck))]);
  if (counts.length === 0) return withoutChecks(result, summary, 'nothing was counted on both sides');
  if (open.length === counts.length) return openGate(`no verdict for ${names(open)}`);
  const rest = open.length > 0 ? `; no verdict for ${names(open)}` : '';
  const failed = counts.filter((check) => check.failed);
  const [first] = failed;
  if (!first) return { state: 'passed', verdict: 'not exceeded', because: `nothing exceeds it${rest}` };
  const more = failed.length > 1 ? `, and ${failed.length - 1} more` : '';
  const because = `${nameCheck(first)}: ${tellCount({ ...first.row, endpoint: null }, medium)}${more}`;
  return { state: 'failed', verdict: 'exceeded', because: because + rest };
}

/** A new variant, for example, has nothing that it could be slower than: its limit passes. */
function withoutChecks(
  { unjudged }: GateResult,
  summary: Summary,
  because: string,
): Omit<GateSentence, 'gate'> {
  if (unjudged || outcomeOf(summary).lacksBase) return openGate(because);
  return {
    state: 'passed',
    verdict: 'was not checked',
    because: 'nothing that it applies to has a counterpart',
  };
}

const COVERED = 'other limits name all that it would check';

function openGate(because: string): Omit<GateSentence, 'gate'> {
  return { state: 'open', verdict: 'could not be judged', because };
}

/** `CPU per request`, or what each is in. */
export function deltaTitle({ metric }: Deltas): string {
  return metric === null ? 'Δ' : `Δ ${nounOf(metric)}`;
}

/** Meaning of Δ: `Δ is the change of RPS from apache, with its 99 % interval`. */
export function deltaLegend({ metric, level, sample }: Deltas, summary: Summary, medium: Names): string {
  const interval = level ? `, with its ${levelOf(level)}` : '';
  const of = metric === null ? '' : ` of ${nounOf(metric)}`;
  return `Δ is the change${of} from ${counterpart(sample, summary, medium)}${interval}`;
}

/** The smallest change that this run could detect between any two servers, and what its guards saw. */
export function findable({ comparisons, detectable: { reference }, guards }: ScenarioSummary): string {
  const pairs = [...leadsOf(comparisons)].filter(
    ({ against, detectable }) => against === 'reference' && detectable !== null,
  );
  const whose = pairs.length > 1 ? 'the noisiest comparison' : 'this run';
  const found = reference === null ? [] : [`${whose} could detect changes of ${atMost(reference)} or more`];
  return [...found, tellGuards(guards)].join('; ');
}

/** `3 of 144 slices disturbed (foreign CPU 2, stall 1), 6 pairs of slices left out` */
function tellGuards({ slices, disturbed, foreignCpu, steal, stall, dropped }: GuardCounts): string {
  const causes = Object.entries({ 'foreign CPU': foreignCpu, steal, stall })
    .filter(([, n]) => n > 0)
    .map(([name, n]) => `${name} ${n}`);
  const found =
    disturbed === 0
      ? `${plural(slices, 'slice')}, none disturbed`
      : `${disturbed} of ${plural(slices, 'slice')} disturbed (${causes.join(', ')})`;
  if (dropped === 0) return found;
  // If nothing was disturbed, there is no other reason.
  const why = disturbed === 0 ? ', as one of the two failed or was void' : '';
  return `${found}, ${plural(dropped, 'pair')} of slices left out${why}`;
}
