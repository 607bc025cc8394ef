import type { PooledLatency, Row } from '../../../analyse/summary.ts';
import { held } from '../numbers.ts';

/** A line of a table of percentiles. */
export interface Timed {
  variant: string;
  label: string;
  /** ` up to 120 rps`, or empty: over all of the load. */
  upTo: string;
  latency: PooledLatency | null;
  okRatio: number | null;
  p99: Row['p99'];
}

/** Percentiles of a variant over all of its load, and before them those up to its knee where the ramp went beyond it. */
export function withUpTo(row: Row): Timed[] {
  const { variant, label, holds, latency, okRatio, p99 } = row;
  const whole: Timed = { variant, label, upTo: '', latency, okRatio, p99 };
  if (holds?.kind !== 'found' || !holds.upTo) return [whole];
  const part = { latency: holds.upTo.latency, okRatio: holds.upTo.okRatio, p99: null };
  return [{ variant, label, upTo: ` up to ${held({ ...holds, half: null })} rps`, ...part }, whole];
}
