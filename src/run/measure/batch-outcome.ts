import type { Batch } from '../../plan/timeline/slices.ts';
import type { CpuLayout } from '../../results/results.ts';
import type { ErrorSample, K6Summary } from '../load/k6.ts';
import type { K6Log } from '../load/k6-log.ts';
import type { Samples } from '../sample/samples.ts';

/** One of several engines that made the load together. */
export interface Generator {
  /** As the user names it. */
  name: string;
  /** Samples of its own machine, by its own clock; its arena is the first container. */
  samples: Samples;
  /** By their numbers on that machine. */
  cpus: readonly number[];
  /** How far its clock is ahead of the servers', ms. */
  aheadMs: number;
  summary: K6Summary | null;
}

/** Results of one k6 process, and its circumstances. */
export interface BatchOutcome {
  batch: Batch;
  instance: number;
  /** Null: k6 ended without a summary. */
  summary: K6Summary | null;
  /** Why there is no summary. */
  trouble: string;
  /** Stable, where there is one for the trouble. */
  code?: string;
  errors: readonly ErrorSample[];
  /** Log of k6 and a script; only a user's script has a separate log for its slice. */
  log?: K6Log;
  samples: Samples;
  /** Index of each variant's container, and of the arena, in the samples. */
  containers: ReadonlyMap<string, number>;
  arena: number;
  /** The same of services, by name. */
  services: ReadonlyMap<string, number>;
  cpus: Pick<CpuLayout, 'server' | 'front' | 'load' | 'services'>;
  /** Variants with something before them, which is counted with them. */
  fronted?: ReadonlySet<string>;
  /** Engines that loaded instead of the arena. */
  generators?: readonly Generator[];
  /** When k6 began to load, unix ms, for a script that brings its own scenarios, so it is not known. */
  beganMs: number;
}
