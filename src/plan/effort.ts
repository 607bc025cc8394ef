import type { Plan } from './plan.ts';

/** What a plan amounts to, before it starts: how often, how long, and what may come of it. */
export function describeEffort({
  instances,
  scenarios,
  estimatedSeconds,
  detectable,
  searches,
}: Plan): string[] {
  const blocks = [...new Set(scenarios.map((scenario) => scenario.blocks))].sort((a, b) => a - b);
  const many = (n: number, what: string) => `${n} ${what}${n === 1 ? '' : 's'}`;
  const each = blocks.length === 1 ? many(blocks[0] as number, 'block') : `${blocks.join(' or ')} blocks`;
  const time = (seconds: number) =>
    seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
  return [
    `${many(instances.length, 'instance')} × ${each}, about ${time(estimatedSeconds)} without building`,
    ...(searches === null
      ? []
      : [
          `capacity: ${searches.searches} × at most ${searches.probes} rates of ${searches.probeMs / 1000} s each, at most ${time(Math.ceil(searches.atMostMs / 1000))} of that time`,
        ]),
    ...(detectable === null
      ? []
      : [
          `a change of ${(detectable * 100).toFixed(1)} % or more would most likely be found (95 % power at a 99 % interval), if noise is as it typically is`,
        ]),
  ];
}
