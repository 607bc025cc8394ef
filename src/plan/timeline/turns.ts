import type { Scenario } from '../../config/types.ts';
import type { LoadStep } from './load-steps.ts';
import type { Slice } from './slices.ts';

/**
 * Within a block the variants take turns of this long, ms, in one stretch without gaps. A disturbance of a
 * second then affects all of them. With the same 2 s of load on a pair, the interval was ±0.7 % with turns of 250 ms,
 * and ±3.7 % with slices of 1 s.
 */
export const TURN_MS = 200;
/** Longer slices are profiles of sustained load: they stay in one piece, without duets. */
const SHORT_UP_TO_MS = 10_000;
/** A turn lasts at least this many typical requests, so that those which reach into the next one weigh little. */
const REQUESTS_PER_TURN = 10;

/** Whether versions can be loaded at once, in a duet: by one short step at one concurrency or rate, by no script of the user's. */
export function allowsDuets(
  { journey }: Pick<Scenario, 'journey'>,
  steps: readonly LoadStep[],
  durationMs: number | null,
): boolean {
  return (
    journey.kind !== 'script' &&
    steps.length === 1 &&
    durationMs !== null &&
    durationMs >= 2 * TURN_MS &&
    durationMs <= SHORT_UP_TO_MS
  );
}

/**
 * Whether slices of this load can be cut into turns: such a load without a rate. At a rate, a server that cannot keep up would
 * recover while the others have their turns.
 */
export function takesTurns(
  scenario: Pick<Scenario, 'journey'>,
  steps: readonly LoadStep[],
  durationMs: number | null,
): boolean {
  return allowsDuets(scenario, steps, durationMs) && steps[0]?.rps === null;
}

/** Rounds in a block: each variant has one turn in each. */
export function countRounds(durationMs: number): number {
  return Math.max(2, Math.round(durationMs / TURN_MS));
}

/**
 * The slices of one block with their turns dealt anew. Gaps of variants that dropped out are closed. If requests take
 * long, turns of neighbouring rounds are put together. Slices without turns follow each other with gaps: if not even
 * two turns would be long enough, or only one variant is left.
 *
 * @param typicalMs how long a request of the slowest variant takes; null: not known yet
 */
export function dealTurns<S extends Slice>(block: readonly S[], typicalMs: number | null): S[] {
  const { turns, turnMs, durationMs } = block[0] as S;
  if (turns === null || turnMs === null || durationMs === null) return [...block];
  const rounds = turns.length;
  const together = Math.max(1, Math.ceil((REQUESTS_PER_TURN * (typicalMs ?? 0)) / turnMs));
  if (block.length < 2 || together > rounds / 2)
    return block.map((slice) => ({ ...slice, turns: null, turnMs: null }));
  const order = block
    .flatMap((slice, i) => (slice.turns ?? []).map((at) => ({ i, at })))
    .sort((a, b) => a.at - b.at)
    .map(({ i }) => i);
  const dealt: number[][] = block.map(() => []);
  let next = 0;
  for (let round = 0; round < rounds; round += together) {
    const n = Math.min(together, rounds - round);
    for (const i of order.slice(round * block.length, (round + 1) * block.length)) {
      for (let turn = 0; turn < n; turn++) dealt[i]?.push(next++);
    }
  }
  return block.map((slice, i) => ({ ...slice, turns: dealt[i] as number[] }));
}
