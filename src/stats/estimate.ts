import { mean, sampleStandardDeviation } from 'simple-statistics';
import { tCritical } from './student.ts';

/** A number and how sure it is. */
export interface Estimate {
  value: number;
  /** Half the width of the 95 % t interval around `value`; null when there is nothing to judge it by. */
  half: number | null;
  /**
   * The sample behind the interval. `instances`: the means of fresh starts, so start-to-start differences are in it.
   * `slices`: only one start was measured, its slices show nothing of other starts.
   */
  over: 'instances' | 'slices' | 'nothing';
  /** How many of them. */
  n: number;
}

/** Half the width of the 95 % t interval of the mean; null for fewer than two values. */
export function halfInterval(values: readonly number[]): number | null {
  if (values.length < 2) return null;
  return (
    (tCritical(0.05, values.length - 1) * sampleStandardDeviation([...values])) / Math.sqrt(values.length)
  );
}

/**
 * Mean with a 95 % t interval: over the means of instances when there are two or more, else over the slices of the
 * only one.
 *
 * @param instances one list of values (slices) per instance
 * @param value the number itself where it is not the mean (a pooled percentile)
 * @returns null when there is no value at all
 */
export function estimate(instances: readonly (readonly number[])[], value?: number): Estimate | null {
  const measured = instances.filter((slices) => slices.length > 0);
  const [only] = measured;
  if (only === undefined) return null;
  const means = measured.map((slices) => mean([...slices]));
  const center = value ?? mean(means);
  if (measured.length > 1) {
    return { value: center, half: halfInterval(means), over: 'instances', n: means.length };
  }
  if (only.length > 1) return { value: center, half: halfInterval(only), over: 'slices', n: only.length };
  return { value: center, half: null, over: 'nothing', n: 1 };
}
