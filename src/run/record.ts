import type { Built } from '../build/build.ts';
import type { Config, Scenario } from '../config/types.ts';
import type { Plan } from '../plan/plan.ts';
import type { HostFacts, Measurement, Results, ScenarioFacts, Variant } from '../results.ts';
import type { VariantOutcome } from './run.ts';

/** All that a run knows so far; `results.json` is made from it at any moment. */
export interface Record {
  tool: Results['tool'];
  runId: string;
  command: readonly string[];
  startedMs: number;
  config: Config;
  plan: Plan;
  host: HostFacts;
  /** By image key. */
  built: ReadonlyMap<string, Built>;
  /** By variant id. */
  outcomes: ReadonlyMap<string, VariantOutcome>;
  measurements: readonly Measurement[];
  stopped: string | null;
}

/** Pure: the record as results. `loadSeconds` counts measured slices only. */
export function assembleResults(record: Record, nowMs: number): Results {
  const { config, plan } = record;
  const wallSeconds = (nowMs - record.startedMs) / 1000;
  const measured = record.measurements.filter((m) => m.outcome !== 'void');
  const loadSeconds = measured.reduce((sum, m) => sum + m.durationMs, 0) / 1000;
  const slices = plan.instances.flatMap((i) => i.batches.flatMap((b) => b.slices));
  return {
    schema: 1,
    tool: record.tool,
    run: {
      id: record.runId,
      seed: plan.seed,
      command: [...record.command],
      started: new Date(record.startedMs).toISOString(),
      finished: new Date(nowMs).toISOString(),
      wallSeconds,
      loadSeconds,
      overheadRatio: wallSeconds > 0 ? Math.max(0, 1 - loadSeconds / wallSeconds) : 0,
      stopped: record.stopped,
    },
    host: record.host,
    plan: {
      instances: plan.instances.length,
      cpus: plan.cpus,
      scenarios: config.scenarios.map(describeScenario),
      estimatedSeconds: plan.estimatedSeconds,
      steps: slices.length,
      reference: null,
      budgetSeconds: null,
      compareTo: null,
      gates: [],
    },
    variants: plan.variants.map((variant): Variant => {
      const built = record.built.get(variant.image);
      const outcome = record.outcomes.get(variant.id);
      return {
        id: variant.id,
        label: variant.label,
        app: variant.app.name,
        ref: null,
        base: null,
        php: variant.php,
        runtime: variant.runtime.name,
        title: variant.runtime.title,
        model: variant.runtime.model,
        options: { ...variant.options },
        image: built && 'facts' in built ? built.facts : null,
        facts: outcome?.facts ?? null,
        coldStartMs: outcome?.coldStartMs ?? [],
        failure: outcome?.failure ?? (built && 'failure' in built ? built.failure : null),
      };
    }),
    measurements: [...record.measurements],
    comparisons: [],
    warnings: [...plan.warnings],
  };
}

function describeScenario(scenario: Scenario): ScenarioFacts {
  const { journey } = scenario;
  return {
    name: scenario.name,
    title: scenario.title,
    journey: journey.kind === 'paths' ? journey.paths.join(' ') : journey.name,
    load: scenario.load?.source ?? "the script's own",
    timeoutMs: scenario.timeoutMs,
    warmupMs: scenario.warmupMs,
    blocks: scenario.blocks,
    reuse: scenario.reuse,
    maxVus: scenario.maxVus ?? null,
    slo: scenario.slo,
  };
}

/** A variant that was not built, did not serve, or gave no valid measurement for a scenario. */
export function hasFailures(results: Results): boolean {
  return (
    results.measurements.some((m) => m.outcome === 'void') ||
    results.variants.some(
      (variant) =>
        variant.failure !== null ||
        results.plan.scenarios.some(
          ({ name }) =>
            !results.measurements.some(
              (m) => m.variant === variant.id && m.scenario === name && m.outcome === 'ok',
            ),
        ),
    )
  );
}
