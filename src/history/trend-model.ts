import type { Comparison } from '../results/results.ts';
import type { AskedParts } from './asked.ts';

/** How one number of one variant went on, from run to run. */
export interface Trend {
  variant: string;
  scenario: string;
  load: string;
  /** The parts in which trends of one variant, scenario and load differ. */
  apart: AskedParts;
  /**
   * Label of the variant by whose number each is divided, of the same run on the same machine: such ratios may be
   * compared with each other whatever the machine. Null: absolute numbers, all of machines of one kind.
   */
  reference: string | null;
  metric: TrendMetric;
  /** In the order of time. */
  points: readonly TrendPoint[];
  changes: readonly LevelChange[];
  /** The mean of each stretch between changes (geometric), one more than there are changes. */
  levels: readonly number[];
}

export type TrendMetric = 'rps' | 'p50' | 'cpu';

export interface TrendPoint {
  date: string;
  run: string;
  commit: string | null;
  /** `Intel Xeon, 2 of 4 CPUs` */
  machine: string;
  value: number;
  /** Half of the run's own 95 % interval; of a ratio, both intervals together. */
  half: number | null;
}

/** From which point on it is another level, and by how much: behind ÷ before, machine by machine, with the 99 % interval. */
export interface LevelChange extends Pick<Comparison, 'ratio' | 'interval'> {
  at: number;
  /** The side of a ratio that has changed. Null: the numbers are absolute. */
  by: ChangedSide | null;
}

/** `unclear`: as far as the history shows, it may be either. */
export type ChangedSide = 'variant' | 'reference' | 'unclear';
