import { describe, expect, it } from 'vitest';
import { scenarioOf } from '../../../test/fixtures/plan.ts';
import { makeK6Plan } from '../../run/load/k6.ts';
import type { Slice } from './slices.ts';
import { batchMs, cutIntoBatches, planSlices, retime, spanMs } from './timeline.ts';
import { countRounds, dealTurns, TURN_MS, takesTurns } from './turns.ts';

const scenario = scenarioOf('s', 'vus(8, 1s)', { warmupMs: 1000, blocks: 2 });
const variants = ['a', 'b', 'c'];

function draft(ids = variants, elastic: (id: string) => boolean = () => false) {
  const order = () => [...ids];
  return planSlices(scenario, { warmup: order, block: order, round: order, duets: new Map() }, elastic).map(
    (slice, number) => ({
      ...slice,
      number,
    }),
  );
}

const block = (n = 0): Slice[] =>
  draft()
    .filter((slice) => !slice.warmup && slice.block === n)
    .map((slice) => ({ ...slice, startMs: 0 }));

describe('turns', () => {
  it('are dealt so that each variant has one in each round', () => {
    const rounds = countRounds(1000);
    expect(rounds).toBe(1000 / TURN_MS);
    const owned = block().map((slice) => slice.turns as readonly number[]);
    expect(owned.flat().sort((a, b) => a - b)).toEqual([...Array(rounds * 3).keys()]);
    for (const turns of owned)
      expect(turns.map((turn) => Math.floor(turn / 3))).toEqual([...Array(rounds).keys()]);
  });

  it('are for short loads of one step and more than one variant', () => {
    const pages = { journey: { kind: 'paths', paths: ['/'] } } as const;
    const step = { offsetMs: 0, durationMs: 1000, rps: null, vus: 8, requests: null };
    expect(takesTurns(pages, [step], 1000)).toBe(true);
    // A rate that a server cannot sustain would leave it time to recover.
    expect(takesTurns(pages, [{ ...step, rps: 100 }], 1000)).toBe(false);
    expect(takesTurns(pages, [step, step], 1000)).toBe(false);
    expect(takesTurns(pages, [step], null)).toBe(false);
    expect(takesTurns(pages, [step], 60_000)).toBe(false);
    expect(takesTurns({ journey: { kind: 'script', name: 'own', file: 'own.js' } }, [step], 1000)).toBe(
      false,
    );
    expect(draft(['a']).every((slice) => slice.turns === null)).toBe(true);
    expect(draft(variants, (id) => id === 'b').every((slice) => slice.turns === null)).toBe(true);
  });

  it('of one that dropped out are closed up', () => {
    const left = dealTurns(
      block().filter((slice) => slice.variant !== 'b'),
      null,
    );
    expect(left.flatMap((slice) => slice.turns ?? []).sort((a, b) => a - b)).toEqual([...Array(10).keys()]);
    expect(dealTurns(block().slice(0, 1), null).map((slice) => slice.turns)).toEqual([null]);
  });

  it('are put together where requests take long', () => {
    // Ten requests of 40 ms are two turns of 200 ms.
    const [a, b, c] = dealTurns(block(), 40).map((slice) => slice.turns);
    expect(a).toEqual([0, 1, 6, 7, 12]);
    expect(b).toEqual([2, 3, 8, 9, 13]);
    expect(c).toEqual([4, 5, 10, 11, 14]);
    expect(dealTurns(block(), 300).map((slice) => slice.turns)).toEqual([null, null, null]);
  });

  it('of a block begin together, and one gap follows them', () => {
    const [warmup, blocks] = cutIntoBatches(scenario, draft(), 100, true);
    expect(warmup?.slices.map((slice) => slice.warmup)).toEqual([true, true, true]);
    expect(blocks?.slices.map((slice) => slice.startMs)).toEqual([0, 0, 0, 3250, 3250, 3250]);
    expect(blocks && batchMs(blocks)).toBe(3250 + 3100);
    expect(blocks && spanMs(blocks.slices[4] as Slice, blocks)).toBe(3000);
    const slow = blocks && retime(blocks, 100, 300);
    expect(slow?.slices.map((slice) => slice.startMs)).toEqual([0, 1250, 2500, 3750, 5000, 6250]);
  });

  it('reach k6 as an order of slices', () => {
    const [, batch] = cutIntoBatches(scenario, draft(), 100, true);
    const plan = makeK6Plan(batch as NonNullable<typeof batch>, { a: 1, b: 2, c: 3 }, { host: 'app.test' });
    expect(plan.blocks.map(({ startMs, turnMs }) => ({ startMs, turnMs }))).toEqual([
      { startMs: 0, turnMs: 200 },
      { startMs: 3250, turnMs: 200 },
    ]);
    expect(plan.blocks[0]?.order.slice(0, 4)).toEqual(['s3', 's4', 's5', 's3']);
    expect(plan.slices.map((slice) => slice.block)).toEqual(['b0', 'b0', 'b0', 'b3250', 'b3250', 'b3250']);
  });
});
