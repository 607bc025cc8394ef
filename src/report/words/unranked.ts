import type { Row, RowState, ScenarioSummary } from '../../analyse/summary.ts';
import { listNames } from '../../text/plain.ts';
import { atLeast } from './numbers.ts';
import type { Name } from './ranked.ts';

/** Variants that are missing from the ranking, and why, in short; empty if there are none. */
export function exceptions({ rows, bases }: ScenarioSummary, name: Name): string {
  const of = (kind: RowState['kind']) => rows.filter((row) => row.state.kind === kind);
  const bound = of('generator-bound').map((row) => `${name(row.label)} (${atLeast(rateOf(row))} rps)`);
  const unranked = of('unranked').map((row) => name(row.label));
  const failed = [...of('failed'), ...bases.filter(({ state }) => state.kind === 'failed')].map((row) =>
    name(row.label),
  );
  return [
    bound.length > 0 ? `The load generator was the limit for ${listNames(bound)}, which can do more.` : '',
    unranked.length > 0 ? `Not ranked: ${listNames(unranked)}.` : '',
    failed.length > 0 ? `Failed: ${listNames(failed)}.` : '',
  ]
    .filter(Boolean)
    .join(' ');
}

/** The highest sustained rate, else the mean. The mean of a ramp is about its middle, whatever the server can do. */
function rateOf({ holds, rps }: Row): number {
  const found = holds && holds.kind !== 'below' ? holds : rps;
  return found?.value ?? 0;
}

const FAILED: Readonly<Record<string, string>> = {
  build: 'failed to build',
  start: 'failed to start',
  verify: 'answered wrongly',
  run: 'failed under load',
};

export function describeFailure({ stage }: { stage: string }): string {
  return FAILED[stage] ?? 'failed';
}

/** Why a row stands apart: `failed to build: …`. */
export function reasonOf(state: RowState): string {
  switch (state.kind) {
    case 'ranked':
    case 'base':
      return '';
    case 'failed':
      return `${describeFailure(state)}: ${state.reason}`;
    default:
      return state.reason;
  }
}
