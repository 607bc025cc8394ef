import { mean, sampleVariance } from 'simple-statistics';
import type { ExitCode } from '../../errors.ts';
import type { CompareMetric, Comparison, Results } from '../../results/results.ts';
import { predictDetectable } from '../../stats/verdict.ts';
import { measureVariants } from '../rows/variant-rows.ts';
import type { GuardCounts } from '../summary.ts';
import { correctionFor, duetRatios, wereTogether } from './duet-pairs.ts';
import { blockRatios, type InstancePair, logRatios, pairSlices } from './pairs.ts';

/** Noise of a machine between two equal variants. SDs of ln(ratio): 0.01 is 1 %. */
export interface Noise {
  metric: CompareMetric;
  /** Pairs of fresh starts. */
  pairs: number;
  /** Between pairs of starts, what their slices add taken off; if the two cannot be separated, all there is. */
  start: number;
  /** Between pairs of slices of one start; null where a percentile was pooled over them, or there is one slice each. */
  slice: number | null;
  /** The verdict of the usual rule; anything but no verdict of difference is a false alarm. */
  comparison: Comparison;
}

/** Findings about the machine from a run of a variant against itself. */
export interface NoiseFound {
  /** Label of the variant, and its scenario. */
  variant: string;
  load: string;
  instances: number;
  blocks: number;
  seconds: number;
  seed: number;
  noise: readonly Noise[];
  guards: GuardCounts | null;
  /** Effort of a run of so many minutes, and by metric the smallest change that it would find, as a share. */
  prospects: readonly BudgetProspect[];
  exitCode: ExitCode;
}

export interface BudgetProspect {
  minutes: number;
  /** Null: too short for a comparison. */
  effort: { instances: number; blocks: number } | null;
  /** In the order of `noise`. */
  findable: readonly (number | null)[];
}

const METRICS: readonly CompareMetric[] = ['cpu', 'rps', 'p50', 'p99'];

/**
 * Noise of each metric from a run of a variant against itself; empty where nothing was measured side by side. By
 * one-way random effects: the variance of a start's mean is start² + slice² ÷ blocks.
 */
export function measureNoise(results: Results, comparisons: readonly Comparison[]): Noise[] {
  return measureVariants(results).flatMap(({ facts, entries }) =>
    entries.flatMap((head) => {
      const base = entries.find(({ variant }) => variant.id === head.variant.base);
      if (!base) return [];
      const duets = results.duets.filter(
        (duet) => duet.variant === head.variant.id && duet.scenario === facts.name,
      );
      const pairs = pairSlices(head.slices, base.slices, duets);
      return METRICS.flatMap((metric) => {
        const comparison = comparisons.find(
          (c) =>
            c.variant === head.variant.id &&
            c.against === 'base' &&
            c.scenario === facts.name &&
            c.metric === metric,
        );
        const noise = comparison && splitVariance(pairs, metric);
        return noise ? [{ metric, ...noise, comparison }] : [];
      });
    }),
  );
}

function splitVariance(
  pairs: readonly InstancePair[],
  metric: CompareMetric,
): Pick<Noise, 'pairs' | 'start' | 'slice'> | null {
  // As a comparison takes them, so that what is foreseen is what one will find.
  const scale = correctionFor(pairs);
  const windows =
    metric === 'cpu' && wereTogether(pairs)
      ? pairs.map((pair) => duetRatios(pair.duets).map((ratio) => ratio * scale))
      : metric === 'cpu' || metric === 'rps'
        ? pairs.map(({ kept }) => blockRatios(kept, metric))
        : [];
  const means =
    windows.length > 0 ? windows.filter((of) => of.length > 0).map(mean) : logRatios(pairs, metric);
  if (means.length < 2) return null;
  const between = sampleVariance(means);
  const whole = { pairs: means.length, start: Math.sqrt(between), slice: null };
  const repeated = windows.filter((of) => of.length > 1);
  if (repeated.length === 0) return whole;
  const df = repeated.reduce((sum, slices) => sum + slices.length - 1, 0);
  const within = repeated.reduce((sum, slices) => sum + sampleVariance(slices) * (slices.length - 1), 0) / df;
  const perMean = within * mean(windows.filter((of) => of.length > 0).map((of) => 1 / of.length));
  return { pairs: means.length, start: Math.sqrt(Math.max(0, between - perMean)), slice: Math.sqrt(within) };
}

/** The smallest change, as a share, that so many starts of so many blocks find amid this noise; null: none. */
export function findableAmid(noise: Noise, instances: number, blocks: number): number | null {
  const spread = Math.sqrt(noise.start ** 2 + (noise.slice ?? 0) ** 2 / blocks);
  // A spread seen in few pairs may have been luck.
  return predictDetectable({ pairs: instances, spread, tests: 1, spreadPairs: noise.pairs });
}
