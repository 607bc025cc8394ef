import type { CompareOptions, ReportOptions, Scenario } from '../config/types.ts';
import type { CompareMetric } from '../results/results.ts';
import { chooseFitting } from './fitting.ts';
import { orderOf, type Timeline } from './instances.ts';
import { isNamedBy } from './shard-plan.ts';
import type { SliceOrder } from './timeline/budget.ts';
import { compileLoad } from './timeline/load-steps.ts';
import { allowsDuets } from './timeline/turns.ts';
import { findReference, type PlannedVariant } from './variants.ts';

/** The timeline, and what decides how many tests there are. */
export type Judged = Timeline & Pick<CompareOptions, 'reference'> & Pick<ReportOptions, 'failOn'>;

/**
 * Tests that the report corrects together, on all machines: with the base, or else with the reference. It is
 * not known beforehand whether the CPUs turn out to be full or samples are enough for p99, so the largest number counts.
 */
export function countTests(variants: readonly PlannedVariant[], config: Judged): number {
  const { scenarios, shard, other, failOn } = config;
  const twins = variants.filter(({ base }) => base !== null);
  const reference = findReference(config, variants) ?? variants[0];
  const compared = twins.length > 0 ? twins : variants.filter((variant) => variant !== reference);
  const order = orderOf(other, variants);
  const tests = scenarios.flatMap((scenario) => {
    const fitting = fittingFor(scenario, order, twins.length > 0);
    return compared.map((variant) => {
      const named = failOn.flatMap((gate) =>
        gate.metric !== null &&
        (gate.scenario === null || gate.scenario === scenario.name) &&
        (gate.variant === null || isNamedBy(gate.variant, variant))
          ? [gate.metric]
          : [],
      );
      return Math.max(...fitting.map((metrics) => new Set([...metrics, ...named]).size));
    });
  });
  return tests.reduce((sum, each) => sum + each, 0) * (shard?.of ?? 1);
}

/** The metrics that fit, in each of the situations that the load allows. */
function fittingFor(scenario: Scenario, order: SliceOrder, hasBase: boolean): (readonly CompareMetric[])[] {
  const steps = scenario.load ? compileLoad(scenario.load, scenario) : [];
  const isOpen = scenario.script?.rates === 'all' || steps.some(({ rps }) => rps !== null);
  const together = order === 'duets' && allowsDuets(scenario, steps, steps[0]?.durationMs ?? null);
  const against = hasBase ? 'base' : 'reference';
  const either = [true, false];
  return either.flatMap((full) =>
    either.map((hasTail) => chooseFitting({ against, isOpen, together, full, hasTail })),
  );
}
