/** How much CPU one iteration of the extra work takes, from runs with none and with very many of them. Pure. */
import { mean } from 'simple-statistics';
import type { Measurement } from '../../src/results/results.ts';
import { halfInterval } from '../../src/stats/estimate.ts';
import type { Arms, Calibration, Injected, Interval } from './data.ts';

/**
 * @param arms slices without extra work, and with `iterations` of it
 * Throws when CPU was not read, or with fewer than three instances. Intervals are 95 %, Student's t over instances.
 */
export function calibrate({ base, head }: Arms, iterations: number, started: string): Calibration {
  const [a, b] = [cpuByInstance(base), cpuByInstance(head)];
  const pairs = [...a].flatMap(([instance, us]) => {
    const other = b.get(instance);
    return other === undefined ? [] : [{ base: us, full: other }];
  });
  if (pairs.length < 3) throw new Error(`only ${pairs.length} pairs of instances have their CPU measured`);
  return {
    started,
    iterations,
    instances: pairs.length,
    baseUs: intervalOf(pairs.map((pair) => pair.base)),
    fullUs: intervalOf(pairs.map((pair) => pair.full)),
    iterationUs: intervalOf(pairs.map((pair) => (pair.full - pair.base) / iterations)),
  };
}

/** Iterations that add this share to the base's CPU per request. */
export function iterationsFor(share: number, { baseUs, iterationUs }: Calibration): number {
  return Math.round((share * baseUs.value) / iterationUs.value);
}

/** CPU time that so many iterations add according to the calibration. */
export function injectedBy(iterations: number, calibration: Calibration): Injected {
  const { baseUs, iterationUs, started } = calibration;
  const us = scale(iterationUs, iterations);
  return { iterations, us, share: scale(us, 1 / baseUs.value), calibration: started };
}

/** CPU per request of each instance over all its slices. */
export function cpuByInstance(slices: readonly Measurement[]): Map<number, number> {
  const sums = new Map<number, { us: number; requests: number }>();
  for (const { outcome, instance, requests, cpu } of slices) {
    if (outcome !== 'ok' || cpu === null || requests === 0) continue;
    const sum = sums.get(instance) ?? { us: 0, requests: 0 };
    sums.set(instance, { us: sum.us + cpu.usedUs, requests: sum.requests + requests });
  }
  return new Map([...sums].map(([instance, { us, requests }]) => [instance, us / requests]));
}

export function intervalOf(values: readonly number[]): Interval {
  const value = mean([...values]);
  const half = halfInterval(values) ?? Infinity;
  return { value, low: value - half, high: value + half };
}

function scale({ value, low, high }: Interval, by: number): Interval {
  return { value: value * by, low: low * by, high: high * by };
}
