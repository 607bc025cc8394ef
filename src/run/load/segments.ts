/** Which share of a load one of several generators has, by k6's own execution segments. Pure. */

import type { LoadStep } from '../../plan/timeline/load-steps.ts';
import type { Slice } from '../../plan/timeline/slices.ts';

/** The clients of a slice, and whether it is measured by itself. */
type Shared = Pick<Slice, 'warmup' | 'duet'> & {
  steps: readonly Pick<LoadStep, 'vus' | 'rps' | 'requests'>[];
};

/**
 * How many generators can share a load: each needs a client in every step that is measured. A warm-up or a duet beside it may
 * have fewer clients: k6 gives some generators nothing of it. With duets, a rate has two lanes of clients (executors.js), and
 * each generator needs one in both. A script's own load shows none.
 */
export function mostGenerators(slices: readonly Shared[]): number {
  const measured = slices.filter(({ warmup, duet }) => !warmup && duet === null);
  const counted = measured.length > 0 ? measured : slices;
  const lanes =
    measured.length > 0 && measured.length < slices.filter(({ warmup }) => !warmup).length ? 2 : 1;
  const clients = counted.flatMap(({ steps }) =>
    steps.map(({ vus, rps, requests }) =>
      rps === null ? Math.min(vus, requests ?? vus) : Math.ceil(vus / lanes),
    ),
  );
  return Math.max(1, Math.min(...clients));
}

/**
 * k6's flags for one generator. k6 deals clients and requests of every executor by them, so that all together make what one
 * would, none twice and none missing.
 *
 * @param index from 0
 */
export function segmentFlags(index: number, generators: number): string[] {
  if (generators <= 1) return [];
  const bound = (i: number) => (i === 0 ? '0' : i === generators ? '1' : `${i}/${generators}`);
  const sequence = Array.from({ length: generators + 1 }, (_, i) => bound(i)).join(',');
  return [
    ...['--execution-segment', `${bound(index)}:${bound(index + 1)}`],
    ...['--execution-segment-sequence', sequence],
  ];
}
