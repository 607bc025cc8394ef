import type { Found } from '../checkout/found.ts';
import { describeOther } from '../checkout/other.ts';
import { modelOf } from '../config/parts/fit.ts';
import { nameHeaders } from '../config/requests/headers.ts';
import type { CompareOptions, ReportOptions, RunOptions, Scenario } from '../config/types.ts';
import { type Built, findBroken } from '../images/build.ts';
import type { Plan } from '../plan/plan.ts';
import { gatesFor } from '../plan/shard-plan.ts';
import { PROBE_MS } from '../plan/timeline/capacity-plan.ts';
import { findReference, type PlannedVariant } from '../plan/variants.ts';
import {
  type CheckedPage,
  type Count,
  type Duet,
  type Elsewhere,
  type HostFacts,
  type Measurement,
  type Profile,
  type Results,
  SCRIPT_LOAD,
  type ScenarioFacts,
  type Search,
  type Variant,
  type Warning,
} from '../results/results.ts';
import type { VariantOutcome } from './world.ts';

/** Facts about a run before it builds anything. They do not change. */
interface Beginning {
  tool: Results['tool'];
  runId: string;
  command: readonly string[];
  startedMs: number;
  /** The same by `Host.elapsed`. */
  beganMs: number;
  /** How long another run held the engine, ms. */
  waitedMs: number;
  config: RunOptions & CompareOptions & Omit<ReportOptions, 'out'>;
  /** The base of `compare-to`; null: nothing was asked for. */
  found: Found | null;
  /** The checkout; null: unknown. */
  head: Results['run']['head'] | null;
  host: HostFacts;
  /** By `markSettings`. */
  settings: string;
}

/** Results in the order of measuring. */
interface Measured {
  measurements: Measurement[];
  duets: Duet[];
  searches: Search[];
  profiles: Profile[];
  counts: Count[];
}

/** All that a run knows so far; `results.json` is made from it at any moment. */
export interface RunRecord {
  beginning: Beginning;
  plan: Plan;
  /** Left out: the load comes from the servers' own machine. */
  elsewhere?: Elsewhere;
  /** By image key. */
  built: ReadonlyMap<string, Built>;
  /** By variant id. */
  outcomes: Map<string, VariantOutcome>;
  measured: Measured;
  /** Empty: no server has answered yet. */
  checked: readonly CheckedPage[];
  stopped: string | null;
}

/**
 * Pure: the record as results, not yet compared. `loadSeconds` counts measured slices only.
 *
 * @param elapsedMs now, by `Host.elapsed`: a clock that was set meanwhile does not make a run longer
 */
export function assembleResults(record: RunRecord, elapsedMs: number): Results {
  const { beginning, plan, measured } = record;
  const { config, found, head } = beginning;
  const tookMs = elapsedMs - beginning.beganMs;
  const wallSeconds = (tookMs - beginning.waitedMs) / 1000;
  const loaded = [...measured.measurements, ...measured.duets].filter(({ outcome }) => outcome !== 'void');
  const probedMs = PROBE_MS * measured.searches.flatMap(({ probes }) => probes).length;
  const loadSeconds = loaded.reduce((sum, { durationMs }) => sum + durationMs, probedMs) / 1000;
  const slices = plan.instances.flatMap((i) => i.batches.flatMap((b) => b.slices));
  const variants = plan.variants.map((variant) => describeVariant(record, variant));
  return {
    schema: 1,
    tool: beginning.tool,
    run: {
      id: beginning.runId,
      seed: plan.seed,
      command: [...beginning.command],
      started: new Date(beginning.startedMs).toISOString(),
      finished: new Date(beginning.startedMs + tookMs).toISOString(),
      wallSeconds,
      loadSeconds,
      overheadRatio: wallSeconds > 0 ? Math.max(0, 1 - loadSeconds / wallSeconds) : 0,
      stopped: record.stopped,
      ...(head && { head }),
    },
    host: beginning.host,
    plan: {
      instances: plan.instances.length,
      cpus: plan.cpus,
      scenarios: plan.scenarios.map(describeScenario),
      estimatedSeconds: plan.estimatedSeconds,
      steps: slices.length,
      reference: (findReference(config, plan.variants) ?? (config.shard && plan.variants[0]))?.id ?? null,
      shard: config.shard ?? null,
      ...(config.tune && { tune: config.tune }),
      budgetSeconds: config.budgetMs === undefined ? null : config.budgetMs / 1000,
      host: config.host,
      ...(config.headers && { headers: nameHeaders(config.headers) }),
      durationScale: config.durationScale ?? 1,
      compareTo: found && {
        ...describeOther(found.other),
        ...(found.changed && { changed: { ...found.changed } }),
      },
      ...(record.elsewhere && { elsewhere: record.elsewhere }),
      gates: gatesFor(config, plan.variants).map(({ unchecked: _, ...gate }) => gate),
      ...(config.unjudged && { unjudged: config.unjudged }),
    },
    variants,
    ...(record.checked.length > 0 && { checked: [...record.checked] }),
    measurements: [...measured.measurements],
    duets: [...measured.duets],
    searches: [...measured.searches],
    profiles: [...measured.profiles],
    counts: [...measured.counts],
    comparisons: [],
    warnings: [...plan.warnings, ...(found?.notes ?? []), ...variants.flatMap(missingTwin)],
  };
}

function describeVariant(
  { beginning, built: images, outcomes }: RunRecord,
  variant: PlannedVariant,
): Variant {
  const built = images.get(variant.image);
  const front = variant.front && images.get(variant.front);
  const outcome = outcomes.get(variant.id);
  return {
    id: variant.id,
    label: variant.label,
    app: variant.app.name,
    ref: variant.ref,
    base: variant.base,
    php: variant.php,
    runtime: variant.runtime.name,
    title: variant.runtime.title,
    model: modelOf(variant.runtime, variant.options),
    options: { ...variant.options },
    settings: beginning.settings,
    image: built && 'facts' in built ? built.facts : null,
    ...(front && 'facts' in front && { front: front.facts }),
    facts: outcome?.facts ?? null,
    ...(outcome?.recompiled !== undefined && { recompiled: outcome.recompiled }),
    coldStartMs: outcome?.coldStartMs ?? [],
    coldStart: outcome?.coldStart ?? null,
    failure: outcome?.failure ?? findBroken(images, variant) ?? null,
  };
}

/** An app that misses what npm builds. */
const ASSETS = /Vite manifest|entrypoints\.json|mix-manifest\.json/i;

/** A variant whose twin in the base failed has nothing to be compared with. One that failed itself has its own reason. */
function missingTwin(variant: Variant, _: number, all: readonly Variant[]): Warning[] {
  const twin = all.find(({ id }) => id === variant.base);
  if (!twin?.failure || variant.failure) return [];
  return [
    {
      code: 'no-base',
      message: `nothing to compare ${variant.label} with: ${twin.label} failed (${twin.failure.stage}): ${twin.failure.reason.replace(/[.\s]+$/, '')}`,
      remedy: ASSETS.test(twin.failure.reason)
        ? 'built assets are not in git: build them in `prepare`, which both sides run, not in a step before'
        : 'its log is in the report; if you cannot fix it, choose another ref in compare-to',
      variant: variant.id,
    },
  ];
}

export function describeScenario(scenario: Scenario): ScenarioFacts {
  const { journey } = scenario;
  return {
    name: scenario.name,
    title: scenario.title,
    journey: journey.kind === 'paths' ? journey.paths.join(' ') : journey.name,
    load: scenario.load?.source ?? SCRIPT_LOAD,
    timeoutMs: scenario.timeoutMs,
    warmupMs: scenario.warmupMs,
    blocks: scenario.blocks,
    reuse: scenario.reuse,
    maxVus: scenario.maxVus ?? null,
    slo: scenario.slo,
    ...(scenario.script?.rates === 'all' && { openScript: true as const }),
    ...(scenario.script && {
      thresholds: scenario.script.thresholds.map(({ metric, condition }) => ({ metric, condition })),
    }),
  };
}
