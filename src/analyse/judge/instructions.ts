import type { CountChange } from '../counted.ts';

/** Counts of callgrind: their error is known from counting the same twice, not from a spread. Pure. */

/**
 * Smaller changes do not count, as a share. It is at most twice what equal counts may differ by (MOST_FLOOR in
 * src/run/instructions), and what other text in a page that does the same work is worth.
 */
const LEAST_CHANGE = 0.001;

export function judgeInstructions(difference: number, from: number): CountChange['verdict'] {
  if (Math.abs(difference) <= LEAST_CHANGE * from) return 'same';
  return difference > 0 ? 'more' : 'fewer';
}
