import { expect, test } from 'vitest';
import { align } from './align.ts';

/** Puts the hunks of `b` in the place of those of `a`. */
function patch(a: string, b: string): string {
  let [patched, done] = ['', 0];
  for (const hunk of align([...a], [...b])) {
    patched += a.slice(done, hunk.a.from) + b.slice(hunk.b.from, hunk.b.to);
    done = hunk.a.to;
  }
  return patched + a.slice(done);
}

const edits = (a: string, b: string) =>
  align([...a], [...b]).map((hunk) => [
    ...[a.slice(hunk.a.from, hunk.a.to), b.slice(hunk.b.from, hunk.b.to)],
  ]);

test.each([
  ['', '', []],
  ['abc', 'abc', []],
  ['', 'abc', [['', 'abc']]],
  ['abc', '', [['abc', '']]],
  ['axc', 'ayyc', [['x', 'yy']]],
  [
    '1 Hello 2',
    '11 Hello 3',
    [
      ['', '1'],
      ['2', '3'],
    ],
  ],
  [
    'abcabba',
    'abcdabbda',
    [
      ['', 'd'],
      ['', 'd'],
    ],
  ],
])('%s → %s', (a, b, expected) => {
  expect(edits(a, b)).toEqual(expected);
});

test('hunks turn the one into the other, and are as few letters as can be', () => {
  let seed = 7;
  const letters = (length: number) =>
    Array.from({ length }, () => {
      seed = (seed * 1103515245 + 12345) % 2 ** 31;
      return 'abc'[(seed >> 16) % 3];
    }).join('');
  for (let i = 0; i < 300; i++) {
    const [a, b] = [letters(i % 17), letters((i * 7) % 19)];
    expect(patch(a, b)).toBe(b);
    const cost = edits(a, b).reduce((sum, [p = '', q = '']) => sum + p.length + q.length, 0);
    expect(cost, `${a} → ${b}`).toBe(a.length + b.length - 2 * commonLength(a, b));
  }
});

/** Length of the longest common subsequence, by the table that everybody knows. */
function commonLength(a: string, b: string): number {
  const table = Array.from({ length: a.length + 1 }, () => new Array<number>(b.length + 1).fill(0));
  const at = (i: number, j: number) => table[i]?.[j] ?? 0;
  for (let i = 1; i <= a.length; i++) {
    for (let j = 1; j <= b.length; j++) {
      const best = a[i - 1] === b[j - 1] ? at(i - 1, j - 1) + 1 : Math.max(at(i - 1, j), at(i, j - 1));
      (table[i] as number[])[j] = best;
    }
  }
  return at(a.length, b.length);
}

test('of two that share too little, all between their ends is one hunk', () => {
  const words = (from: number) => Array.from({ length: 4000 }, (_, i) => `${from + i}`);
  expect(align(['a', ...words(0), 'z'], ['a', ...words(10_000), 'z'])).toEqual([
    { a: { from: 1, to: 4001 }, b: { from: 1, to: 4001 } },
  ]);
});
