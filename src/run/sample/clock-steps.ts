import { CLOCK_STEP } from '../../results/results.ts';
import type { Samples } from './samples.ts';

/** The outcome of a load during which a clock was set. */
interface Void {
  summary: null;
  code: string;
  trouble: string;
}

/**
 * Turns follow the wall clock of the machine that loads, and samples that of the machine of the servers. If somebody sets one of
 * them during a load, requests count for the wrong variant.
 *
 * @param clocks what to call a machine → samples that were read there
 * @returns what to call after the load: why it is void, or null
 */
export function watchClocks(
  clocks: Readonly<Record<string, Pick<Samples, 'clockSteps'>>>,
): () => Void | null {
  const known = Object.entries(clocks).map(
    ([name, { clockSteps }]) => [name, clockSteps, clockSteps.length] as const,
  );
  return () => {
    for (const [name, steps, before] of known) {
      const ms = steps[before];
      if (ms === undefined) continue;
      const seconds = Math.abs(ms) / 1000;
      // A busy machine shows it to some tenths.
      const way = `${ms < 0 ? 'back' : 'forward'} by ${seconds.toFixed(seconds < 10 ? 1 : 0)} s`;
      return {
        summary: null,
        code: CLOCK_STEP,
        trouble: `the clock of ${name} was set ${way} during the load`,
      };
    }
    return null;
  };
}
