import type { Measurement } from '../../../results/results.ts';

/** The number of each variant in the page: its colour, and its place in all charts. */
export type Numbers = ReadonlyMap<string, number>;

/** Slices of each variant, in their order. */
export function byVariant(slices: readonly Measurement[]): Map<string, Measurement[]> {
  return Map.groupBy(slices, ({ variant }) => variant);
}
