import type { Count } from '../results/results.ts';

/** A count per request on one variant of what is checked out, and what changed. */
export interface CountRow {
  /** Id of the variant. */
  variant: string;
  label: string;
  /** `queries`, `deprecations`, … */
  name: string;
  by: Count['by'];
  /** Path or step; null: all of the scenario. Untrusted text. */
  endpoint: string | null;
  side: CountSide;
  /** Null: there is nothing to compare with. */
  change: CountChange | null;
}

/** A count of one side, per request. */
export interface CountSide {
  perRequest: number;
  /** All repeats of all starts gave the same number. */
  constant: boolean;
  /** The lowest and the highest count of all repeats. */
  low: number;
  high: number;
  /** Fresh starts, and repeats of all of them. */
  instances: number;
  repeats: number;
  failures: number;
  /** The share by which equal counts of the page differ; only for instructions. */
  floorRatio?: number;
}

/** `from` is the base. */
export interface CountChange {
  against: 'base' | 'reference';
  /** Id of the variant of the base. */
  reference: string;
  from: CountSide;
  /** More per request than the base. */
  difference: number;
  ratio: number | null;
  /** The interval of the difference; null: both sides are constant, or it is not known. */
  interval: { low: number; high: number; level: number } | null;
  verdict: 'more' | 'fewer' | 'same' | 'inconclusive';
  /** Why it is inconclusive, in words. */
  reasons: readonly string[];
}

/** A gate on a count compared with one row. */
export interface CountCheck {
  scenario: string;
  row: CountRow;
  failed: boolean;
  judged: boolean;
}
