import { describe, expect, test } from 'vitest';
import { makeRandom } from '../plan/random.ts';
import { CHANGE_ALPHA, findChangePoints, MIN_SEGMENT } from './changepoints.ts';

/** Levels one after the other, each with so many values, with normal noise. */
function series(levels: readonly [number, number][], sd: number, seed: number): number[] {
  const random = makeRandom(seed);
  const normal = () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
  return levels.flatMap(([level, n]) => Array.from({ length: n }, () => level + sd * normal()));
}
const near = (points: readonly number[], truth: readonly number[]) =>
  points.length === truth.length && points.every((at, i) => Math.abs(at - (truth[i] as number)) <= 1);

describe('changes that are there', () => {
  test.each<[string, [number, number][], number[]]>([
    [
      'one step',
      [
        [0, 15],
        [0.05, 15],
      ],
      [15],
    ],
    [
      'a step and back',
      [
        [0, 12],
        [-0.06, 12],
        [0, 12],
      ],
      [12, 24],
    ],
    [
      'a step near the end',
      [
        [0, 20],
        [0.08, 4],
      ],
      [20],
    ],
    [
      'a staircase',
      [
        [0, 15],
        [0.04, 15],
        [0.1, 15],
      ],
      [15, 30],
    ],
  ])('%s', (_, levels, truth) => {
    const RUNS = 40;
    let right = 0;
    // Steps of four SDs and more.
    for (let seed = 1; seed <= RUNS; seed++) {
      if (near(findChangePoints(series(levels, 0.01, seed), seed), truth)) right++;
    }
    expect(right).toBeGreaterThanOrEqual(0.9 * RUNS);
  });

  test('are found in the same place each time', () => {
    const values = series(
      [
        [0, 10],
        [0.03, 10],
      ],
      0.01,
      4,
    );
    expect(findChangePoints(values)).toEqual(findChangePoints(values));
  });
});

describe('noise', () => {
  test.each([8, 20, 40])('in %d values is hardly ever taken for a change', (n) => {
    const RUNS = 200;
    let wrong = 0;
    for (let seed = 1; seed <= RUNS; seed++) {
      if (findChangePoints(series([[0, n]], 0.02, seed * 7), seed).length > 0) wrong++;
    }
    // 7 of 200 at a chance of 1 % each: once in 400 times, and the seeds are fixed.
    expect(wrong).toBeLessThanOrEqual(200 * CHANGE_ALPHA + 5);
  });

  test('of a single run that is off is no change', () => {
    const values = series([[0, 30]], 0.01, 3);
    values[15] = 0.3;
    expect(findChangePoints(values)).toEqual([]);
  });

  test('and what is too short, or all the same, has none', () => {
    expect(findChangePoints([])).toEqual([]);
    expect(
      findChangePoints(
        Array(2 * MIN_SEGMENT - 1)
          .fill(1)
          .map((x, i) => x + i),
      ),
    ).toEqual([]);
    expect(findChangePoints(Array(30).fill(1))).toEqual([]);
  });
});
