/** Share that the sampler is to add to CPU per request. It may add 5 %: with this aim, most starts stay below. */
const WANTED_OVERHEAD = 0.04;
/** One of so many requests at most, as the pass needs samples, too. */
const MOST_EVERY = 8;
/**
 * Costs expected before any measurement: µs to start the sampler in a request, and the samples' share of CPU. A tick
 * gives one sample. A request of 4 ms had 5.5 %, the median of ten pairs of app and runtime.
 */
const EXPECTED = { startUs: 100, samples: 0.03 };

/** Overhead of a start that sampled one of `every` requests, as a share. */
export interface SampledCost {
  every: number;
  overhead: number;
}

/**
 * Pure: one of how many requests is sampled, for the sampler to add no more than it may. It depends on what the starts
 * of each variant cost so far, or else on what a request takes. It is the same for all variants: none loses more
 * samples than those it is compared with.
 *
 * @param perRequestUs CPU of each variant with all requests sampled
 * @param costs by variant
 */
export function chooseEvery(
  perRequestUs: readonly number[],
  costs: Iterable<readonly SampledCost[]>,
): number {
  const measured = [...costs].filter(({ length }) => length > 0).map((own) => middleOf(own.map(shareOfAll)));
  const expected = perRequestUs.filter((us) => us > 0).map((us) => EXPECTED.startUs / us + EXPECTED.samples);
  const largest = Math.max(0, ...(measured.length > 0 ? measured : expected));
  return Math.max(1, Math.min(MOST_EVERY, Math.ceil(largest / WANTED_OVERHEAD)));
}

/** As it would be if each request were sampled. */
const shareOfAll = ({ every, overhead }: SampledCost): number => every * overhead;

/** A disturbed start shows little. */
function middleOf(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const at = (place: number) => sorted[Math.floor(place)] as number;
  return (at((sorted.length - 1) / 2) + at(sorted.length / 2)) / 2;
}
