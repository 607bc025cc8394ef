import type { Instance } from '../../plan/instances.ts';
import type { Batch } from '../../plan/timeline/slices.ts';
import type { LoadOutcome } from '../load/k6-run.ts';
import type { Generator } from '../measure/batch-outcome.ts';
import type { Samples } from '../sample/samples.ts';
import type { Sent } from '../servers/target.ts';
import type { CheckedOf } from '../verify/checked.ts';

/** The servers under load. */
export interface Target extends Sent {
  ports: Instance['ports'];
  checkedOf: CheckedOf;
  /** Samples of the servers' machine. */
  samples: Pick<Samples, 'bootMs'>;
}

/** Measurement of several engines together, on the servers' clock. */
export interface LoadedElsewhere {
  load: LoadOutcome;
  generators: Generator[];
  /** When the load began, unix ms. */
  beganMs: number;
}

/** Makes a batch's load from other machines. */
export type LoadElsewhere = (batch: Batch, target: Target) => Promise<LoadedElsewhere>;
