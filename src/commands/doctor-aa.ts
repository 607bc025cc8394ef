import { rm } from 'node:fs/promises';
import { join } from 'node:path';
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
import type { Cpu } from '../plan/cpus.ts';
import { plan } from '../plan/plan.ts';
import type { Caller } from '../stages/desk.ts';
import { makeScratch } from '../temporary.ts';

const BUDGET_MS = 120_000;
const MINUTES = [1, 5, 15];

/**
 * An A/A run: the first variant against itself, both from one image. Its results are thrown away: what it found is the
 * noise. Errors as of `runBench`.
 */
export async function measureItself(
  asked: Config,
  cpus: readonly Cpu[],
  host: Host,
  caller: Caller,
): Promise<NoiseFound> {
  const folder = await makeScratch('aa');
  const config = againstItself(asked, join(folder, 'results'));
  try {
    const { results, summary, exitCode } = await runBench(config, host, caller);
    const [scenario] = summary.scenarios;
    const noise = measureNoise(results, scenario?.comparisons ?? []);
    return {
      variant: results.variants[0]?.label ?? '',
      load: scenario?.facts.load ?? '',
      instances: scenario?.starts ?? 0,
      blocks: scenario?.facts.blocks ?? 0,
      seconds: results.run.wallSeconds,
      seed: results.run.seed,
      noise,
      guards: scenario?.guards ?? null,
      prospects: MINUTES.map((minutes) => foresee(config, cpus, noise, minutes)),
      exitCode,
    };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** The first variant against itself, and nothing beside the comparison: all else costs minutes and is thrown away. */
export function againstItself(asked: Config, out: string): Config {
  const besides = ['compareTo', 'reference', 'capacity', 'profile', 'count', 'coldStart'];
  const rest = Object.fromEntries(Object.entries(asked).filter(([key]) => !besides.includes(key))) as Config;
  const first = <T>(items: readonly T[]) => items.slice(0, 1);
  return {
    ...rest,
    ...(asked.instances === undefined && asked.budgetMs === undefined && { budgetMs: BUDGET_MS }),
    apps: first(asked.apps),
    php: first(asked.php),
    runtimes: first(asked.runtimes),
    scenarios: first(asked.scenarios),
    other: { kind: 'itself', given: 'again', ref: 'again' },
    failOn: [],
    out,
  };
}

function foresee(
  config: Config,
  cpus: readonly Cpu[],
  noise: readonly Noise[],
  minutes: number,
): BudgetProspect {
  const { instances: _, ...rest } = config;
  try {
    const planned = plan({ ...rest, budgetMs: minutes * 60_000 }, cpus);
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
