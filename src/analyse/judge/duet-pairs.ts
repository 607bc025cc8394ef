import { mean } from 'simple-statistics';
import type { Duet } from '../../results/results.ts';
import { type PairedTest, testPairs } from '../../stats/verdict.ts';
import type { InstancePair } from './pairs.ts';

/** Whether two were loaded at once often enough to be compared by that: in every start in which they were compared at all. */
export function wereTogether(instances: readonly InstancePair[]): boolean {
  return (
    instances.length > 0 && instances.every(({ duets, duetsDropped }) => duets.length + duetsDropped > 0)
  );
}

/** ln(variant ÷ base) in CPU per request of each block of a start, in which each of the two began first once. */
export function duetRatios(duets: readonly Duet[]): number[] {
  const blocks = new Map<number, number[]>();
  for (const { block, sides } of duets) {
    const [a, b] = [perRequestUs(sides.variant), perRequestUs(sides.base)];
    if (a && b) blocks.set(block, [...(blocks.get(block) ?? []), Math.log(a / b)]);
  }
  return [...blocks.values()].map(mean);
}

/**
 * The paired test of CPU per request by windows in which both were loaded at once; null without any.
 *
 * Together each request costs more than alone, since either side finds the other's data in the caches. If that is a
 * fixed cost of a request, a change is diluted by as much as a request costs more. If it grows with the request, a
 * change is not diluted. The value lies halfway, and the interval takes in both.
 */
export function testDuets(instances: readonly InstancePair[]): PairedTest | null {
  const values = instances.flatMap(({ duets }) => {
    const ratios = duetRatios(duets);
    return ratios.length > 0 ? [mean(ratios)] : [];
  });
  const test = testPairs(values);
  if (!test) return null;
  const most = findDilution(instances);
  const halfway = correctionFor(instances);
  const { interval } = test;
  return {
    ...test,
    mean: test.mean * halfway,
    spread: test.spread === null ? null : test.spread * halfway,
    interval: interval && {
      low: Math.min(interval.low, interval.low ** most),
      high: Math.max(interval.high, interval.high ** most),
    },
  };
}

/** Factor for a ln(ratio) of duets: halfway between no dilution and full dilution; 1 if nothing is known. */
export function correctionFor(instances: readonly InstancePair[]): number {
  return (1 + findDilution(instances)) / 2;
}

/** CPU per request together ÷ in turns, both sides and all starts taken together (geometric mean); 1 where it is not known or less. */
export function findDilution(instances: readonly InstancePair[]): number {
  const logs = instances.flatMap(({ kept, duets }) => {
    const alone = kept
      .flatMap((pair) => [pair.variant, pair.reference])
      .flatMap(({ cpu }) => cpu?.perRequestUs ?? []);
    const together = duets
      .flatMap(({ sides }) => [sides.variant, sides.base])
      .flatMap((side) => perRequestUs(side) ?? []);
    if (alone.length === 0 || together.length === 0) return [];
    return [meanLog(together) - meanLog(alone)];
  });
  return logs.length > 0 ? Math.max(1, Math.exp(mean(logs))) : 1;
}

function meanLog(values: readonly number[]): number {
  return mean(values.map(Math.log));
}

function perRequestUs({ cpuUs, requests }: Duet['sides']['variant']): number | null {
  return cpuUs !== null && cpuUs > 0 && requests > 0 ? cpuUs / requests : null;
}
