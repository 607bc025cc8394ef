import type { Comparison, Measurement, Results, ScenarioFacts } from '../results.ts';
import { compare } from './compare.ts';
import { checkGates, leadsOf } from './gates.ts';
import { FOREIGN_CPU, P99_SAMPLES, STALL, STEAL } from './limits.ts';
import { findCheapest, rank } from './rank.ts';
import { toRow } from './rows.ts';
import type { GuardCounts, Metric, Row, RowState, ScenarioSummary, Summary } from './summary.ts';
import { findWarnings } from './warnings.ts';

/** Judges what was measured. Pure: results.json in, all that the reports say out. */
export function analyse(results: Results): Summary {
  const comparisons = compare(results);
  const scenarios = results.plan.scenarios.map((facts) =>
    summarise(
      facts,
      results,
      comparisons.filter(({ scenario }) => scenario === facts.name),
    ),
  );
  return {
    tool: results.tool,
    run: results.run,
    host: results.host,
    plan: results.plan,
    variants: results.variants,
    scenarios,
    gates: checkGates(results, comparisons),
    warnings: findWarnings(results, scenarios),
  };
}

function summarise(
  facts: ScenarioFacts,
  results: Results,
  comparisons: readonly Comparison[],
): ScenarioSummary {
  const measured = results.measurements.filter((slice) => slice.scenario === facts.name);
  const model = measured.some((slice) => slice.offeredRps !== null) ? 'open' : 'closed';
  const all = results.variants.map((variant) => {
    const slices = measured.filter((slice) => slice.variant === variant.id);
    return toRow(variant, slices, facts, model);
  });
  const heads = new Set(results.variants.flatMap(({ id, ref }) => (ref === null ? [id] : [])));
  const rows = all.filter(({ variant }) => heads.has(variant));
  const of = (kind: RowState['kind']) => rows.filter((row) => row.state.kind === kind);
  const metric = chooseMetric(model, of('ranked'));
  const ranked = rank(of('ranked'), metric);
  const leaders = ranked.filter((row) => row.state.kind === 'ranked' && row.state.rank === 1);
  const byRps = (a: Row, b: Row) => (b.rps?.value ?? 0) - (a.rps?.value ?? 0);
  return {
    facts,
    model,
    metric,
    rows: [...ranked, ...of('generator-bound').sort(byRps), ...of('unranked').sort(byRps), ...of('failed')],
    bases: all.filter(({ variant }) => !heads.has(variant)),
    basis: 'intervals',
    best: ranked.length > 1 && leaders.length === 1 ? (leaders[0]?.variant ?? null) : null,
    cheapest: findCheapest(ranked)?.variant ?? null,
    comparisons,
    detectable: { base: detectable(comparisons, 'base'), reference: detectable(comparisons, 'reference') },
    guards: countGuards(measured),
  };
}

/** At a given rate RPS is about equal for all, so the tail decides: p99 where every variant has enough samples. */
function chooseMetric(model: ScenarioSummary['model'], rows: readonly Row[]): Metric {
  if (model === 'closed') return 'rps';
  return rows.every((row) => (row.latency?.samples ?? 0) >= P99_SAMPLES) ? 'p99' : 'p95';
}

function detectable(comparisons: readonly Comparison[], against: Comparison['against']): number | null {
  const found = [...leadsOf(comparisons)].flatMap((comparison) =>
    comparison.against === against && comparison.detectable !== null ? [comparison.detectable] : [],
  );
  return found.length > 0 ? Math.max(...found) : null;
}

function countGuards(slices: readonly Measurement[]): GuardCounts {
  const foreignCpu = slices.filter(({ guards }) => (guards.foreignCpuRatio ?? 0) > FOREIGN_CPU);
  const steal = slices.filter(({ guards }) => (guards.stealRatio ?? 0) > STEAL);
  const stall = slices.filter(({ guards }) => (guards.stallMs ?? 0) > STALL);
  const disturbed = new Set([...foreignCpu, ...steal, ...stall]);
  return {
    slices: slices.length,
    disturbed: disturbed.size,
    foreignCpu: foreignCpu.length,
    steal: steal.length,
    stall: stall.length,
    dropped: 0,
  };
}
