import { describe, expect, test } from 'vitest';
import { makeRandom } from '../../stats/random.ts';
import { makeOrders } from './orders.ts';

const countBy = (keys: readonly string[]) => {
  const counts = new Map<string, number>();
  for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + 1);
  return counts;
};

describe.each([1, 2, 3, 4, 5, 6, 7, 8])('orders of %i things', (n) => {
  const things = Array.from({ length: n }, (_, i) => String.fromCharCode(97 + i));
  const next = makeOrders(things, makeRandom(7));
  const squares = Array.from({ length: 5 }, () => Array.from({ length: n }, next));

  test('have each thing once, and in n of them each in each place', () => {
    for (const square of squares) {
      for (const order of square) expect(order.toSorted()).toEqual(things);
      const places = countBy(square.flatMap((order) => order.map((thing, place) => `${thing}${place}`)));
      expect([...places.values()]).toEqual(Array(n * n).fill(1));
    }
  });

  // This is impossible for an odd number (Williams 1949). With one or two, all squares are much the same.
  const even = n % 2 === 0 ? test : () => {};
  even('have each thing follow each other once in n of them', () => {
    for (const square of squares) {
      const pairs = countBy(square.flatMap((order) => order.slice(1).map((thing, i) => order[i] + thing)));
      expect([...pairs.values()]).toEqual(Array(n * (n - 1)).fill(1));
    }
  });

  const several = n > 2 ? test : () => {};
  several('are drawn anew: squares differ, and so do seeds', () => {
    expect(new Set(squares.map((square) => square.join())).size).toBeGreaterThan(1);
    const other = makeOrders(things, makeRandom(8));
    expect(Array.from({ length: 2 * n }, other)).not.toEqual(squares.slice(0, 2).flat());
  });
});
