import type { Comparison, Duet, Measurement, Results } from '../results/results.ts';
import { FOREIGN_CPU, STALL, STEAL } from '../stats/limits.ts';
import { compareMeasured } from './judge/compare.ts';
import { judgeCounts } from './judge/counts.ts';
import { checkGates, leadsOf } from './judge/gates.ts';
import { isDisturbed } from './judge/pairs.ts';
import { rank } from './judge/rank.ts';
import { judgeTuned } from './judge/tuning.ts';
import { countStarts, sum } from './rows/pool.ts';
import { chooseRanking, type Measured, measureVariants } from './rows/variant-rows.ts';
import type { GuardCounts, Row, RowState, ScenarioSummary, Summary } from './summary.ts';
import { findWarnings } from './warn/warnings.ts';
import { explainCpu } from './why/why.ts';

/** Judges what was measured. Pure: results.json in, all content of the reports out. */
export function analyse(results: Results): Summary {
  const measured = measureVariants(results);
  const comparisons = compareMeasured(results, measured);
  const compared = Map.groupBy(comparisons, ({ scenario }) => scenario);
  const counts = judgeCounts(results);
  const duets = Map.groupBy(results.duets, ({ scenario }) => scenario);
  const scenarios = measured.map((scenario) => {
    const { name } = scenario.facts;
    const own = summarise(results, scenario, compared.get(name) ?? [], duets.get(name) ?? []);
    return { ...own, counts: counts.get(name) ?? [] };
  });
  return {
    tool: results.tool,
    run: results.run,
    host: results.host,
    plan: results.plan,
    variants: results.variants,
    scenarios,
    gates: checkGates(results, comparisons, counts),
    warnings: findWarnings(results, scenarios),
    checked: results.checked ?? [],
    why: explainCpu(results, comparisons),
  };
}

function summarise(
  results: Results,
  measured: Measured,
  comparisons: readonly Comparison[],
  duets: readonly Duet[],
): Omit<ScenarioSummary, 'counts'> {
  const { facts, model, entries } = measured;
  const heads = entries.filter(({ variant }) => variant.ref === null);
  const of = (kind: RowState['kind']) => heads.flatMap(({ row }) => (row.state.kind === kind ? [row] : []));
  const byRps = (a: Row, b: Row) => (b.rps?.value ?? 0) - (a.rps?.value ?? 0);
  const metric = chooseRanking(measured);
  const slices = entries.flatMap((entry) => entry.slices);
  const { rows, ...ranking } = rank(
    heads.filter(({ row }) => row.state.kind === 'ranked'),
    metric,
  );
  return {
    facts,
    model,
    starts: countStarts(slices),
    metric,
    rows: [...rows, ...of('generator-bound').sort(byRps), ...of('unranked').sort(byRps), ...of('failed')],
    bases: entries.flatMap(({ variant, row }) => (variant.ref === null ? [] : [row])),
    ...ranking,
    comparisons,
    detectable: { base: detectable(comparisons, 'base'), reference: detectable(comparisons, 'reference') },
    guards: countGuards([...slices, ...duets], comparisons),
    tuned: judgeTuned(results, measured, metric),
  };
}

function detectable(comparisons: readonly Comparison[], against: Comparison['against']): number | null {
  const found = [...leadsOf(comparisons)].flatMap((comparison) =>
    comparison.against === against && comparison.detectable !== null ? [comparison.detectable] : [],
  );
  return found.length > 0 ? Math.max(...found) : null;
}

type Guarded = Pick<Measurement, 'guards'>;

function countGuards(slices: readonly Guarded[], comparisons: readonly Comparison[]): GuardCounts {
  const count = (is: (slice: Guarded) => boolean) => slices.filter(is).length;
  return {
    slices: slices.length,
    disturbed: count(isDisturbed),
    foreignCpu: count(({ guards }) => (guards.foreignCpuRatio ?? 0) > FOREIGN_CPU),
    steal: count(({ guards }) => (guards.stealRatio ?? 0) > STEAL),
    stall: count(({ guards }) => (guards.stallMs ?? 0) > STALL),
    dropped: sum([...leadsOf(comparisons)], (comparison) => comparison.dropped),
  };
}
