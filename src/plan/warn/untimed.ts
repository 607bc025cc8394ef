import type { Warning } from '../../results/results.ts';
import { type ColdStarting, timesColdStarts } from '../timeline/pass-seconds.ts';

/** Shown before the run: after it, times would just be missing. */
export function warnOfUntimed(config: ColdStarting): Warning[] {
  if (!config.coldStart || timesColdStarts(config)) return [];
  return [
    {
      code: 'cold-start',
      message: 'no cold starts: `set-up` does not run in them',
      remedy:
        'move its commands to `prepare`, or its data to `dump` or `reset` of services; or leave out `cold-start`',
      variant: null,
    },
  ];
}
