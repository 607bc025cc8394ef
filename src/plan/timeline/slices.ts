import type { Scenario } from '../../config/types.ts';
import type { LoadStep } from './load-steps.ts';

/** A stretch of load on one variant. */
export interface Slice {
  /** Counts up through the whole plan. */
  number: number;
  variant: string;
  block: number;
  /** Thrown away: it only brings caches, pools and the JIT to their working state. */
  warmup: boolean;
  /** From the start of its batch. */
  startMs: number;
  /** Time under load; null: a count of requests, or the user's own script, decides. */
  durationMs: number | null;
  /** The slices of a block that take turns begin together; these are its own, counted from there. Null: in one piece. */
  turns: readonly number[] | null;
  /** Length of a turn; null as above. */
  turnMs: number | null;
  /** The pair that is loaded at once, by the id of its variant; who stands first begins first. Null: no duet. */
  duet: string | null;
  /** Empty: the user's script brings its own `options.scenarios`. */
  steps: readonly LoadStep[];
}

/** The work of one k6 process: slices one after the other. */
export interface Batch {
  scenario: Scenario;
  slices: readonly Slice[];
  /** Requests in flight at the end of a slice get this much time. */
  drainMs: number;
}
