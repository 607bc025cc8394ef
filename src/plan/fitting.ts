import type { CompareMetric } from '../results/results.ts';

/** Facts on which it depends how a verdict is reached. Some are only known once all is measured. */
export interface Situation {
  against: 'base' | 'reference';
  /** A rate is given. */
  isOpen: boolean;
  /** Both sides were loaded at once. */
  together: boolean;
  /** Both servers used all of their CPUs, so that CPU per request decides how many requests they do. */
  full: boolean;
  /** Every variant has the samples for p99. */
  hasTail: boolean;
}

/**
 * The metrics that a verdict goes by without any rule; the first leads. Two refs: what a request costs if both were loaded
 * at once, as that is the steadiest number of all. Also how fast the answers come, unless that follows from it, as the CPUs
 * are full. Runtimes against each other are ranked, so there it is what the ranking is by.
 */
export function chooseFitting(situation: Situation): readonly [CompareMetric, ...CompareMetric[]] {
  const { against, isOpen, together, full } = situation;
  if (against === 'reference') return [rankingMetric(situation)];
  const fast = isOpen ? 'p50' : 'rps';
  if (full && fast === 'rps') return ['cpu'];
  return together ? ['cpu', fast] : [fast];
}

/** The metric of the ranking: at a given rate RPS is about equal for all, so the tail decides. */
export function rankingMetric({ isOpen, hasTail }: Pick<Situation, 'isOpen' | 'hasTail'>) {
  return isOpen ? (hasTail ? 'p99' : 'p95') : 'rps';
}
