import { expect, test } from 'vitest';
import { makeClock } from './clock.ts';

const planned = (...seconds: number[]) => ({
  ...{ estimatedSeconds: 100, coldStarts: 0, profile: null },
  counts: seconds.map((one) => ({ by: 'php' as const, variants: 2, each: 1, seconds: one })),
});

test('without a pass, all is done with the measuring', () => {
  const clock = makeClock(planned(), 60);
  expect(clock(0, 1)).toEqual({ done: 0, left: 99 });
  expect(clock(0.5, 80)).toEqual({ done: 0.5, left: 80 });
  expect(clock(1, 160)).toEqual({ done: 1, left: 0 });
});

test('a load that is still to come takes its time, however long the starts took', () => {
  const clock = makeClock(planned(), 60);
  expect(clock(0, 300)).toEqual({ done: 0, left: 60 });
  expect(clock(0.1, 300)).toEqual({ done: 0.1, left: 54 });
});

test('the budget is the most that is left, as a slow first start shows nothing of the others', () => {
  const clock = makeClock(planned(), 20, 110);
  expect(clock(0.25, 60)).toEqual({ done: 0.25, left: 50 });
  expect(clock(0.5, 50)).toEqual({ done: 0.5, left: 50 });
  // The load that has begun still ends.
  expect(clock(0.75, 120)).toEqual({ done: 0.75, left: 5 });
  // The passes have no budget, and are as slow.
  expect(makeClock(planned(60, 40), 20, 100)(0.25, 60)).toEqual({ done: 0.125, left: 280 });
});

test('passes are a part of what is left, and of the share that is done', () => {
  const clock = makeClock(planned(60, 40), 60);
  expect(clock(0, 1)).toEqual({ done: 0, left: 199 });
  expect(clock(0.5, 40)).toEqual({ done: 0.25, left: 140 });
  expect(clock(1, 80)).toEqual({ done: 0.5, left: 100 });
  expect(clock(1, 130)).toEqual({ done: 0.75, left: 50 });
  // Longer than planned.
  expect(clock(1, 300)).toEqual({ done: 1, left: 0 });
});

test('where measuring takes twice as long as planned, so do the passes', () => {
  const clock = makeClock(planned(60, 40), 60);
  expect(clock(0.5, 100)).toEqual({ done: 0.25, left: 300 });
  expect(clock(1, 200)).toEqual({ done: 0.5, left: 200 });
  expect(clock(1, 300)).toEqual({ done: 0.75, left: 100 });
});

test.each([60, 100, 300])(
  'the share that is done never falls, where measuring takes %i s instead of 100',
  (took) => {
    const clock = makeClock(planned(60, 40), 60);
    const shares = [0, 0.5, 0.99].map((share) => clock(share, share * took).done);
    for (const more of [0, 1, 50, 100, 300]) shares.push(clock(1, took + more).done);
    expect(shares).toEqual(shares.toSorted((a, b) => a - b));
    expect(shares.at(-1)).toBe(1);
  },
);
