import { describe, expect, test } from 'vitest';
import { scenarioOf } from '../../../test/fixtures/plan.ts';
import type { Scenario } from '../../config/types.ts';
import { makeK6Plan } from '../../run/load/k6.ts';
import type { Slice } from './slices.ts';
import { batchMs, cutIntoBatches, DUET_LAG_MS, groupTurns, planSlices, retime } from './timeline.ts';

const scenario = scenarioOf('s', 'vus(8, 1s)', { warmupMs: 1000, blocks: 3 });
const ids = ['a', 'c', 'a:base'];

function draft(change: Partial<Scenario> = {}, isElastic: (id: string) => boolean = () => false) {
  const order = () => [...ids];
  let turn = 0;
  const duets = new Map([['a', () => (turn++ % 2 === 0 ? ['a', 'a:base'] : ['a:base', 'a'])]]);
  const orders = { warmup: order, block: order, round: order, duets };
  return planSlices({ ...scenario, ...change }, orders, isElastic).map((slice, number) => ({
    ...slice,
    number,
  }));
}
const isDuet = ({ duet }: Pick<Slice, 'duet'>) => duet !== null;
const [batch] = cutIntoBatches(scenario, draft(), 100);
if (!batch) throw new Error('no batch');

describe('duets', () => {
  test('follow each block, once with each of the two first', () => {
    const order = draft()
      .filter((slice) => !slice.warmup)
      .map(({ block, duet, variant }) => `${block}${duet === null ? '' : ' duet'} ${variant}`);
    const duets = (n: number) => ['a', 'a:base', 'a:base', 'a'].map((id) => `${n} duet ${id}`);
    expect(order).toEqual([0, 1, 2].flatMap((n) => [...ids.map((id) => `${n} ${id}`), ...duets(n)]));
  });

  test('follow slices in one piece where the load has a rate', () => {
    const load = { source: '', segments: [{ kind: 'const', rps: 90, ms: 2000 }] } as const;
    const slices = draft({ load }).filter(({ warmup }) => !warmup);
    const block = slices.filter((slice) => slice.block === 0);
    expect(block.map(({ variant, turns, duet }) => [variant, turns, duet])).toEqual([
      ...ids.map((id) => [id, null, null]),
      ...['a', 'a:base', 'a:base', 'a'].map((id) => [id, null, 'a']),
    ]);
    expect(block.map(({ steps }) => steps[0]?.rps)).toEqual([90, 90, 90, 45, 45, 45, 45]);
  });

  test('have as many clients together as one alone has, and at least a second', () => {
    for (const { steps } of draft().filter(isDuet)) {
      expect(steps.map(({ vus, durationMs }) => [vus, durationMs])).toEqual([[4, 1000 + DUET_LAG_MS]]);
    }
    const short = draft({ load: { source: '', segments: [{ kind: 'const', rps: 90, ms: 400 }] } });
    expect(short.filter(isDuet).map(({ steps }) => steps[0])).toEqual(
      Array(12).fill(expect.objectContaining({ rps: 45, durationMs: 1000 + DUET_LAG_MS })),
    );
  });

  test.each<[string, Partial<Scenario>, ((id: string) => boolean)?]>([
    ['elastic pools', {}, (id) => id === 'c'],
    ['ramps', { load: { source: '', segments: [{ kind: 'line', fromRps: 1, toRps: 9, ms: 5000 }] } }],
    ['long loads', { load: { source: '', segments: [{ kind: 'vus', vus: 8, ms: 60_000 }] } }],
    ['counts of requests', { load: { source: '', segments: [{ kind: 'requests', requests: 100, vus: 8 }] } }],
    ['scripts', { journey: { kind: 'script', name: 'x', file: '/x.js' } }],
  ])('are not made of %s', (_, change, isElastic) => {
    expect(draft(change, isElastic).some(isDuet)).toBe(false);
  });

  test('begin together except for a moment, and end together', () => {
    const { slices } = makeK6Plan(batch, { a: 1, 'a:base': 2, c: 3 }, { host: 'app.test' });
    for (const group of groupTurns(batch.slices).filter(([slice]) => slice?.duet)) {
      expect(group).toHaveLength(2);
      const [first, second] = group.map(({ number }) => slices.find(({ id }) => id === `s${number}`));
      if (!first || !second) throw new Error('not planned');
      expect(second.startMs - first.startMs).toBe(DUET_LAG_MS);
      expect(second.startMs + (second.durationMs ?? 0)).toBe(first.startMs + (first.durationMs ?? 0));
      expect(second.steps[0]?.durationMs).toBe(second.durationMs);
      expect([first, second].map(({ block }) => block)).toEqual([null, null]);
    }
  });

  test('do not overlap with anything else', () => {
    const groups = groupTurns(batch.slices);
    groups.forEach((group, i) => {
      const next = groups[i + 1]?.[0];
      const ms = group[0]?.duet ? 1020 : group[0]?.turns ? 3000 : 1000;
      const gapMs = group[0]?.warmup && next?.warmup ? 0 : 250;
      if (next) expect(next.startMs).toBe((group[0] as Slice).startMs + ms + gapMs);
    });
    // Warm-up, then three blocks of turns of three and two duets; 100 ms of drain, 150 ms to settle; none between warm-ups.
    expect(batchMs(batch)).toBe(3 * 1000 + 250 + 3 * (3000 + 2 * 1020) + 9 * 250 - 150);
  });

  test('are not made with one that dropped out', () => {
    const left = retime(
      { ...batch, slices: batch.slices.filter(({ variant }) => variant !== 'a:base') },
      100,
    );
    expect(left.slices.filter(isDuet)).toEqual([]);
    expect(left.slices.filter(({ warmup }) => !warmup)).toHaveLength(6);
  });
});
