import type { CompareMetric, Comparison, Gate, Results, Variant } from '../../results/results.ts';
import type { CountCheck, CountRow } from '../counted.ts';
import type { GateResult } from '../summary.ts';
import { chooseReference } from './reference.ts';

/**
 * Holds every gate of the plan against the comparisons: with the other ref or an earlier run where one was asked for,
 * else with the reference. Without a metric it looks at those that a verdict goes by, unless another gate names that
 * metric of that variant and scenario. One fails only on 'slower' with the whole interval beyond what it allows.
 */
export function checkGates(
  results: Results,
  comparisons: readonly Comparison[],
  counts: ReadonlyMap<string, readonly CountRow[]> = new Map(),
): GateResult[] {
  const wanted = ({ against }: Comparison) => (against === 'reference') === (results.plan.compareTo === null);
  const leads = leadsOf(comparisons);
  const byId = new Map(results.variants.map((variant) => [variant.id, variant]));
  const isNamedBy = (gate: Gate, { scenario, variant, metric }: Comparison) =>
    names(gate, scenario, byId.get(variant), metric);
  const fits = (comparison: Comparison) =>
    (leads.has(comparison) || comparison.primary) &&
    !results.plan.gates.some((gate) => isNamedBy(gate, comparison));
  return results.plan.gates.map((gate) => {
    if (gate.count !== undefined) return checkCountGate(results, gate, counts);
    const found = comparisons.filter(
      (comparison) =>
        wanted(comparison) &&
        (gate.scenario === null || comparison.scenario === gate.scenario) &&
        isNamed(byId.get(comparison.variant), gate.variant),
    );
    const checks = found
      .filter((comparison) => (gate.metric === null ? fits(comparison) : comparison.metric === gate.metric))
      .map((comparison) => ({
        comparison,
        failed: isSurelySlower(comparison, gate.above),
        judged: isJudged(comparison, gate.above),
      }));
    const isCovered = gate.metric === null && checks.length === 0 && found.length > 0;
    const unjudged =
      checks.length > 0
        ? checks.every(({ judged }) => !judged)
        : !isCovered && expectsComparison(results, gate, comparisons);
    const failed = checks.some((check) => check.failed);
    return { gate, checks, counts: [], failed, unjudged, ...(isCovered && { isCovered }) };
  });
}

/** Holds a gate on a count against all that was counted under its name: of all of a scenario, and of each path. */
function checkCountGate(
  results: Results,
  gate: Gate,
  counts: ReadonlyMap<string, readonly CountRow[]>,
): GateResult {
  const checks = [...counts].flatMap(([scenario, rows]) =>
    rows
      .filter((row) => row.name === gate.count && isCountedFor(results, gate, row, scenario))
      .flatMap((row) => checkCount(row, gate, scenario)),
  );
  const unjudged =
    checks.length > 0 ? checks.every(({ judged }) => !judged) : expectsComparison(results, gate, []);
  return { gate, checks: [], counts: checks, failed: checks.some(({ failed }) => failed), unjudged };
}

/**
 * Instructions of a path are counted once for all scenarios with it, and once for all servers that have the same app and
 * version of PHP.
 */
function isCountedFor({ variants, plan }: Results, gate: Gate, row: CountRow, scenario: string): boolean {
  const own = variants.find(({ id }) => id === row.variant);
  if (row.by !== 'instructions')
    return (gate.scenario === null || gate.scenario === scenario) && isNamed(own, gate.variant);
  const alike = variants.filter(({ ref, app, php }) => ref === null && app === own?.app && php === own.php);
  const paths = (name: string) => plan.scenarios.find((one) => one.name === name)?.journey.split(' ') ?? [];
  return (
    alike.some((variant) => isNamed(variant, gate.variant)) &&
    (gate.scenario === null ||
      gate.scenario === scenario ||
      paths(gate.scenario).includes(row.endpoint ?? ''))
  );
}

function checkCount(row: CountRow, { above, more }: Gate, scenario: string): CountCheck[] {
  const { change } = row;
  if (change === null) return [];
  const { verdict, interval, difference, from } = change;
  const allowed = more ?? above * from.perRequest;
  const { low, high } = interval ?? { low: difference, high: difference };
  // Quotients that represent the same number.
  const least = 1e-9 * Math.max(1, from.perRequest);
  const failed = verdict === 'more' && low > allowed + least;
  const isWithin = interval !== null && high <= allowed;
  return [{ scenario, row, failed, judged: verdict !== 'inconclusive' || isWithin }];
}

/** The first comparison of each variant, scenario and kind: that of the metric which fits the situation. */
export function leadsOf(comparisons: readonly Comparison[]): Set<Comparison> {
  const leads = new Map<string, Comparison>();
  for (const comparison of comparisons) {
    const key = keyOfPair(comparison);
    if (!leads.has(key)) leads.set(key, comparison);
  }
  return new Set(leads.values());
}

/** Key of a comparison: its scenario and both sides. */
export function keyOfPair({ scenario, variant, against, reference }: Comparison): string {
  return JSON.stringify([scenario, variant, against, reference]);
}

/** Whether a gate names this metric, for this scenario and variant or for all. */
export function names(
  gate: Gate,
  scenario: string,
  variant: Variant | undefined,
  metric: CompareMetric,
): boolean {
  return (
    gate.metric === metric &&
    (gate.scenario === null || gate.scenario === scenario) &&
    isNamed(variant, gate.variant)
  );
}

/** Whether a gate for this runtime, label or id means this variant; null means all. */
function isNamed(variant: Variant | undefined, name: string | null): boolean {
  return (
    name === null || (variant !== undefined && [variant.id, variant.label, variant.runtime].includes(name))
  );
}

/** More of a latency, of CPU or of memory is slower; of RPS less. */
function isSurelySlower({ verdict, metric, interval }: Comparison, above: number): boolean {
  if (verdict !== 'slower' || interval === null) return false;
  return metric === 'rps' ? interval.high < 1 - above : interval.low > 1 + above;
}

/** There is a verdict, or the whole interval lies within what is allowed. */
function isJudged(comparison: Comparison, above: number): boolean {
  if (comparison.verdict !== 'inconclusive') return true;
  // With too few pairs there is an interval that nobody should rely on.
  return comparison.detectable !== null && isWithin(comparison, above);
}

/**
 * Whether the whole interval lies within what a gate allows; false without an interval.
 *
 * @param above as a share: 0.03 is 3 %
 */
export function isWithin({ metric, interval }: Comparison, above: number): boolean {
  if (interval === null) return false;
  return metric === 'rps' ? interval.low >= 1 - above : interval.high <= 1 + above;
}

/**
 * A scenario that was left out of the run, the reference itself and a new variant have no counterpart. None of them can
 * have become slower.
 */
function expectsComparison(
  results: Results,
  { scenario, variant: name }: Gate,
  comparisons: readonly Comparison[],
): boolean {
  const { plan, variants } = results;
  if (scenario !== null && !plan.scenarios.some((one) => one.name === scenario)) return false;
  const named = variants.filter((variant) => variant.ref === null && isNamed(variant, name));
  if (plan.compareTo !== null) return named.some(({ base }) => base !== null);
  const own = comparisons.filter((one) => scenario === null || one.scenario === scenario);
  const used = own.flatMap(({ against, reference }) => (against === 'reference' ? [reference] : []));
  const references = new Set(used.length > 0 ? used : [chooseReference(results)?.id]);
  return named.some(({ id }) => !references.has(id));
}
