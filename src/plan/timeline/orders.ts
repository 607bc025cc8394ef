import { shuffle } from '../../stats/random.ts';

/**
 * Endless orders of the same things, balanced. In every `items.length` orders in a row each thing is once in each
 * place. If their number is even, each follows each other thing once (a Latin square after Williams, 1949). Which thing
 * is which, and which row comes when, is drawn anew for each square.
 */
export function makeOrders<T>(items: readonly T[], random: () => number): () => T[] {
  const n = items.length;
  // 0, 1, n − 1, 2, n − 2 …: the distances between neighbours are all different.
  const zigzag = items.map((_, i) => (i % 2 === 1 ? (i + 1) / 2 : (n - i / 2) % n));
  let rows: T[][] = [];
  return () => {
    if (rows.length === 0) {
      const names = shuffle(items, random);
      const shifts = shuffle([...names.keys()], random);
      rows = shifts.map((shift) => zigzag.map((place) => names[(place + shift) % n] as T));
    }
    return rows.pop() as T[];
  };
}
