import type { Warning } from '../results/results.ts';
import type { Plan } from './plan.ts';

/** What a plan amounts to, before it starts: how often, how long, and what may come of it. */
export function describeEffort({
  instances,
  scenarios,
  estimatedSeconds,
  detectable,
  searches,
  profile,
  counting,
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
    ...(profile === null
      ? []
      : [
          `profile: ${many(Object.keys(profile.variants).length, 'variant')} × ${profile.starts} starts, once all is measured: about ${time(profile.seconds)} more`,
        ]),
    ...(counting === null
      ? []
      : [
          `count: ${many(counting.variants, 'variant')} × ${counting.starts} starts, once all is measured: about ${time(counting.seconds)} more`,
        ]),
    ...(detectable === null
      ? []
      : [
          `with typical noise, this plan detects changes of ${(detectable * 100).toFixed(1)} % or more (95 % power, 99 % interval)`,
        ]),
  ];
}

/** What was promised and what can be done may differ by this share before it is worth a word. */
const WORTH_SAYING = 1 / 3;

/** Promise and prospect side by side, where less than was promised can be done, by more than a third. */
export function warnOfRest(promised: Plan, rest: Plan, tookMs: number): Warning[] {
  const isLess = (a: number, b: number) => a - b > WORTH_SAYING * b;
  const [before, now] = [promised, rest].map(({ detectable }) => detectable) as [
    number | null,
    number | null,
  ];
  const fewer = isLess(promised.instances.length, rest.instances.length);
  if (!fewer && !(before !== null && now !== null && isLess(now, before))) return [];
  const effort = ({ instances, scenarios }: Plan) => {
    const blocks = Math.max(...scenarios.map((scenario) => scenario.blocks));
    return `${instances.length} starts × ${blocks} ${blocks === 1 ? 'block' : 'blocks'}`;
  };
  const change = (share: number | null) =>
    share === null ? '' : `, for changes of ${(share * 100).toFixed(1)} % or more`;
  return [
    {
      code: 'planned-anew',
      message: `the first start took ${Math.round(tookMs / 1000)} s; promised: ${effort(promised)}${change(before)}; now planned: ${effort(rest)}${change(now)}`,
      remedy: 'increase the budget, or make starts and the set-up of services faster',
      variant: null,
    },
  ];
}
