import type { Warning } from '../../results/results.ts';

/** Limits of containers that an engine enforces. Without one, it starts containers all the same, as rootless Docker does. */
export interface EngineLimits {
  pinsCpus: boolean;
  limitsMemory: boolean;
}

export const ALL_LIMITS: EngineLimits = { pinsCpus: true, limitsMemory: true };

const REMEDY =
  'give it the cgroup controllers cpuset and memory: for rootless Docker, set `Delegate=cpu cpuset io memory pids` in user@.service';

/**
 * Warns of limits that a run would set in vain.
 *
 * @param elsewhere whether the load comes from other machines
 */
export function warnOfDiscarded(
  { pinsCpus, limitsMemory }: EngineLimits,
  wantsMemory: boolean,
  elsewhere = false,
): Warning[] {
  return [
    ...(pinsCpus ? [] : [warnOfUnpinned(elsewhere ? 'the system' : 'load generator')]),
    ...(limitsMemory || !wantsMemory ? [] : [UNLIMITED]),
  ];
}

const warnOfUnpinned = (other: string): Warning => ({
  code: 'shared-cores',
  message: `this Docker engine cannot pin containers to CPUs, so servers and ${other} share all CPUs: each takes time from the other`,
  remedy: REMEDY,
  variant: null,
});

const UNLIMITED: Warning = {
  code: 'memory-unlimited',
  message:
    'this Docker engine cannot limit the memory of containers: servers are measured without the limit `memory`',
  remedy: REMEDY,
  variant: null,
};
