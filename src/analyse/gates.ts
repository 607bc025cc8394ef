import type { Comparison, Results, Variant } from '../results.ts';
import type { GateResult } from './summary.ts';

/**
 * Holds every gate of the plan against the comparisons: with the other ref or an earlier run where one was asked for,
 * else with the reference. One fails only on 'slower' with the whole interval beyond what it allows.
 */
export function checkGates(results: Results, comparisons: readonly Comparison[]): GateResult[] {
  const wanted = ({ against }: Comparison) => (against === 'reference') === (results.plan.compareTo === null);
  const leads = leadsOf(comparisons);
  const variantOf = ({ variant }: Comparison) => results.variants.find(({ id }) => id === variant);
  return results.plan.gates.map((gate) => {
    const checks = comparisons
      .filter(
        (comparison) =>
          wanted(comparison) &&
          (gate.metric === null ? leads.has(comparison) : comparison.metric === gate.metric) &&
          (gate.scenario === null || comparison.scenario === gate.scenario) &&
          isNamed(variantOf(comparison), gate.variant),
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

/** Whether a gate for this runtime, label or id means this variant; null means all. */
export function isNamed(variant: Variant | undefined, name: string | null): boolean {
  return (
    name === null || (variant !== undefined && [variant.id, variant.label, variant.runtime].includes(name))
  );
}

/** More of a latency, of CPU or of memory is slower; of RPS less. */
function isSurelySlower({ verdict, metric, interval }: Comparison, above: number): boolean {
  if (verdict !== 'slower' || interval === null) return false;
  return metric === 'rps' ? interval.high < 1 - above : interval.low > 1 + above;
}
