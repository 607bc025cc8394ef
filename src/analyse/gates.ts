import type { Comparison, Results } from '../results.ts';
import type { GateResult } from './summary.ts';

/**
 * Holds every gate of the plan against the comparisons: with the other ref or an earlier run where one was asked for,
 * else with the reference. One fails only on 'slower' with the whole interval beyond what it allows.
 */
export function checkGates(results: Results, comparisons: readonly Comparison[]): GateResult[] {
  const wanted = (comparison: Comparison) =>
    results.plan.compareTo === null ? true : comparison.against !== 'reference';
  const leads = leadsOf(comparisons);
  return results.plan.gates.map((gate) => {
    const checks = comparisons
      .filter(
        (comparison) =>
          wanted(comparison) &&
          (gate.metric === null ? leads.has(comparison) : comparison.metric === gate.metric) &&
          (gate.scenario === null || comparison.scenario === gate.scenario) &&
          (gate.variant === null || namesOf(results, comparison.variant).includes(gate.variant)),
      )
      .map((comparison) => ({ comparison, failed: isSurelySlower(comparison, gate.above) }));
    return { gate, checks, failed: checks.some((check) => check.failed) };
  });
}

/** Of each variant, scenario and kind the comparison that comes first: that of the metric which fits the situation. */
export function leadsOf(comparisons: readonly Comparison[]): Set<Comparison> {
  const leads = new Map<string, Comparison>();
  for (const comparison of comparisons) {
    const { scenario, variant, against, reference } = comparison;
    const key = JSON.stringify([scenario, variant, against, reference]);
    if (!leads.has(key)) leads.set(key, comparison);
  }
  return new Set(leads.values());
}

function namesOf({ variants }: Results, id: string): string[] {
  const variant = variants.find((other) => other.id === id);
  return variant ? [variant.id, variant.label, variant.runtime] : [id];
}

/** More of a latency, of CPU or of memory is slower; of RPS less. */
function isSurelySlower({ verdict, metric, interval }: Comparison, above: number): boolean {
  if (verdict !== 'slower' || interval === null) return false;
  return metric === 'rps' ? interval.high < 1 - above : interval.low > 1 + above;
}
