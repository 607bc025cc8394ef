import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { median } from 'simple-statistics';
import {
  type BudgetProspect,
  findableAmid,
  measureNoise,
  type Noise,
  type NoiseFound,
} from '../analyse/judge/noise-found.ts';
import { runBench } from '../bench.ts';
import type { Config } from '../config/types.ts';
import { UserError } from '../errors.ts';
import type { Host } from '../host.ts';
import { type Instance, layOutInstances, loadSeconds, startSeconds } from '../plan/instances.ts';
import { planLoad } from '../plan/plan.ts';
import { listHeads, planVariants } from '../plan/variants.ts';
import type { Results } from '../results/results.ts';
import type { Caller } from '../stages/desk.ts';
import { makeScratch } from '../temporary.ts';

const BUDGET_MS = 120_000;
const MINUTES = [1, 5, 15];

/**
 * An A/A run: the first variant against itself, both from one image. Its results are thrown away: what it found is the
 * noise. Errors as of `runBench`.
 */
export async function measureItself(asked: Config, host: Host, caller: Caller): Promise<NoiseFound> {
  const folder = await makeScratch('aa');
  const config = againstItself(asked, join(folder, 'results'));
  try {
    const { results, summary, exitCode } = await runBench(config, host, caller);
    const [scenario] = summary.scenarios;
    const noise = measureNoise(results, scenario?.comparisons ?? []);
    const slower = slownessOf(results, config);
    return {
      variant: results.variants[0]?.label ?? '',
      load: scenario?.facts.load ?? '',
      instances: scenario?.starts ?? 0,
      blocks: scenario?.facts.blocks ?? 0,
      seconds: results.run.wallSeconds,
      seed: results.run.seed,
      noise,
      guards: scenario?.guards ?? null,
      prospects: MINUTES.map((minutes) => foresee(config, noise, minutes, slower)),
      exitCode,
    };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** The first variant against itself, and nothing beside the comparison: all else costs minutes and is thrown away. */
export function againstItself(asked: Config, out: string): Config {
  const besides = ['compareTo', 'reference', 'capacity', 'profile', 'count', 'coldStart', 'tune', 'shard'];
  const rest = Object.fromEntries(Object.entries(asked).filter(([key]) => !besides.includes(key))) as Config;
  // The first app need not fit the first PHP version, nor the first runtime.
  const [head] = listHeads(rest);
  return {
    ...rest,
    ...(asked.instances === undefined && asked.budgetMs === undefined && { budgetMs: BUDGET_MS }),
    ...(head && { apps: [head.app], php: [head.php], runtimes: [head.choice] }),
    scenarios: asked.scenarios.slice(0, 1),
    other: { kind: 'itself', given: 'again', ref: 'again' },
    failOn: [],
    out,
  };
}

/**
 * So many times longer than typical did a start take without its load, by the median of the times between the first
 * slices of two starts. 1 where there are fewer than three starts: the first has what only it costs.
 */
export function slownessOf({ measurements }: Pick<Results, 'measurements'>, config: Config): number {
  const { variants } = planVariants(config);
  const starts = [...Map.groupBy(measurements, ({ instance }) => instance)]
    .map(([index, slices]) => ({
      index,
      fromMs: Math.min(...slices.map(({ startedMs }) => startedMs)),
      blocks: 1 + Math.max(...slices.map(({ block }) => block)),
    }))
    .sort((a, b) => a.index - b.index);
  const factors = starts.slice(1, -1).map(({ fromMs, blocks }, i) => {
    const tookMs = (starts[i + 2]?.fromMs ?? fromMs) - fromMs;
    const laid = layOutInstances(config, variants, { instances: 2, blocks: [blocks] });
    const planned = laid[1] as Instance;
    return (tookMs / 1000 - loadSeconds(planned, config)) / startSeconds(planned, config);
  });
  return factors.length > 0 ? Math.max(0, median(factors)) : 1;
}

/** The changes that a run of so many minutes would find amid this noise, with starts `slower` times as long as typical. */
export function foresee(
  config: Config,
  noise: readonly Noise[],
  minutes: number,
  slower: number,
): BudgetProspect {
  const { instances: _, ...rest } = config;
  try {
    const { variants } = planVariants(config);
    const planned = planLoad({ ...rest, budgetMs: minutes * 60_000 }, variants, slower);
    const effort = { instances: planned.instances.length, blocks: planned.scenarios[0]?.blocks ?? 1 };
    return {
      minutes,
      effort,
      findable: noise.map((of) => findableAmid(of, effort.instances, effort.blocks)),
    };
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    return { minutes, effort: null, findable: noise.map(() => null) };
  }
}
